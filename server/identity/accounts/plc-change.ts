/**
 * Changes to did:plc identities that an account asks for: its handle, its rotation keys, operations of its own.
 *
 * A directory that has the identity comes first: nothing changes here until it has the operation. A change under way is a row, so
 * that after a crash or a lost response the log of the directory decides.
 */
import type { HandleString } from '@atproto/syntax'
import { OutboundFailed } from '../../platform/network/client.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { emitIdentity } from '../../repository/events/emit.ts'
import type { Reader, Writer } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import * as unactivated from '../../store/tables/unactivated.ts'
import type { DidKey } from '../../util/keys.ts'
import { iso } from '../../util/time.ts'
import {
  createUpdate,
  endpointIn,
  InvalidPlcOperation,
  type PlcChanges,
  type PlcOperation,
  verifySuccessor,
} from '../did/did-plc.ts'
import { hasOperation, lastOperation, PlcRefused, submitOperation } from '../did/plc-directory.ts'
import * as plcChanges from '../tables/plc-changes.ts'
import { appendToChain, endOfChain, isUnpublished } from './plc-chain.ts'
import { type PlcDeps, publishAccount, refreshDocument } from './plc-publish.ts'
import { activateBy } from './unactivated.ts'

export interface IdentityChange {
  /** The new handle. */
  readonly handle?: HandleString
  /** Returns the new rotation keys, in order of strength. */
  readonly rotationKeys?: (keys: readonly DidKey[]) => readonly DidKey[]
  /** Runs in the transaction that begins the change, and throws to refuse it. */
  readonly check?: (tx: Reader) => void
}

/** @throws OutboundFailed, XrpcError `InvalidRequest` */
export async function changeIdentity(deps: PlcDeps, did: string, change: IdentityChange): Promise<void> {
  const { config, store, plcOrigin: origin, secrets } = deps
  await settleChange(deps, did)
  const account = requireAccount(store, did)
  if (isUnpublished(account) || config.plcUrl === undefined) {
    return store.transact((tx) => changeHere(deps, tx, did, change))
  }
  const last = await currentOperation(deps, account)
  const edits = editsOf(last, { ...account, origin }, change)
  const handle = change.handle === account.handle ? null : (change.handle ?? null)
  if (!edits && handle === null) {
    if (change.handle !== undefined) await store.transact((tx) => reportAgain(deps, tx, did))
    return
  }
  if (edits && !last.rotationKeys.includes(secrets.rotationKey.did)) {
    throw protocolError(
      'InvalidRequest',
      'The rotation keys of the DID do not include the one of this server. Change the DID with a key of your own first.',
    )
  }
  const operation = edits ? createUpdate(last, edits, secrets.rotationKey) : last
  await publishChange(deps, config.plcUrl, { did, operation, handle, check: change.check })
}

/** Publishes an operation that an account has signed, or had signed. @throws OutboundFailed, XrpcError `InvalidRequest` */
export async function submitOwn(deps: PlcDeps, did: string, operation: PlcOperation): Promise<void> {
  const { config, store, now } = deps
  await settleChange(deps, did)
  const account = await publishedAccount(deps, did)
  if (config.plcUrl === undefined) {
    if (!isUnpublished(account)) throw noDirectory()
    await verifySuccessor(operation, endOfChain(store, account)).catch(invalidRequest)
    return store.transact((tx) => {
      requireAccount(tx, did)
      appendToChain(tx, did, operation, now())
      emitIdentity(tx, did, now())
    })
  }
  await publishChange(deps, config.plcUrl, { did, operation, handle: null }).catch((error: unknown) => {
    throw error instanceof PlcRefused && isFault(error.status)
      ? protocolError('InvalidRequest', error.message)
      : error
  })
}

interface PublishedChange {
  readonly did: string
  readonly operation: PlcOperation
  /** The handle to set; null: it stays. */
  readonly handle: HandleString | null
  readonly check?: IdentityChange['check']
}

/** Submits an operation and then applies it here. If the directory refuses it, nothing changes. */
async function publishChange(
  deps: PlcDeps,
  plcUrl: string,
  { did, operation, handle, check }: PublishedChange,
): Promise<void> {
  const { store, signal, now } = deps
  await store.transact((tx) => {
    check?.(tx)
    plcChanges.insert(tx, did, { operation: JSON.stringify(operation), handle })
    unactivated.extend(tx, did, activateBy(now()))
  })
  await submitOperation(plcUrl, did, operation, { signal }).catch(async (error: unknown) => {
    // Otherwise the directory may have it: a later call or the periodic job finds out.
    if (error instanceof PlcRefused) await store.transact((tx) => plcChanges.remove(tx, did))
    throw error
  })
  await store.transact((tx) => finishChange(deps, tx, did))
  await refreshDocument(deps, did)
}

