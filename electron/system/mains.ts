/** The power supply of machines with Linux, which Electron does not report. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../ground/attempt.ts'

const suppliesFolder = '/sys/class/power_supply'

/**
 * Whether a machine with Linux has a mains adapter that is off (Documentation/ABI/testing/sysfs-class-power). Machines without one
 * count as connected.
 */
export function isMainsOff(folder = suppliesFolder): boolean {
  const read = (supply: string, file: string) => readFileSync(join(folder, supply, file), 'utf8').trim()
  const isOff = attempt(() => {
    const mains = readdirSync(folder).filter((supply) => read(supply, 'type') === 'Mains')
    return mains.length > 0 && mains.every((supply) => read(supply, 'online') === '0')
  })
  return isOff ?? false
}
