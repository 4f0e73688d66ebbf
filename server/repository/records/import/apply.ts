/**
 * Applies a verified archive to the repository of an account: stores the differences, and publishes them by one commit.
 * Each step takes many short transactions; `tables/imports.ts` has the states that a crash can leave.
 */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import type { Platform } from '../../../platform/platform.ts'
import { protocolError } from '../../../platform/xrpc/xrpc-errors.ts'
import type { Reader, Writer } from '../../../store/database.ts'
import type { Files } from '../../../store/files/files.ts'
import { inSlices } from '../../../store/slices.ts'
import { statusOf } from '../../../store/tables/account-status.ts'
import * as accounts from '../../../store/tables/accounts.ts'
import * as collections from '../../../store/tables/collections.ts'
import { cidBytes, cidText } from '../../../util/cid.ts'
import { signerOf } from '../../../util/keys.ts'
import { iso } from '../../../util/time.ts'
import { requireWriter } from '../../access/writer.ts'
import { blobRefsIn } from '../../blobs/references.ts'
import type { NextTid } from '../../format/tid.ts'
import * as imports from '../../tables/imports.ts'
import * as omitted from '../../tables/omitted-records.ts'
import * as repos from '../../tables/repos.ts'
import { signCommit } from '../commit.ts'
import { linkListener } from '../link-listener.ts'
import { linksOf } from '../links.ts'
import { recordUri } from '../record-uri.ts'
import { withOwnTypes } from '../rename.ts'
import { subjectReader } from '../subjects.ts'
import { readStagedFile, type StagedEntry } from './staged-file.ts'
import type { VerifiedArchive } from './verify.ts'

interface Deps extends Pick<Platform, 'store' | 'names' | 'now'> {
  readonly files: Files
  readonly nextTid: NextTid
  /** Ends the import with an error. */
  readonly signal: AbortSignal
}

const pageSize = 500

/** Returns the account if it may be imported to. @throws InvalidRequest unless it is deactivated, and if a move has stopped its writes */
export function requireDeactivated(db: Reader, did: string): accounts.Account {
  const account = requireWriter(db, did)
  if (statusOf(account) === 'deactivated') return account
  throw protocolError(
    'InvalidRequest',
    'Only a deactivated account can import a repository. Deactivate it first.',
  )
}

/** An archive, for the account that sent it. */
export interface Applied extends VerifiedArchive {
  /** Path of the staged file. */
  readonly path: string
  /** Of the account. A later account of the same DID has another one. */
  readonly signingKeyDid: string
}

/**
 * Applies a verified archive. Call it in the queue of writes to the repository, and `finish` after it.
 * @throws InvalidRequest when the account is activated or replaced meanwhile. Call `discard` after an error
 */
export async function apply(deps: Deps, did: DidString, archive: Applied): Promise<void> {
  const { path, rev, tree, signingKeyDid } = archive
  const { store } = deps
  const head = repos.findHead(store, did)
  const { signingKey, ...account } = requireDeactivated(store, did)
  if (account.signingKeyDid !== signingKeyDid) throw interrupted()
  if (!head) throw protocolError('AccountNotFound', 'This account has no repository')
  const newRev = deps.nextTid(rev > head.rev ? rev : head.rev)
  await store.transact((tx) => imports.insert(tx, did))
  const kept = await stage(deps, { did, rev: newRev }, path)
  await stageRemovals(deps, did, kept)
  const signed = signCommit({ did, rev: newRev, tree }, signerOf(signingKey))
  await store.transact((tx) => {
    const begun = check(deps, tx, did)
    const { cid, bytes } = signed.block
    imports.insertBlock(tx, begun, { cid: cidBytes(cid), bytes, rev: newRev })
    if (!repos.advance(tx, did, head.commit, signed.head, { added: [], removed: [] })) throw interrupted()
    imports.commit(tx, begun)
  })
}

/** The import, with ids that are known to exist. */
type Begun = imports.Import & { readonly account: number; readonly staging: number }

/** Returns the import if it may go on. */
function check({ signal }: Deps, db: Reader, did: string): Begun {
  signal.throwIfAborted()
  requireDeactivated(db, did)
  const begun = imports.find(db, did)
  if (!begun || begun.account === null || begun.staging === null) throw interrupted()
  return begun as Begun
}

const interrupted = () =>
  protocolError('InvalidRequest', 'The account has changed during the import. Try again.')

/** The commit that will make an import count. */
interface NewCommit {
  readonly did: DidString
  readonly rev: string
}

/** Stores the nodes, new records, and records that the index omits. Returns the ids of records that the account has already. */
async function stage(deps: Deps, commit: NewCommit, path: string): Promise<ReadonlySet<number>> {
  const { store, files } = deps
  const { did, rev } = commit
  const kept = new Set<number>()
  const stageRecord = recordStager(deps, commit)
  for await (const entries of readStagedFile(files, path)) {
    store.assertRoom()
    let begun: Begun | undefined
    let next = 0
    await inSlices(
      store,
      (tx) => {
        const entry = entries[next]
        if (!entry || !begun) return false
        if (entry.key === '') imports.insertBlock(tx, begun, { ...entry, rev })
        else if (entry.omission) {
          omitted.insert(tx, begun.staging, { ...entry, reason: entry.omission, rev })
        } else {
          const existing = stageRecord(tx, begun, entry)
          if (existing !== undefined) kept.add(existing)
        }
        next++
        return true
      },
      (tx) => {
        begun = check(deps, tx, did)
      },
    )
  }
  return kept
}

/** Returns a function that stores a record of an archive, unless the account has it. Then it returns the id. */
function recordStager({ names, now }: Deps, { did, rev }: NewCommit) {
  const at = iso(now())
  const indexedAt = Date.parse(at)
  return (tx: Writer, { account, staging }: Begun, { key, cid, bytes }: StagedEntry): number | undefined => {
    const [name, rkey] = key.split('/') as [NsidString, RecordKeyString]
    const collection = collections.ensure(tx, name)
    const existing = imports.findRecord(tx, account, { collection, rkey })
    if (existing && Buffer.from(existing.cid).equals(cid)) return existing.id
    const content = decode(bytes) as LexMap
    const blobs = Array.from(blobRefsIn(content), (blob) => blob.cid)
    const id = imports.insertRecord(tx, staging, { collection, rkey, cid, bytes, blobs, indexedAt, rev })
    const record = withOwnTypes(content, names)
    const read = subjectReader((handle) => accounts.findByHandle(tx, handle)?.did, names)
    const kind = names.own(name)
    linkListener.recordCreated(tx, {
      id,
      did,
      collection: kind,
      rkey,
      uri: recordUri(did, name, rkey),
      cid: cidText(cid),
      bytes,
      record,
      links: linksOf(kind, record, read),
      at,
    })
    return undefined
  }
}

/** Notes the records of the account that are not kept. */
async function stageRemovals(deps: Deps, did: string, kept: ReadonlySet<number>): Promise<void> {
  let after: imports.RecordKey | undefined
  await inSlices(deps.store, (tx) => {
    const { id, account } = check(deps, tx, did)
    const page = imports.recordPage(tx, account, after, pageSize)
    after = page.at(-1)
    imports.insertRemovals(
      tx,
      id,
      page.map((record) => record.id).filter((record) => !kept.has(record)),
    )
    return page.length === pageSize
  })
}
