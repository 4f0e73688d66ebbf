/** The periodic jobs of the server. */

import type { Federation } from '../../federation/federation.ts'
import type { AccountDeletion } from '../../identity/accounts/delete.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Platform } from '../../platform/platform.ts'
import { pruneEvents } from '../../repository/events/event-retention.ts'
import type { Repository } from '../../repository/repository.ts'
import type { PageCheck } from '../../store/page-check.ts'
import type { Moves } from '../moving/moves.ts'
import { removeLeftovers } from '../replicas/local/leftovers.ts'
import type { OwnBackups } from '../replicas/local/own-backups.ts'
import type { BackupProofs } from '../replicas/local/proofs.ts'
import type { Replicas } from '../replicas/replicas.ts'
import { backUpWhenDue, checkBackups } from './daily-backup.ts'
import { maintenanceParts } from './maintenance.ts'
import { deleteFetchedData, deleteReplacedData } from './replaced-data.ts'
import type { Job } from './scheduler.ts'
import { measureDaily } from './storage-days.ts'

interface Deps extends Platform {
  readonly identity: Identity
  readonly repository: Repository
  readonly federation: Federation
  readonly operation: {
    readonly moves: Moves
    readonly backups: OwnBackups
    readonly backupProofs: BackupProofs
    readonly pageCheck: PageCheck
    readonly copies: Replicas
    readonly accountDeletion: AccountDeletion
  }
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export function periodicJobs(services: Deps): Job[] {
  const { config, store, files, clock, identity, repository, federation, operation } = services
  const { relays, blobs } = repository
  const { backlinks, intake, upstreams, catchUp, wantedRecords, recheck } = federation
  const { moves, backups, backupProofs, pageCheck, copies } = operation
  return [
    job('check of the clock', minute, () => clock.check()),
    job('check of the lock', minute, () => store.checkLock()),
    // Before maintenance: the state of a move decides whether its account may be deleted.
    job('moves', minute / 4, () => moves.resumeDue()),
    ...maintenanceParts(services).map(({ name, run }) => job(name, minute, run)),
    // A new account is published within 30 s of the time at which the directory answers again.
    job('PLC submission', minute / 6, () => identity.plc.publishDue()),
    job('writing last-used times', minute, () => identity.lastUsed.write(), { firstMs: minute }),
    job('writing counts of uses', 10 * minute, () => identity.uses.write(), { firstMs: 10 * minute }),
    job('expiry of uploads', minute, () => blobs.expire()),
    job('crawl request', minute, () => relays.askDue()),
    job('deletion of old events', minute, () => pruneEvents(services)),
    job('deletion of old remote records', hour, () => intake.deleteOutdated(), { firstMs: 3 * minute }),
    job('sweep of blobs', day, () => blobs.sweep()),
    job('upstreams', minute / 4, () => upstreams.resumeDue(), { firstMs: minute }),
    // By a timer, as the connections to upstreams: both read other servers.
    job('catch-up', minute, () => catchUp.resumeDue(), { firstMs: 0 }),
    job('fetching of records', minute, () => wantedRecords.resumeDue(), { firstMs: 0 }),
    job('check of remote records', hour, () => recheck.checkDue(), { firstMs: minute }),
    // A minute later, because a backup reads the whole store while clients wait for their first responses.
    job('daily backup', hour, () => backUpWhenDue(services), { firstMs: minute }),
    job('check of backups', hour, () => checkBackups(backupProofs, services), { firstMs: 2 * minute }),
    job('removal of deleted backups', 5 * minute, () => backups.eraseDeleted()),
    job('check of all pages', hour, () => pageCheck.run(), { firstMs: 4 * minute }),
    job('limit of kept journals', minute, () => copies.limitJournals()),
    job('clean-up of copies', hour, () => clock.isPlausible() && copies.compact(), { firstMs: 10 * minute }),
    job('fetching of lost media', hour, () => copies.fetchMissingMedia(), { firstMs: minute }),
    job('proof of copies', hour, () => copies.proveDue(), { firstMs: 5 * minute }),
    job('measurement of storage', hour, () => measureDaily(services), { firstMs: 5 * minute }),
    job('removal of leftover backup files', day, () => removeLeftovers(files, config.dataDir)),
    job('deletion of replaced data', day, () => deleteReplacedData(services), { firstMs: 3 * minute }),
    job('deletion of fetched data', day, () => deleteFetchedData(services), { firstMs: 3 * minute }),
    ...(backlinks ? [job('backlinks', minute, () => backlinks.runDue())] : []),
  ]
}

function job(name: string, everyMs: number, run: Job['run'], { firstMs }: Pick<Job, 'firstMs'> = {}): Job {
  return { name, firstMs, everyMs, run }
}
