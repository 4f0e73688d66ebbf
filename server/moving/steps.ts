/**
 * The steps of a move. Each can be repeated, so that a move goes on after a failure or a restart. Returns what changes in the
 * row of the move: the next step, or what its owner must do first.
 */
import { pdsEndpointOf } from '../identity/did-document.ts'
import { isString } from '../identity/json.ts'
import type { SigningKey } from '../identity/keys.ts'
import type { ResolveDid } from '../identity/resolver.ts'
import type { Move, MoveChanges, StepName } from '../store/tables/moves.ts'
import type { Logger } from '../util/log.ts'
import { XrpcError } from '../xrpc/errors.ts'
import { type OperationDeps, signWithCode, signWithKey } from './identity.ts'
import { copyMedia, type MediaProgress } from './media.ts'
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
  /** Signs the operation without a mailed code; undefined if the owner must enter one. */
  readonly signer: SigningKey | undefined
  readonly at: number
}

type Step = (context: StepContext) => Promise<MoveChanges>

/** A repository that changes meanwhile is copied again, at most so often. */
const maxCopies = 3

export const stepTable: { readonly [Name in Exclude<StepName, 'done'>]: Step } = {
  async repository({ move: { did, copies }, source, target }) {
    const rev = await latestRev(source, did)
    await target.upload('com.core.repo.importRepo', await source.download('com.core.sync.getRepo', { did }))
    return { step: 'media', rev, copies: copies + 1, blobsMissing: 0 }
  },

  async media({ move: { did }, source, target, progress }) {
    await copyMedia({ source, target }, did, progress)
    return { step: 'preferences' }
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
    if (await namesTarget(context)) return { step: 'activation' }
    if (!move.did.startsWith('did:plc:')) {
      const credentials = await target.get('com.core.identity.getRecommendedDidCredentials')
      return { need: 'document', credentials: JSON.stringify(credentials) }
    }
    if (move.operation === null) {
      if (context.signer) return signed(await signWithKey(operationDeps(context), context.signer))
      await source.post('com.core.identity.requestPlcOperationSignature')
      return { need: 'code' }
    }
    // What was written since the copy would be lost.
    const isOld = move.copies < maxCopies && (await latestRev(source, move.did)) !== move.rev
    if (isOld) return { step: 'repository' }
    try {
      await target.post('com.core.identity.submitPlcOperation', { operation: JSON.parse(move.operation) })
    } catch (error) {
      // Another operation came first: this one can never be accepted.
      if (error instanceof XrpcError && error.status === 400) await update({ operation: null })
      throw error
    }
    return { step: 'activation' }
  },

  async activation({ target }) {
    await target.post('com.core.server.activateAccount')
    return { step: 'deactivation' }
  },

  async deactivation({ source, at }) {
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

/** Whether a server refused, and will refuse again. */
export function isFinal(error: unknown): error is XrpcError {
  return error instanceof XrpcError && (error.status < 500 || error.status === 501) && error.status !== 429
}

/** Changes that end a move: the session at the other server is removed. */
export function ended(at: number): MoveChanges {
  return { accessJwt: null, refreshJwt: null, operation: null, credentials: null, need: null, endedAt: at }
}

/** Signs the operation with a mailed code. @throws XrpcError of the old server, such as for a wrong code */
export async function enterCode(context: StepContext, code: string): Promise<MoveChanges> {
  return signed(await signWithCode(operationDeps(context), code))
}

function signed(operation: unknown): MoveChanges {
  return { operation: JSON.stringify(operation), need: null }
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
