/** The periodic jobs of the server. */

import type { Federation } from '../../federation/federation.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Platform } from '../../platform/platform.ts'
import { pruneEvents } from '../../repository/events/retention.ts'
import type { Repository } from '../../repository/repository.ts'
import type { BackupProofs } from '../backups/proofs.ts'
import type { Moves } from '../moving/moves.ts'
import { backUpWhenDue, checkBackups } from './daily-backup.ts'
import { maintenanceParts } from './maintenance.ts'
import { deleteReplacedData } from './replaced-data.ts'
import type { Job } from './scheduler.ts'

interface Deps extends Platform {
  readonly identity: Identity
  readonly repository: Repository
  readonly federation: Federation
  readonly operation: { readonly moves: Moves; readonly backupProofs: BackupProofs }
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export function periodicJobs(services: Deps): Job[] {
  const { clock, log, identity, repository, federation, operation } = services
  const { backlinks } = federation
  return [
    { name: 'check of the clock', firstMs: 0, everyMs: minute, run: () => clock.check() },
    // Before maintenance: the state of a move decides whether its account may be deleted.
    { name: 'moves', firstMs: 0, everyMs: minute / 4, run: () => operation.moves.resumeDue() },
    ...maintenanceParts(services).map((part) => ({ ...part, firstMs: 0, everyMs: minute })),
    // A new account is published within 30 s of the time at which the directory answers again.
    { name: 'PLC submission', firstMs: 0, everyMs: minute / 6, run: () => identity.plc.publishDue() },
    {
      name: 'writing last-used times',
      firstMs: minute,
      everyMs: minute,
      run: () => identity.lastUsed.write(),
    },
    { name: 'expiry of uploads', firstMs: 0, everyMs: minute, run: () => repository.blobs.expire() },
    { name: 'crawl request', firstMs: 0, everyMs: minute, run: () => repository.relays.askDue() },
    {
      name: 'deletion of old events',
      firstMs: 0,
      everyMs: minute,
      run: () => pruneEvents({ ...services, ...repository }),
    },
    { name: 'archiving of events', firstMs: 0, everyMs: minute, run: () => repository.eventArchive.run() },
    { name: 'sweep of event files', firstMs: 0, everyMs: day, run: () => repository.eventArchive.sweep() },
    {
      name: 'deletion of old remote records',
      firstMs: 3 * minute,
      everyMs: hour,
      run: () => federation.intake.deleteOutdated(),
    },
    { name: 'sweep of blobs', firstMs: 0, everyMs: day, run: () => repository.blobs.sweep() },
    {
      name: 'upstreams',
      firstMs: minute,
      everyMs: minute / 4,
      run: async () => federation.upstreams.resumeDue(),
    },
    { name: 'catch-up', firstMs: 0, everyMs: minute, run: async () => federation.catchUp.resumeDue() },
    {
      name: 'fetching of records',
      firstMs: 0,
      everyMs: minute,
      run: async () => federation.wantedRecords.resumeDue(),
    },
    {
      name: 'check of remote records',
      firstMs: minute,
      everyMs: hour,
      run: () => federation.recheck.checkDue(),
    },
    // A minute later, because a backup reads the whole store while clients wait for their first responses.
    { name: 'daily backup', firstMs: minute, everyMs: hour, run: () => backUpWhenDue(services) },
    {
      name: 'check of backups',
      firstMs: 2 * minute,
      everyMs: hour,
      run: () => checkBackups(operation.backupProofs, log),
    },
    {
      name: 'removal of leftover backup files',
      firstMs: 0,
      everyMs: day,
      run: () => operation.backupProofs.removeLeftovers(),
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
