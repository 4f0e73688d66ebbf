/**
 * The steps of a move. Each can be repeated, so that a move goes on after a failure or a restart. Each returns the changes to the
 * row of the move: the next step, or the action that its owner must take first.
 *
 * Once the operation is signed, the first steps run again and copy the changes. When an account leaves this server, its
 * writes are refused from then on, so that copy is complete. Another server goes on to accept writes: its revision is compared
 * before the operation is submitted, before the activation and before the deactivation.
 *
 * Read this first. `side.ts` is one interface for both servers, `moves.ts` the durable job, `start-in.ts` and `start-out.ts` the start
 * of a move.
 */
import { pdsEndpointOf } from '../../identity/did/did-document.ts'
import type { ResolveDid } from '../../identity/did/resolver.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Move, MoveChanges, StepName } from '../../repository/tables/moves.ts'
import { isString } from '../../util/json.ts'
import type { SigningKey } from '../../util/keys.ts'
import type { Logger } from '../../util/log.ts'
import type { MissingFile } from '../tables/missing-media.ts'
import { copyMedia, type MediaProgress } from './media.ts'
import { type OperationDeps, signWithCode, signWithKey } from './moved-identity.ts'
import type { Json, Side } from './side.ts'

export interface StepContext {
  readonly move: Move
  /** The server that the account leaves. */
  readonly source: Side
  /** The server that it moves to. */
  readonly target: Side
  readonly plcUrl: string | undefined
  readonly resolveDid: ResolveDid
  readonly log: Logger
  readonly signal: AbortSignal
  readonly progress: MediaProgress
  /** Stores changes at once. */
  readonly update: (changes: MoveChanges) => Promise<void>
  /** Stores which files could not be copied. Returns how many of them still need the owner's consent to be left behind. */
  readonly storeMissing: (files: readonly MissingFile[]) => Promise<number>
  /** Signs the operation without a mailed code; undefined if the owner must enter one. */
  readonly signer: SigningKey | undefined
  /** False for an account of this server without an email address: its owner gets the code by `createCode`. */
  readonly mailsCode: boolean
  readonly at: number
}

type Step = (context: StepContext) => Promise<MoveChanges>

/** A repository that changes meanwhile is copied so often before its owner is asked to stop writing. */
const maxCopies = 3
const status = 'com.core.server.checkAccountStatus'

