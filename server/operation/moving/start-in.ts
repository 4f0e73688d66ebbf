/** Starts the move of an account to this server: signs in at its server, and creates the account here. */

import type { DidString, HandleString } from '@atproto/syntax'
import type { com } from '../../../lexicons/generated/index.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import type { CallMethod } from '../../platform/xrpc/internal-call.ts'
import type { Caller } from '../../platform/xrpc/method.ts'
import { isString } from '../../util/json.ts'
import { accountOf, type FindDeps, findAccount, serverOrigin } from './find-account.ts'
import type { Moves } from './moves.ts'
import { openAccount } from './open-account.ts'
import { moveRefused, withPeer } from './refused.ts'
import { claimsOf, endSession, type PeerSession, sessionIn } from './remote-side.ts'
import type { Json } from './side.ts'

interface Deps extends Omit<FindDeps, 'config'>, Pick<Platform, 'config' | 'names'> {
  readonly moves: Moves
  readonly callMethod: CallMethod
  readonly origin: string
  readonly serverDid: string
}

type MoveInRequest = com.core.move.moveIn.$InputBody

/** The caller that asks for a move. */
interface Requester {
  readonly caller: Caller
  readonly isAdmin: boolean
}

/** Opens the deactivated account on this server. Returns its session. @throws XrpcError */
export async function startMoveIn(
  deps: Deps,
  request: MoveInRequest,
  requester: Requester,
): Promise<PeerSession & { did: DidString; handle: HandleString }> {
  requirePublic(deps.config)
  const signedIn = await withPeer(() => signIn(deps, request))
  try {
    return await withPeer(() => openHere(deps, request, signedIn, requester))
  } catch (error) {
    await endSession(deps.moves.peers.at(signedIn.server), signedIn.session.refreshJwt)
    throw error
  }
}

/** Creates the account on this server, and begins to copy its data. */
async function openHere(
  deps: Deps,
  request: MoveInRequest,
  { did, server, session, email }: SignedIn,
  { caller, isAdmin }: Requester,
) {
  const { moves, callMethod, origin } = deps
  requireMainPassword(session.accessJwt)
  if (server === origin) throw moveRefused('This account lives on this server already')
  const { handle, newPassword: password, inviteCode } = request
  const opened = await openAccount(
    (nsid, input, serviceToken) =>
      callMethod({ nsid, input, auth: { serviceToken, isAdmin }, caller }) as Promise<Json>,
    { did, handle, email: request.email ?? email, password, inviteCode },
    await proofFrom(deps, server, session.accessJwt),
  )
  const newHandle = String(opened.handle) as HandleString
  await moves.begin({ did, direction: 'in', peer: server, handle: newHandle, byAdmin: 0, ...session })
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

/** The account at its old server. */
interface SignedIn {
  readonly did: DidString
  readonly server: string
  readonly session: PeerSession
  readonly email: string | undefined
}

async function signIn(
  deps: Deps,
  { identifier, server, password, authFactorToken }: MoveInRequest,
): Promise<SignedIn> {
  const { moves } = deps
  const named = server?.trim() ? undefined : await findAccount(deps, identifier)
  const address = named?.server ?? serverOrigin(server ?? '')
  const answer = await moves.peers
    .at(address)
    .post(
      'com.core.server.createSession',
      { identifier: named?.did ?? identifier.trim(), password, authFactorToken, allowTakendown: true },
      {},
    )
  const session = sessionIn(answer)
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
async function proofFrom({ moves, names, serverDid }: Deps, server: string, token: string): Promise<string> {
  const lxm = names.stored('com.core.server.createAccount')
  const query = new URLSearchParams({ aud: serverDid, lxm }).toString()
  const answer = await moves.peers.at(server).get('com.core.server.getServiceAuth', { query, token })
  if (isString(answer.token)) return answer.token
  throw moveRefused('The old server did not prove that this account is yours')
}
