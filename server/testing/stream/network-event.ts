/** Converts messages of the event stream of a server to events in the form of Jetstream (version 1), one for each record. */
import { decode } from '@atproto/lex-cbor'
import type { Cid, LexValue } from '@atproto/lex-data'
import { type JsonValue, lexToJson } from '@atproto/lex-json'
import { readFrame } from '../../platform/xrpc/event-stream.ts'
import { type CarBlock, readBlocks } from '../../repository/format/read-car.ts'
import { cidKey } from '../../util/cid.ts'

/** An event of an account of the network. */
export type NetworkEvent = {
  readonly did: string
  /** Strictly increases; in microseconds since 1970. */
  readonly time_us: number
} & NetworkChange

export type NetworkChange =
  | { readonly kind: 'commit'; readonly commit: RecordCommit }
  | { readonly kind: 'identity'; readonly identity: IdentityChange }
  | { readonly kind: 'account'; readonly account: AccountChange }

/** The change of a record. */
export type RecordCommit = {
  /** Revision of the repository. */
  readonly rev: string
  readonly collection: string
  readonly rkey: string
} & (
  | {
      readonly operation: 'create' | 'update'
      readonly record: { readonly $type?: string } & Readonly<Record<string, unknown>>
      readonly cid: string
    }
  | { readonly operation: 'delete' }
)

/** A handle or key that has changed, or may have. */
export interface IdentityChange {
  readonly did: string
  readonly handle?: string
  /** Number in the event stream of the server. */
  readonly seq: number
  readonly time: string
}

/** The status of an account. */
export interface AccountChange {
  readonly active: boolean
  readonly did: string
  readonly seq: number
  /** Of an inactive account, such as `deactivated`. */
  readonly status?: string
  readonly time: string
}

/** An event before it has its `time_us`. */
export interface Change {
  readonly did: string
  /** When it happened, in milliseconds since 1970. */
  readonly at: number
  readonly change: NetworkChange
}

interface CommitPayload {
  readonly repo: string
  readonly rev: string
  readonly ops: readonly {
    readonly action: 'create' | 'update' | 'delete'
    readonly path: string
    readonly cid: Cid | null
  }[]
  readonly blocks: Uint8Array
}

/** Reads the changes in a message that a server of this program has written; none for `#sync`, which Jetstream leaves out. */
export async function changesIn(frame: Uint8Array): Promise<Change[]> {
  const { header, payload } = readFrame(frame)
  const at = Date.parse(String(payload.time))
  switch (header.t) {
    case '#commit': {
      const { repo, ...commit } = payload as unknown as CommitPayload
      const commits = await recordCommits(commit)
      return commits.map((each) => ({ did: repo, at, change: { kind: 'commit', commit: each } }))
    }
    case '#identity': {
      const identity = payload as unknown as IdentityChange
      return [{ did: identity.did, at, change: { kind: 'identity', identity } }]
    }
    case '#account': {
      const account = payload as unknown as AccountChange
      return [{ did: account.did, at, change: { kind: 'account', account } }]
    }
    default:
      return []
  }
}

async function recordCommits({
  rev,
  ops,
  blocks: car,
}: Omit<CommitPayload, 'repo'>): Promise<RecordCommit[]> {
  const blocks = await readBlocks(Buffer.from(car.buffer, car.byteOffset, car.length))
  return ops.map(({ action, path, cid }) => {
    const [collection = '', rkey = ''] = path.split('/')
    if (action === 'delete' || !cid) return { rev, operation: 'delete', collection, rkey }
    const record = recordOf(blocks.get(cidKey(cid.bytes)))
    return { rev, operation: action, collection, rkey, record, cid: cid.toString() }
  })
}

function recordOf(block: CarBlock | undefined): { readonly [member: string]: JsonValue } {
  if (!block) throw new Error('A commit lacks a block of its records')
  return lexToJson(decode<LexValue>(block.bytes)) as { readonly [member: string]: JsonValue }
}
