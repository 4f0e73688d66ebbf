/**
 * Verifies every repository of a store as a reader of its export would: the signature of the commit, the hash of each node and
 * record, and that the tables of records contain exactly the records of the tree.
 */
import { hash } from 'node:crypto'
import { decode, encode } from '@atproto/lex-cbor'
import { ifCid, type LexMap } from '@atproto/lex-data'
import { itemsOf, splitKey } from '../../repository/format/tree-node.ts'
import * as imports from '../../repository/tables/imports.ts'
import * as omitted from '../../repository/tables/omitted-records.ts'
import * as records from '../../repository/tables/records.ts'
import * as repos from '../../repository/tables/repos.ts'
import type { Reader } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { cidBytes } from '../../util/cid.ts'
import { isSignedBy, loadSigningKey } from '../../util/keys.ts'
import { yieldToEventLoop } from '../../util/timers.ts'

/** Why a repository cannot be served. */
class Damage extends Error {}

const accountsPerPage = 100
/** Nodes that are verified before the event loop continues. */
const nodesPerSlice = 50

/** Returns a sentence on each repository that is damaged. */
export async function damagedRepositories(db: Reader): Promise<string[]> {
  const found: string[] = []
  for (let after: accounts.Account | undefined; ; ) {
    const page = accounts.page(db, after, accountsPerPage)
    for (const account of page) {
      // The next start of the server completes or undoes an import.
      if (imports.find(db, account.did)) continue
      const damage = await damageOf(db, account)
      if (damage !== undefined) found.push(`The repository of ${account.handle} is damaged: ${damage}.`)
    }
    after = page.at(-1)
    if (!after) return found
  }
}

async function damageOf(db: Reader, account: accounts.Account): Promise<string | undefined> {
  try {
    await verifyCommit(db, account)
    await verifyTree(db, account.did)
    return undefined
  } catch (error) {
    if (error instanceof Damage) return error.message
    throw error
  }
}

async function verifyCommit(db: Reader, { did, signingKey, signingKeyDid }: accounts.Account): Promise<void> {
  const head = repos.findHead(db, did)
  if (!head) throw new Damage('its commit is missing')
  const { sig, ...unsigned } = decode(blockOf(db, did, head.commit)) as LexMap
  const isHead =
    unsigned.did === did && unsigned.rev === head.rev && ifCid(unsigned.data)?.toString() === head.tree
  if (!isHead) throw new Damage('its commit is not the latest one')
  const isSigned = sig instanceof Uint8Array && (await isSignedBy(signingKeyDid, encode(unsigned), sig))
  if (!isSigned) throw new Damage('its commit is not signed by the account')
  const key = await loadSigningKey(signingKey).catch(() => undefined)
  if (key?.did !== signingKeyDid) throw new Damage('its signing key is damaged')
}

async function verifyTree(db: Reader, did: string): Promise<void> {
  const { tree = '' } = repos.findHead(db, did) ?? {}
  let count = 0
  let last = ''
  let nodes = 0
  for (const { key, cid } of leavesOf(db, did, tree, () => nodes++)) {
    if (key <= last) throw new Damage('its keys are not in order')
    last = key
    count++
    const record = omitted.findInTree(db, did, splitKey(key))
    if (record?.cid !== cid) throw new Damage(`the record ${key} is missing`)
    if (!matches(record.bytes, cid)) throw new Damage(`the record ${key} was changed`)
    if (nodes >= nodesPerSlice) {
      nodes = 0
      await yieldToEventLoop()
    }
  }
  const stored = records.countRows(db, did) + omitted.count(db, did)
  if (stored !== count) throw new Damage(`${stored - count} records do not belong to its tree`)
}

/** Yields the keys of a tree with the CIDs of their records. */
function* leavesOf(
  db: Reader,
  did: string,
  cid: string,
  onNode: () => void,
): Generator<{ key: string; cid: string }> {
  onNode()
  for (const item of itemsOf(blockOf(db, did, cid))) {
    if (item.key === undefined) yield* leavesOf(db, did, item.node, onNode)
    else yield { key: item.key, cid: item.record }
  }
}

function blockOf(db: Reader, did: string, cid: string): Uint8Array {
  const bytes = repos.findBlock(db, did, cid)
  if (!bytes) throw new Damage(`the block ${cid} is missing`)
  if (!matches(bytes, cid)) throw new Damage(`the block ${cid} was changed`)
  return bytes
}

/** Whether the SHA-256 of a block is the one in its CID. */
function matches(bytes: Uint8Array, cid: string): boolean {
  return hash('sha256', bytes, 'buffer').equals(cidBytes(cid).subarray(-32))
}
