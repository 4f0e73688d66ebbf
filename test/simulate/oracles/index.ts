/** What must hold when nothing fails and everything has come to rest. */
import { rightClock } from '../acts/clocks.ts'
import type { World } from '../world/world.ts'
import { checkApps } from './apps.ts'
import { checkBackups } from './backups.ts'
import { checkCounts } from './counts.ts'
import { checkEventStreams } from './event-streams.ts'
import { checkExpiry } from './expiry.ts'
import { checkGrowth } from './growth.ts'
import { checkMail } from './mail.ts'
import { checkMedia } from './media.ts'
import { checkMoves } from './moves.ts'
import { checkNotifications } from './notifications.ts'
import { checkPlaces } from './places.ts'
import { checkPushes } from './pushes.ts'
import { checkRelay } from './relay.ts'
import { checkRepositories } from './repositories.ts'
import { checkServices } from './services.ts'
import { checkSessions } from './sessions.ts'
import { checkSettings } from './settings.ts'
import { checkStatuses } from './status.ts'
import { checkUnrelated } from './unrelated.ts'

const oracles = [
  checkMoves,
  ...[
    checkStatuses,
    checkRepositories,
    checkEventStreams,
    checkRelay,
    checkSettings,
    checkPushes,
    checkUnrelated,
  ],
  ...[checkNotifications, checkCounts, checkMedia, checkSessions, checkApps, checkMail, checkGrowth],
  ...[checkPlaces, checkExpiry, checkServices, checkBackups],
]

/** Ends all faults, lets the servers come to rest, and checks everything. @throws Violation */
export async function checkAll(world: World): Promise<void> {
  world.wire.heal()
  world.services.heal()
  for (const machine of world.machines) {
    for (const place of machine.places) place.heal()
    if (!machine.isRunning || machine.disk.hasFault) {
      machine.kill()
      await world.drive(machine.start(), `${machine.name}: start`)
    }
  }
  for (const machine of world.machines) await rightClock(world, machine)
  await world.rest()
  world.client.keepsConnections = true
  for (const oracle of oracles) await oracle(world)
  for (const machine of world.machines) Object.assign(machine, { furthestMs: 0, wasSet: false })
  world.client.forget()
}
