/** Fetches records of remote actors from their hosts, with proofs. */
import { buffer } from 'node:stream/consumers'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { InvalidProof, verifyCommit } from '../../repository/format/verify-commit.ts'
import * as records from '../../repository/tables/records.ts'
import type { Reader } from '../../store/database.ts'
import { createLimit } from '../../util/limit.ts'
import { createSharedLookup } from '../../util/shared-lookup.ts'
import { systemTime } from '../../util/timers.ts'
import type { RemoteChange } from './change.ts'
import type { Hosts } from './hosts.ts'
import { type Identify, type Origin, withOrigin } from './repository-origin.ts'

/**
 * Fetches the latest version of a record. `content` is undefined if the tree of its author
 * proves that there is none. Concurrent calls for one record share a request.
 * @throws UnresolvableDid, OutboundFailed, OutboundRefused, InvalidProof
 */
export type FetchRecord = (
  did: DidString,
  collection: NsidString,
  rkey: RecordKeyString,
) => Promise<RemoteChange>

interface Deps {
  readonly store: Reader
  readonly actors: { readonly identify: Identify }
  readonly hosts: Hosts
  /** Replaces the time limit of a request; tests use a lower one. */
  readonly timeoutMs?: number
}

/** A record may have 1 MiB; the nodes of its proof have a few kilobytes. */
const maxBytes = 1_100_000
/** Milliseconds in which a host must have sent a proof. */
const defaultTimeoutMs = 20_000
export function createFetchRecord(deps: Deps): FetchRecord {
  const { store } = deps
  const limit = createLimit({ total: 8, perKey: 2 })
  const fetches = createSharedLookup<RemoteChange>({ now: systemTime })

  async function run(did: DidString, collection: NsidString, rkey: RecordKeyString): Promise<RemoteChange> {
    const change = await withOrigin(deps.actors.identify, did, (origin) =>
      limit(origin.host, () => fetchProven(deps, origin, { did, collection, rkey })),
    )
    const stored = records.findDated(store, did, collection, rkey)?.rev
    if (stored && stored > change.rev) {
      throw new InvalidProof(`The host of ${did} answered with an older revision than the stored one`)
    }
    return change
  }

  return (did, collection, rkey) => {
    const key = `${did}/${collection}/${rkey}`
    return fetches.get(key, () => run(did, collection, rkey))
  }
}

async function fetchProven(
  { hosts, timeoutMs = defaultTimeoutMs }: Deps,
  { host, signingKey }: Origin,
  { did, collection, rkey }: { did: DidString; collection: NsidString; rkey: RecordKeyString },
): Promise<RemoteChange> {
  const query = new URLSearchParams({ did, collection, rkey }).toString()
  const { body } = await hosts.at(host).download('com.core.sync.getRecord', maxBytes, { query, timeoutMs })
  const commit = await verifyCommit(await buffer(body), { did, signingKey })
  return { did, collection, rkey, rev: commit.rev, content: commit.record(`${collection}/${rkey}`) }
}
