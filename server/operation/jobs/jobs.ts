/** The periodic jobs of the server. */

import type { Backlinks } from '../../federation/backlinks/backlinks.ts'
import type { CatchUp } from '../../federation/remote/catch-up.ts'
import type { Intake } from '../../federation/remote/intake.ts'
import type { Recheck } from '../../federation/remote/recheck.ts'
import type { WantedRecords } from '../../federation/remote/wanted-records.ts'
import type { Upstreams } from '../../federation/upstreams/upstreams.ts'
import type { PlcPublisher } from '../../identity/accounts/plc.ts'
import type { LastUsed } from '../../identity/auth/last-used.ts'
import type { TrustedClock } from '../../platform/clock/trusted-clock.ts'
import type { EventArchive } from '../../repository/events/archive.ts'
import type { Relays } from '../../repository/events/relays.ts'
import { pruneEvents } from '../../repository/events/retention.ts'
import type { Moves } from '../moving/moves.ts'
import { backUpWhenDue, checkBackups } from './daily-backup.ts'
import { maintenanceParts } from './maintenance.ts'
import { deleteReplacedData } from './replaced-data.ts'
import type { Job } from './scheduler.ts'

type Deps = Parameters<(typeof maintenanceParts)[number]['run']>[0] &
  Parameters<typeof backUpWhenDue>[0] &
  Parameters<typeof deleteReplacedData>[0] &
  Parameters<typeof pruneEvents>[0] & {
    readonly eventArchive: EventArchive
    readonly plc: PlcPublisher
    readonly lastUsed: LastUsed
    readonly relays: Pick<Relays, 'askDue'>
    readonly moves: Moves
    readonly intake: Pick<Intake, 'deleteOutdated'>
    readonly upstreams: Pick<Upstreams, 'resumeDue'>
    readonly catchUp: Pick<CatchUp, 'resumeDue'>
    readonly wantedRecords: Pick<WantedRecords, 'resumeDue'>
    readonly recheck: Recheck
    readonly backlinks: Backlinks | undefined
    readonly clock: TrustedClock
  }

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export function periodicJobs(services: Deps): Job[] {
  const { backlinks } = services
  return [
    { name: 'check of the clock', firstMs: 0, everyMs: minute, run: () => services.clock.check() },
    // Before maintenance: the state of a move decides whether its account may be deleted.
    { name: 'moves', firstMs: 0, everyMs: minute / 4, run: () => services.moves.resumeDue() },
    ...maintenanceParts.map(({ name, run }) => ({
      ...{ name, firstMs: 0, everyMs: minute, run: () => run(services) },
    })),
    // A new account is published within 30 s of the time at which the directory answers again.
    { name: 'PLC submission', firstMs: 0, everyMs: minute / 6, run: () => services.plc.publishDue() },
    {
      name: 'writing last-used times',
      firstMs: minute,
      everyMs: minute,
      run: () => services.lastUsed.write(),
    },
    { name: 'expiry of uploads', firstMs: 0, everyMs: minute, run: () => services.blobs.expire() },
    { name: 'crawl request', firstMs: 0, everyMs: minute, run: () => services.relays.askDue() },
    { name: 'deletion of old events', firstMs: 0, everyMs: minute, run: () => pruneEvents(services) },
    { name: 'archiving of events', firstMs: 0, everyMs: minute, run: () => services.eventArchive.run() },
    { name: 'sweep of event files', firstMs: 0, everyMs: day, run: () => services.eventArchive.sweep() },
    {
      name: 'deletion of old remote records',
      firstMs: 3 * minute,
      everyMs: hour,
      run: () => services.intake.deleteOutdated(),
    },
    { name: 'sweep of blobs', firstMs: 0, everyMs: day, run: () => services.blobs.sweep() },
    {
      name: 'upstreams',
      firstMs: minute,
      everyMs: minute / 4,
      run: async () => services.upstreams.resumeDue(),
    },
    { name: 'catch-up', firstMs: 0, everyMs: minute, run: async () => services.catchUp.resumeDue() },
    {
      name: 'fetching of records',
      firstMs: 0,
      everyMs: minute,
      run: async () => services.wantedRecords.resumeDue(),
    },
    {
      name: 'check of remote records',
      firstMs: minute,
      everyMs: hour,
      run: () => services.recheck.checkDue(),
    },
    // A minute later, because a backup reads the whole store while clients wait for their first responses.
    { name: 'daily backup', firstMs: minute, everyMs: hour, run: () => backUpWhenDue(services) },
    { name: 'check of backups', firstMs: 2 * minute, everyMs: hour, run: () => checkBackups(services) },
    {
      name: 'removal of leftover backup files',
      firstMs: 0,
      everyMs: day,
      run: () => services.backupProofs.removeLeftovers(),
    },
    {
      name: 'deletion of replaced data',
      firstMs: 3 * minute,
      everyMs: day,
      run: () => deleteReplacedData(services),
    },
    ...(backlinks ? [{ name: 'backlinks', firstMs: 0, everyMs: minute, run: () => backlinks.runDue() }] : []),
  ]
}
