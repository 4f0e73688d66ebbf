/** Clocks of computers that are set forward and back. */
import type { Random } from '../../support/replicas/random.ts'
import { doubtCodes } from '../model/mail.ts'
import type { Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'
import type { Act } from './act.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A clock that is further ahead is implausible. The server may have been off for some days. */
const plausibleMs = 60 * dayMs

function skewOf(random: Random): number {
  const units = [minuteMs, hourMs, dayMs, 365 * dayMs]
  const ms = Math.floor(random.pick(units) * (1 + random.next() * 6))
  return random.chance(0.5) ? ms : -ms
}

export const setClock: Act = {
  weight: 1,
  async run(world, random) {
    const machine = random.pick(world.machines)
    setTo(world, machine, random.chance(0.3) ? 0 : skewOf(random))
    return `${machine.name}: its clock is ${machine.skewMs} ms ahead`
  },
}

/** Sets a clock. What the server has done by its old time is not known exactly. */
function setTo(world: World, machine: Machine, skewMs: number): void {
  if (machine.skewMs === skewMs) return
  machine.skewMs = skewMs
  machine.wasSet = true
  if (skewMs < plausibleMs) machine.furthestMs = Math.max(machine.furthestMs, skewMs)
  machine.filesUsedAt.clear()
  for (const person of world.accounts) {
    const { machine: home, uploads, settings, codes, grants } = person
    if (home !== machine) continue
    doubtCodes(person)
    for (const grant of grants) grant.doubt()
    for (const code of codes) if (code.isOpen === 'yes') code.isOpen = 'maybe'
    for (const upload of uploads.values()) upload.isUnused = false
    settings.doubt('seen')
  }
}

/** Sets a clock right. The owner confirms it if the server still doubts it. */
export async function rightClock(world: World, machine: Machine): Promise<void> {
  if (!machine.wasSet) return
  setTo(world, machine, 0)
  const { clock } = machine.running.services
  await world.drive(clock.check())
  if (!clock.isPlausible()) await world.drive(clock.confirm())
}