export const stepTable: { readonly [Name in Exclude<StepName, 'done'>]: Step } = {
  async repository({ move, source, target }) {
    const { did } = move
    const rev = await latestRev(source, did)
    if (rev !== null && rev === move.rev) return { step: 'media' }
    const before = await target.get(status)
    if (before.activated === true) {
      if (before.repoRev !== move.copiedRev)
        return { step: 'deactivation', need: 'copy', error: writtenThere }
      await target.post('com.core.server.deactivateAccount', {})
    }
    await target.upload('com.core.repo.importRepo', await source.download('com.core.sync.getRepo', { did }))
    const { repoRev } = await target.get(status)
    return { step: 'media', rev, copies: move.copies + 1, copiedRev: isString(repoRev) ? repoRev : null }
  },

  async media({ move, source, target, progress, storeMissing }) {
    const missing = await copyMedia({ source, target }, move.did, progress)
    if ((await storeMissing(missing)) === 0) return { step: 'preferences' }
    // The owner may want to upload a file again, or to delete the record that refers to it.
    return { need: 'media', ...(move.identityChanged === 0 && { writesStopped: 0 }) }
  },

  async preferences({ move: { did }, source, target, log }) {
    try {
      const { preferences } = await source.get('app.example.actor.getPreferences')
      if (Array.isArray(preferences)) await target.post('app.example.actor.putPreferences', { preferences })
    } catch (error) {
      // Not every server keeps preferences.
      if (!isFinal(error)) throw error
      log.warn({ err: error, did }, 'preferences were not copied')
    }
    return { step: 'identity' }
  },

  async identity(context) {
    const { move, source, target, update } = context
    if (await namesTarget(context)) {
      return { step: 'activation', ...(await lastCopy(context)), identityChanged: 1 }
    }
    if (!move.did.startsWith('did:plc:')) {
      const credentials = await target.get('com.core.identity.getRecommendedDidCredentials')
      return { need: 'document', credentials: JSON.stringify(credentials) }
    }
    if (move.operation === null) {
      if (context.signer) return signed(move, await signWithKey(operationDeps(context), context.signer))
      if (context.mailsCode) await source.post('com.core.identity.requestPlcOperationSignature')
      return { need: 'code' }
    }
    const changes = await lastCopy(context)
    if (changes) return changes
    await update({ identityChanged: 1 })
    try {
      await target.post('com.core.identity.submitPlcOperation', { operation: JSON.parse(move.operation) })
    } catch (error) {
      // Another operation came first: this one can never be accepted.
      if (error instanceof XrpcError && error.status === 400) {
        await update({ operation: null, identityChanged: 0, writesStopped: 0 })
      }
      throw error
    }
    return { step: 'activation' }
  },

  async activation(context) {
    const { target } = context
    const changes = await lastCopy(context)
    // Later, the identity does not wait: the old account is compared once more before it is deactivated.
    if (changes?.step && (await target.get(status)).activated !== true) return changes
    await target.post('com.core.server.activateAccount')
    return { step: 'deactivation' }
  },

  async deactivation({ move, source, at }) {
    if (move.direction === 'in' && move.withoutLater === 0) {
      const rev = await latestRev(source, move.did)
      if (rev !== null && rev !== move.rev) return { need: 'copy' }
    }
    const error = await source.post('com.core.server.deactivateAccount', {}).then(
      () => null,
      (reason: unknown) => {
        if (!isFinal(reason)) throw reason
        return `The old account could not be deactivated. ${reason.message}`
      },
    )
    return { ...ended(at), step: 'done', error }
  },
}

const writtenThere =
  'Records were written at the new server since the account is active there. Another copy would delete them.'

/** Returns the changes that have the account copied for the last time; undefined if the new server has everything. */
async function lastCopy({ move, source }: StepContext): Promise<MoveChanges | undefined> {
  // Writes stop first: the next comparison finds all earlier writes.
  if (move.direction === 'out' && move.writesStopped === 0) return { writesStopped: 1, step: 'repository' }
  if ((await latestRev(source, move.did)) === move.rev) return undefined
  return move.copies < maxCopies ? { step: 'repository' } : { need: 'copy' }
}

/** Whether a server refused, and will refuse again. */
export function isFinal(error: unknown): error is XrpcError {
  return error instanceof XrpcError && (error.status < 500 || error.status === 501) && error.status !== 429
}

/** Changes that end a move: the session at the other server is removed. */
export function ended(at: number): MoveChanges {
  const session = { accessJwt: null, refreshJwt: null }
  return { ...session, operation: null, credentials: null, need: null, writesStopped: 0, endedAt: at }
}

/** Signs the operation with a mailed code. @throws XrpcError of the old server, such as for a wrong code */
export async function enterCode(context: StepContext, code: string): Promise<MoveChanges> {
  return signed(context.move, await signWithCode(operationDeps(context), code))
}

/** Copies the writes since the first copy, before the operation is submitted. */
function signed({ direction }: Move, operation: unknown): MoveChanges {
  const writesStopped = Number(direction === 'out')
  return { operation: JSON.stringify(operation), need: null, step: 'repository', writesStopped }
}

function operationDeps(context: StepContext): OperationDeps {
  return { ...context, did: context.move.did }
}

/** Whether the DID names the new server already. */
async function namesTarget({ move, target, resolveDid, signal }: StepContext): Promise<boolean> {
  const document = await resolveDid(move.did, { maxAgeMs: 0, signal })
  return pdsEndpointOf(document) === target.origin
}

/** Returns the revision of a repository; null if the server does not say. */
async function latestRev(source: Side, did: string): Promise<string | null> {
  const { rev }: Json = await source.get('com.core.sync.getLatestCommit', { did }).catch((error: unknown) => {
    if (isFinal(error)) return {}
    throw error
  })
  return isString(rev) ? rev : null
}
