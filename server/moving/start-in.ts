/** Starts the move of an account to this server: signs in at its server, and creates the account here. */

import type { DidString, HandleString } from '@atproto/syntax'
import { networkNames } from '../config/aliases.ts'
import type { Config } from '../config/config.ts'
import { isString } from '../identity/json.ts'
import type { CallMethod } from '../xrpc/internal-call.ts'
import type { Caller } from '../xrpc/method.ts'
import { accountOf, type FindDeps, findAccount, serverOrigin } from './find-account.ts'
import type { Moves } from './moves.ts'
import { openAccount } from './open-account.ts'
import { moveRefused, withPeer } from './refused.ts'
import { claimsOf, type PeerSession, sessionIn } from './remote-side.ts'
import type { Json } from './side.ts'

interface Deps extends FindDeps {
  readonly config: Config
  readonly moves: Moves
  readonly callMethod: CallMethod
  readonly origin: string
  readonly serverDid: string
}

export interface MoveInRequest {
  /** Handle, DID, or what the old server accepts for signing in. */
  readonly identifier: string
  /** Address of the old server; found by the identifier when absent. */
  readonly server?: string | undefined
  /** At the old server. */
  readonly password: string
  readonly authFactorToken?: string | undefined
  /** Of the account on this server. */
  readonly handle: string
  readonly newPassword: string
  readonly email?: string | undefined
  readonly inviteCode?: string | undefined
}

/** Opens the deactivated account on this server. Returns its session. @throws XrpcError */
export async function startMoveIn(
  deps: Deps,
  request: MoveInRequest,
  caller: Caller,
): Promise<PeerSession & { did: DidString; handle: HandleString }> {
  const { config, moves, callMethod, origin } = deps
  requirePublic(config)
  const { did, server, session, email } = await withPeer(() => signIn(deps, request))
  if (server === origin) throw moveRefused('This account lives on this server already')
  const serviceToken = await withPeer(() => proofFrom(deps, server, session.accessJwt))
  const { handle, newPassword: password, inviteCode } = request
  const account = { did, handle, email: request.email ?? email, password, inviteCode }
  const opened = await withPeer(() =>
    openAccount(
      (nsid, input, token) =>
        callMethod({ nsid, input, auth: { serviceToken: token }, caller }) as Promise<Json>,
      account,
      serviceToken,
    ),
  )
  const newHandle = String(opened.handle) as HandleString
  const move = {
    did,
    direction: 'in',
    peer: server,
    handle: newHandle,
    byAdmin: 0,
    ...session,
  } as const
  await moves.begin(move)
  return { ...sessionIn(opened), did, handle: newHandle }
}

/** An identity cannot name a server that only this computer reaches. @throws XrpcError `MoveRefused` */
export function requirePublic({ publicUrl, plcUrl, allowPrivateTargets }: Config): void {
  const isPublic = publicUrl?.startsWith('https:') || allowPrivateTargets
  if (isPublic && plcUrl !== undefined) return
  throw moveRefused(
    'An account can move here once this server has a public https address and a directory. Set them up under Network first.',
  )
}

async function signIn(deps: Deps, { identifier, server, password, authFactorToken }: MoveInRequest) {
  const { moves } = deps
  const named = server?.trim() ? undefined : await findAccount(deps, identifier)
  const address = named?.server ?? serverOrigin(server ?? '')
  const answer = await moves.peers
    .at(address)
    .post(
      'com.core.server.createSession',
      { identifier: named?.did ?? identifier.trim(), password, authFactorToken },
      {},
    )
  const session = sessionIn(answer)
  requireMainPassword(session.accessJwt)
  const { did } = answer
  if (!isString(did) || (named && did !== named.did))
    throw moveRefused('The old server signed another account in')
  // An entrance may stand before several servers: the document names the one with the data.
  const home = named ?? (await accountOf(deps, did as `did:${string}:${string}`))
  return {
    did: home.did,
    server: home.server,
    session,
    email: isString(answer.email) ? answer.email : undefined,
  }
}

/** @throws XrpcError `MoveRefused` */
function requireMainPassword(accessJwt: string): void {
  const { scope } = claimsOf(accessJwt)
  if (isString(scope) && /\bappPass/i.test(scope)) {
    throw moveRefused('This is an app password. Enter the main password of the account at its old server.')
  }
}

/** Has the old server sign that the account may be created here. */
async function proofFrom({ moves, config, serverDid }: Deps, server: string, token: string): Promise<string> {
  const lxm = networkNames(config.aliases)('com.core.server.createAccount')
  const query = new URLSearchParams({ aud: serverDid, lxm }).toString()
  const answer = await moves.peers.at(server).get('com.core.server.getServiceAuth', { query, token })
  if (isString(answer.token)) return answer.token
  throw moveRefused('The old server did not prove that this account is yours')
}
