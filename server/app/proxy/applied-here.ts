/**
 * Procedures of the app view that are applied here, too: this server decides which notifications an account gets. The app view is
 * first. If it fails, nothing has changed; if this server fails after it, the call fails, and repeating it has the same result.
 */
import type { SessionCredentials } from '../../identity/callers/credentials.ts'
import { readJson } from '../../platform/xrpc/body.ts'
import type { IncomingCall } from '../../platform/xrpc/incoming.ts'
import type { CallMethod } from '../../platform/xrpc/internal-call.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { isObject, isString } from '../../util/json.ts'

const applied: ReadonlySet<string> = new Set(
  ['Actor', 'Thread', 'ActorList'].flatMap((what) => [
    `app.example.graph.mute${what}`,
    `app.example.graph.unmute${what}`,
  ]),
)
const maxBody = 150_000

export function isAppliedHere(nsid: string): boolean {
  return applied.has(nsid)
}

interface Deps {
  readonly callMethod: CallMethod
  /** Returns the DID of a handle; undefined if there is none. @param account DID of the account that asks */
  readonly didOfHandle: (handle: string, account: string) => Promise<string | undefined>
}

/** A call with the input that this server applies. */
export interface AppliedCall {
  /** The body for the app view. */
  readonly body: Buffer
  /** Applies the call here; resolves once that is on disk. */
  apply(session: SessionCredentials): Promise<void>
}

/** Reads the body of such a call of an account. @throws InvalidRequest when it is malformed, or names an unknown handle */
export async function readApplied(
  { callMethod, didOfHandle }: Deps,
  { name: { nsid }, caller, req, observation }: IncomingCall,
  account: string,
): Promise<AppliedCall> {
  const input = await readJson(req, maxBody)
  if (observation) observation.input = input
  if (!isObject(input)) throw protocolError('InvalidRequest', 'The body must be an object')
  const own = isString(input.actor) ? { ...input, actor: await didOf(input.actor) } : input
  return {
    body: Buffer.from(JSON.stringify(input)),
    async apply(session) {
      // The app view can mute some kinds of posts. They are no notifications.
      if (input.onlyReposts || input.onlyQuoteposts) return
      await callMethod({ nsid, input: own, auth: session, caller })
    },
  }

  async function didOf(actor: string): Promise<string> {
    const did = actor.startsWith('did:') ? actor : await didOfHandle(actor.toLowerCase(), account)
    if (did === undefined) throw protocolError('InvalidRequest', `Actor not found: ${actor}`)
    return did
  }
}
