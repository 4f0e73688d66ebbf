/** Lists which repositories are to be read after events of an upstream were missed. */
import { type DidString, isValidDid } from '@atproto/syntax'
import type { TrustedClock } from '../../platform/clock/trusted-clock.ts'
import type { Platform } from '../../platform/platform.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { timeOf } from '../../repository/format/tid.ts'
import type { Reader } from '../../store/database.ts'
import { isObject } from '../../util/json.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
import * as catchUps from '../tables/catch-ups.ts'
import * as repositories from '../tables/remote-repositories.ts'
import type { Filter } from './filter/filter.ts'
import type { Hosts } from './hosts.ts'

interface Deps extends Pick<Platform, 'signal'> {
  readonly store: Reader
  readonly clock: Pick<TrustedClock, 'earliest'>
  readonly hosts: Hosts
  readonly filter: Pick<Filter, 'isLocal' | 'isKnown'>
}

/** A repository that is to be read. Times are milliseconds since 1970. */
export interface MissedRepository {
  readonly did: DidString
  /** It is read only if it has changed since; null: in any case. */
  readonly changedSince: number | null
  /** Older records create no notifications. */
  readonly notifySince: number
}

const hourMs = 60 * 60_000
/** Clocks of servers differ, and events of the last minutes before a gap may be missed. */
export const marginMs = hourMs
/** Older records create no notifications when a new upstream is added. */
const newUpstreamMs = 3 * 24 * hourMs
/** An upstream with more repositories is a relay. */
const maxRepositories = 1000
const pageSize = 500
const maxPages = 20
/** Actors that are read when the events of a relay were missed. */
const maxActors = 5000
/** Milliseconds in which an upstream must send a page of its list. */
const timeoutMs = 30_000
/** Rows that are examined before the event loop continues. */
const sliceRows = 100

/**
 * Returns the repositories of an upstream that have changed since the gap, and the known ones that it no longer has; of a relay only those
 * of actors that concern accounts here.
 * @throws XrpcError of the upstream, OutboundFailed, OutboundRefused
 */
export async function repositoriesToRead(
  deps: Deps,
  { upstream, since }: catchUps.CatchUp,
): Promise<MissedRepository[]> {
  const { store } = deps
  const notifySince = since === null ? deps.clock.earliest().getTime() - newUpstreamMs : since - marginMs
  const listed = await listedAt(deps, upstream)
  if (!listed) {
    const dids = await concernedActors(store)
    return dids.map((did) => ({ did, changedSince: notifySince, notifySince }))
  }
  const changedSince = since === null ? null : notifySince
  const changed = await inTurns(listed, (repository) => isToRead(deps, repository, changedSince ?? 0))
  const dids = new Set(listed.map(({ did }) => did))
  const missing = catchUps.actorsAt(store, upstream).filter((did) => !dids.has(did))
  return [
    ...changed.map(({ did, rev }) => ({
      did,
      changedSince: rev === undefined ? null : changedSince,
      notifySince,
    })),
    ...missing.map((did) => ({ did, changedSince: null, notifySince })),
  ]
}

/** Whether a listed repository has changed: its records since a time, or its status. */
function isToRead({ store, filter }: Deps, { did, rev }: Listed, changedSince: number): boolean {
  if (filter.isLocal(did)) return false
  if (rev === undefined) return filter.isKnown(did)
  if (repositories.isInactive(store, did)) return true
  return (timeOf(rev) ?? 0) >= changedSince && repositories.find(store, did)?.rev !== rev
}

/** Filters many rows with queries, and lets requests in between. */
async function inTurns<Row>(rows: readonly Row[], isWanted: (row: Row) => boolean): Promise<Row[]> {
  const wanted: Row[] = []
  for (let from = 0; from < rows.length; from += sliceRows) {
    wanted.push(...rows.slice(from, from + sliceRows).filter(isWanted))
    await yieldToEventLoop()
  }
  return wanted
}

/** Returns the actors elsewhere that accounts here watch, then the actors with stored records. */
async function concernedActors(store: Reader): Promise<DidString[]> {
  const watched: DidString[] = []
  const stored: DidString[] = []
  for (let last = 0; ; await yieldToEventLoop()) {
    const page = catchUps.actorsElsewhere(store, last, sliceRows)
    for (const { did, isWatched, isStored } of page) {
      if (isWatched) watched.push(did)
      else if (isStored) stored.push(did)
    }
    last = page.at(-1)?.id ?? 0
    if (page.length < sliceRows) return [...watched, ...stored].slice(0, maxActors)
  }
}

interface Listed {
  readonly did: DidString
  /** Undefined for an inactive repository. */
  readonly rev: string | undefined
}

/** Lists the repositories of an upstream; undefined for a relay, or a service that does not list them. */
async function listedAt({ hosts }: Deps, upstream: string): Promise<Listed[] | undefined> {
  const found: Listed[] = []
  let cursor = ''
  for (let pages = 0; pages < maxPages; pages++) {
    const query = new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) }).toString()
    const page = await hosts
      .at(upstream)
      .get('com.core.sync.listRepos', { query, timeoutMs })
      .catch((error: unknown) => {
        if (error instanceof XrpcError && error.name === 'MethodNotImplemented') return undefined
        throw error
      })
    if (!page) return undefined
    if (Array.isArray(page.repos))
      found.push(...page.repos.map(parseListed).filter((one) => one !== undefined))
    if (found.length > maxRepositories) return undefined
    if (typeof page.cursor !== 'string' || page.cursor === '') break
    cursor = page.cursor
  }
  return found
}

function parseListed(value: unknown): Listed | undefined {
  if (!isObject(value)) return undefined
  const { did, rev, active } = value
  if (typeof did !== 'string' || !isValidDid(did)) return undefined
  return { did, rev: active === false || typeof rev !== 'string' ? undefined : rev }
}
