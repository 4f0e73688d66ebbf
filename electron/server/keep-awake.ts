/**
 * Keeps the computer awake while its server is public, as the setting says, and wakes the server after a sleep. The screen may turn
 * off. A laptop that is closed sleeps anyway: no program decides that.
 */

import { powerMonitor, powerSaveBlocker } from 'electron'
import type { Logger } from '../../server/util/log.ts'
import type { Bus } from '../ground/bus.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import { isMainsOff } from '../system/mains.ts'
import type { EmbeddedServer } from './server.ts'

export interface KeepAwakeDeps {
  readonly file: SettingsFile
  readonly server: EmbeddedServer
  readonly bus: Bus
  readonly log: Logger
}

/** Electron reports no change of the power supply on Linux. */
const lookMs = 60_000

export function setupKeepAwake({ file, server, bus, log }: KeepAwakeDeps): void {
  let blocker: number | undefined

  function apply(): void {
    const { keepAwake } = file.get('settings')
    const isPublic = server.state.kind === 'running' && server.services?.config.publicUrl !== undefined
    const isOnBattery = () => powerMonitor.onBatteryPower || isMainsOff()
    const wanted = isPublic && (keepAwake === 'always' || (keepAwake === 'mains' && !isOnBattery()))
    if (wanted === (blocker !== undefined)) return
    if (blocker === undefined) blocker = powerSaveBlocker.start('prevent-app-suspension')
    else {
      powerSaveBlocker.stop(blocker)
      blocker = undefined
    }
    log.info({ wanted }, 'keeping the computer awake')
  }

  bus.on('serverState', apply)
  bus.on('settings', apply)
  powerMonitor.on('on-ac', apply)
  powerMonitor.on('on-battery', apply)
  powerMonitor.on('resume', () => server.wake())
  if (process.platform === 'linux') setInterval(apply, lookMs).unref()
}