/** Whether the status means an invalid operation, rather than a directory that takes none now. */
function isFault(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

/** Finishes a change that was interrupted if the directory has its operation; otherwise drops it. @throws OutboundFailed */
export async function settleChange(deps: PlcDeps, did: string): Promise<void> {
  const { config, store, signal } = deps
  const change = plcChanges.find(store, did)
  if (!change) return
  const isPublished =
    config.plcUrl !== undefined &&
    (await hasOperation(config.plcUrl, did, JSON.parse(change.operation), { signal }))
  await store.transact((tx) => (isPublished ? finishChange(deps, tx, did) : plcChanges.remove(tx, did)))
}

/** Applies a change whose operation the directory has. */
function finishChange({ plcOrigin: endpoint, now }: PlcDeps, tx: Writer, did: string): void {
  const change = plcChanges.find(tx, did)
  const account = accounts.findByDid(tx, did)
  // The account may have been deleted meanwhile.
  if (!change || !account) return
  if (change.handle !== null) accounts.setHandle(tx, did, change.handle)
  // The operation takes the place of one that an imported account came with.
  if (account.plcOperation !== null) accounts.setPlcSubmitted(tx, did, iso(now()))
  accounts.setPublished(tx, did, { handle: change.handle ?? account.handle, endpoint })
  plcChanges.remove(tx, did)
  emitIdentity(tx, did, now())
}

/** Changes an unpublished identity, or the handle alone while no directory is configured. */
function changeHere(deps: PlcDeps, tx: Writer, did: string, change: IdentityChange): void {
  const { plcOrigin: origin, secrets, now } = deps
  change.check?.(tx)
  const account = requireAccount(tx, did)
  const isRenamed = change.handle !== undefined && change.handle !== account.handle
  let edits: PlcChanges | undefined
  if (isUnpublished(account)) {
    const last = endOfChain(tx, account)
    edits = editsOf(last, { ...account, origin, plcEndpoint: endpointIn(last) ?? null }, change)
    if (edits) appendToChain(tx, did, createUpdate(last, edits, secrets.rotationKey), now())
  } else if (change.rotationKeys) {
    throw noDirectory()
  }
  if (isRenamed) accounts.setHandle(tx, did, change.handle)
  if (edits || change.handle !== undefined) emitIdentity(tx, did, now())
}

/** Reports an identity that stays as it is: people set their own handle again to have relays look it up. */
function reportAgain({ now }: PlcDeps, tx: Writer, did: string): void {
  if (accounts.findByDid(tx, did)) emitIdentity(tx, did, now())
}

type Names = Pick<accounts.Account, 'handle' | 'plcHandle' | 'plcEndpoint'> & { readonly origin: string }

/** Returns the members that an operation after `last` changes; undefined if there are none. */
function editsOf(last: PlcOperation, names: Names, change: IdentityChange): PlcChanges | undefined {
  const endpoint = endpointIn(last)
  if (endpoint !== names.origin && endpoint !== names.plcEndpoint) {
    throw protocolError('InvalidRequest', `The DID names another server: ${endpoint ?? 'none'}`)
  }
  const { rotationKeys, alsoKnownAs, services } = last
  const next = {
    rotationKeys: [...(change.rotationKeys?.(rotationKeys) ?? rotationKeys)],
    alsoKnownAs: change.handle === undefined ? alsoKnownAs : withHandle(alsoKnownAs, names, change.handle),
    services: {
      ...services,
      atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: names.origin },
    },
  }
  const isSame =
    endpoint === names.origin &&
    next.rotationKeys.join() === rotationKeys.join() &&
    next.alsoKnownAs.join() === alsoKnownAs.join()
  return isSame ? undefined : next
}

/** Replaces the previous handle of the account, else the first handle of the identity. */
function withHandle(names: readonly string[], { handle, plcHandle }: Names, next: string): string[] {
  const previous = [`at://${plcHandle}`, `at://${handle}`].find((name) => names.includes(name))
  const replaced = previous ?? names.find((name) => name.startsWith('at://'))
  const rest = names.filter((name) => name !== replaced && name !== `at://${next}`)
  const index = replaced === undefined ? 0 : names.indexOf(replaced)
  return rest.toSpliced(Math.min(index, rest.length), 0, `at://${next}`)
}

/** Returns the current state of an identity. @throws OutboundFailed, XrpcError `InvalidRequest` */
export async function currentOperation(deps: PlcDeps, account: accounts.Account): Promise<PlcOperation> {
  const { config, store, signal } = deps
  if (isUnpublished(account)) return endOfChain(store, account)
  if (config.plcUrl === undefined) throw noDirectory()
  const last = await lastOperation(config.plcUrl, account.did, { signal })
  if (!last) throw new OutboundFailed('The did:plc directory has no operation of the DID')
  return last
}

/** As `currentOperation`, after the pending operations are published. */
export async function publishedOperation(deps: PlcDeps, did: string): Promise<PlcOperation> {
  return currentOperation(deps, await publishedAccount(deps, did))
}

/** Publishes the identity of an account if a directory is configured that does not have it. @throws OutboundFailed */
async function publishedAccount(deps: PlcDeps, did: string): Promise<accounts.Account> {
  // The operation that an imported account came with waits for its activation.
  if (isUnpublished(requireAccount(deps.store, did))) await publishAccount(deps, did)
  return requireAccount(deps.store, did)
}

function requireAccount(db: Reader, did: string): accounts.Account {
  const account = accounts.findByDid(db, did)
  if (!account) throw protocolError('AccountNotFound')
  if (!did.startsWith('did:plc:')) {
    throw protocolError(
      'InvalidRequest',
      'This account does not have a did:plc. Change its DID document instead.',
    )
  }
  return account
}

function invalidRequest(error: unknown): never {
  throw error instanceof InvalidPlcOperation ? protocolError('InvalidRequest', error.message) : error
}

const noDirectory = () =>
  protocolError('InvalidRequest', 'The DID is published, but this server has no did:plc directory configured')
