/**
 * Keeps identity, status and profile of actors of other servers up to date. An actor is refreshed in the
 * background when a response shows it or something new refers to it, at most once per day.
 */
import type { DidString, RecordKeyString } from '@atproto/syntax'
import { UnresolvableDid } from '../../identity/did/resolver.ts'
import { collections } from '../../platform/config/nsids.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import type { Platform } from '../../platform/platform.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { InvalidProof } from '../../repository/format/verify-commit.ts'
import type { RemoteChange } from '../remote/change.ts'
import type { FetchRecord } from '../remote/fetch-record.ts'
import type { Intake } from '../remote/intake.ts'
import type { StatusClaims } from '../remote/status-claims.ts'
import * as remoteActors from '../tables/remote-actors.ts'
import { isStored } from '../tables/remote-interest.ts'
import type { Actors } from './actors.ts'

export interface ActorRefresh {
  /** Refreshes actors in the background, if it is time to. @param ids as responses show them */
  refreshSoon(ids: Iterable<number>): void
}

export interface RefreshDeps
  extends Pick<Platform, 'store' | 'names' | 'background' | 'log' | 'now' | 'signal'> {
  readonly actors: Actors
  readonly fetchRecord: FetchRecord
  readonly statusClaims: Pick<StatusClaims, 'ask'>
  readonly intake: Pick<Intake, 'apply' | 'setStatus'>
  /** Whether records of other servers are received: otherwise no server is asked for anything. */
  readonly isOn: () => boolean
}

const day = 24 * 60 * 60_000
/** An actor that could not be refreshed is tried again after this time. */
const retryMs = 10 * 60_000
/** Actors that are refreshed at once. */
const maxRunning = 4
/** Actors that wait. Further ones are refreshed when they are shown again. */
const maxWaiting = 500

/** The records with the key `self` that views show. */
const selfCollections = [collections.profile, collections.status, collections.notifications, collections.germ]

export function createActorRefresh(deps: RefreshDeps): ActorRefresh {
  const { store, background, log } = deps
  const now = () => deps.now().getTime()
  const waiting = new Set<string>()
  let running = 0

  function limits() {
    const at = now()
    return { refreshedSince: at - day, triedSince: at - retryMs }
  }

  function add(dids: Iterable<string>): void {
    for (const did of dids) if (waiting.size < maxWaiting) waiting.add(did)
    for (; running < Math.min(maxRunning, waiting.size + running); running++) {
      background.run('refresh of actors', work)
    }
  }

  /** Refreshes actors until none waits. */
  async function work(): Promise<void> {
    try {
      for (const did of waiting) {
        waiting.delete(did)
        if (deps.signal.aborted) return
        // It may have been added again while it was refreshed.
        if (remoteActors.outdatedDids(store, [did], limits()).length === 0) continue
        await store.transact((tx) => remoteActors.setTried(tx, did, now()))
        await refresh(deps, did).catch((error: unknown) => {
          const level = isOfOthers(error) ? 'debug' : 'error'
          log[level]({ err: error, did }, 'refresh of an actor failed')
        })
      }
    } finally {
      running--
    }
  }

  deps.actors.onRefreshRequest((dids) => {
    if (deps.isOn()) add(remoteActors.outdatedDids(store, [...dids], limits()))
  })

  return {
    refreshSoon(ids) {
      if (deps.isOn()) add(remoteActors.outdated(store, [...ids], limits()))
    },
  }
}

/** Whether another server has caused an error. */
export function isOfOthers(error: unknown): boolean {
  const kinds = [UnresolvableDid, OutboundFailed, OutboundRefused, InvalidProof, XrpcError]
  return kinds.some((kind) => error instanceof kind)
}

/** @throws UnresolvableDid, OutboundFailed, OutboundRefused, InvalidProof, XrpcError */
async function refresh(deps: RefreshDeps, did: string): Promise<void> {
  const { store, actors, intake, statusClaims, now } = deps
  const { host } = await actors.identify(did)
  // It may have been read before something here referred to it.
  await store.transact((tx) => actors.keep(tx, did))
  const isActive = await statusClaims.ask(did, host).then(
    async (status) => {
      await intake.setStatus(did, status)
      return status === undefined
    },
    (error: unknown) => {
      // Not every server has the method.
      if (error instanceof XrpcError) return true
      throw error
    },
  )
  if (isActive) await intake.apply(host, await selfRecords(deps, did as DidString), { notify: false })
  await store.transact((tx) => remoteActors.setRefreshed(tx, did, now().getTime()))
}

/** Fetches the records that views show, and finds deletions of stored ones. */
async function selfRecords(
  { store, names, fetchRecord }: RefreshDeps,
  did: DidString,
): Promise<RemoteChange[]> {
  const rkey = 'self' as RecordKeyString
  const changes: RemoteChange[] = []
  for (const nsid of selfCollections) {
    const collection = names.stored(nsid)
    const change = await fetchRecord(did, collection, rkey)
    if (change.content || isStored(store, { did, collection, rkey })) changes.push(change)
  }
  return changes
}
