/**
 * Reads single records of actors of other servers for accounts here: a stored one, else the one of the author's server, else the one that
 * the app view has. Nothing is stored.
 */
import {
  type AtUriString,
  type DidString,
  isAtUriString,
  isValidDid,
  type NsidString,
  type RecordKeyString,
} from '@atproto/syntax'
import type { Config } from '../../platform/config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import { decodeMap } from '../../repository/format/decode-map.ts'
import { isReadable } from '../../repository/records/import/verify.ts'
import { recordUri } from '../../repository/records/record-uri.ts'
import { recordJson, recordView } from '../../repository/records/record-view.ts'
import * as records from '../../repository/tables/records.ts'
import { isObject } from '../../util/json.ts'
import type { Requester } from '../../util/requester.ts'
import { createSharedLookup, TooManyLookups } from '../../util/shared-lookup.ts'
import type { FindHandle } from '../actors/find-handle.ts'
import { isOfOthers } from '../actors/refresh.ts'
import { actorOfHandle } from '../tables/graph.ts'
import { isInactive } from '../tables/remote-repositories.ts'
import type { FetchRecord } from './fetch-record.ts'
import type { Hosts } from './hosts.ts'

export interface RequestedRecord {
  /** Handle or DID of an actor without an account here. */
  readonly repo: string
  /** The collection under its stored name. */
  readonly collection: NsidString
  readonly rkey: RecordKeyString
  /** Undefined: any version. */
  readonly cid: string | undefined
}

export type RecordView = ReturnType<typeof recordView>

/** Returns a record; undefined if it is missing, or all servers fail. @param requester if undefined, only the store is read */
export type ReadRecord = (
  record: RequestedRecord,
  requester: Requester | undefined,
) => Promise<RecordView | undefined>

interface Deps extends Pick<Platform, 'store' | 'log' | 'now'> {
  readonly config: Pick<Config, 'appViewUrl'>
  readonly findHandle: FindHandle
  readonly fetchRecord: FetchRecord
  readonly hosts: Hosts
  /** Whether records of other servers are received: otherwise no server of an author is asked for anything. */
  readonly isOn: () => boolean
  /** Called when a look-up is refused because its requester has too many under way. */
  readonly onRefused?: (() => void) | undefined
}

/** Records that are read at once. Further ones are not found. */
const places = { perRequester: 4, perKind: 16 }
/** Milliseconds in which the app view must answer. */
const timeoutMs = 10_000

export function createReadRecord(deps: Deps): ReadRecord {
  const { store, log } = deps
  const reads = createSharedLookup<RecordView | undefined>({
    now: deps.now,
    places,
    onRefused: deps.onRefused,
  })

  /** Returns the first record that is found. Errors of other servers count as none. */
  async function firstOf(
    record: RequestedRecord,
    ...sources: readonly (() => Promise<RecordView | undefined>)[]
  ): Promise<RecordView | undefined> {
    for (const source of sources) {
      const found = await source().catch((error: unknown) => {
        if (!isOfOthers(error)) throw error
        log.debug({ err: error, ...record }, 'record not found')
        return undefined
      })
      if (found && (record.cid === undefined || record.cid === found.cid)) return found
    }
    return undefined
  }

  return async (record, requester) => {
    const { repo, collection, rkey, cid } = record
    const known = isValidDid(repo) ? repo : actorOfHandle(store, repo.toLowerCase())?.did
    if (known !== undefined && isInactive(store, known)) return undefined
    const stored = known && records.find(store, known, collection, rkey)
    if (stored && (cid === undefined || cid === stored.cid)) return recordView(stored)
    if (!requester) return undefined
    const key = `${repo} ${collection} ${rkey} ${cid ?? ''}`
    const read = () =>
      firstOf(
        record,
        () => fromAuthor(deps, record, known, requester),
        () => fromAppView(deps, record),
      )
    return reads.get(key, read, { requester }).catch((error: unknown) => {
      if (error instanceof TooManyLookups) return undefined
      throw error
    })
  }
}

async function fromAuthor(
  { isOn, findHandle, fetchRecord }: Deps,
  { repo, collection, rkey }: RequestedRecord,
  known: DidString | undefined,
  requester: Requester,
): Promise<RecordView | undefined> {
  if (!isOn()) return undefined
  const did = known ?? (await findHandle(repo.toLowerCase(), requester))
  const content = did && (await fetchRecord(did, collection, rkey)).content
  const map = content && decodeMap(content.bytes)
  if (!map || !isReadable(map)) return undefined
  return { uri: recordUri(did, collection, rkey), cid: content.cid, value: recordJson(content.bytes) }
}

async function fromAppView(
  { config: { appViewUrl }, hosts }: Deps,
  { repo, collection, rkey, cid }: RequestedRecord,
): Promise<RecordView | undefined> {
  if (appViewUrl === undefined) return undefined
  const query = new URLSearchParams({ repo, collection, rkey, ...(cid !== undefined && { cid }) }).toString()
  const found = await hosts.at(appViewUrl).get('com.core.repo.getRecord', { query, timeoutMs })
  const isMeant = typeof found.uri === 'string' && found.uri.endsWith(`/${collection}/${rkey}`)
  if (!isMeant || !isAtUriString(found.uri as string)) return undefined
  if (typeof found.cid !== 'string' || !isObject(found.value)) return undefined
  return { uri: found.uri as AtUriString, cid: found.cid, value: found.value as RecordView['value'] }
}
