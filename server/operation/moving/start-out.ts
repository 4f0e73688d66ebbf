/** Starts the move of an account to another server: publishes its identity, and creates the account there. */

import type { PlcPublisher } from '../../identity/accounts/plc.ts'
import type { Platform } from '../../platform/platform.ts'
import type { CallMethod } from '../../platform/xrpc/internal-call.ts'
import * as rows from '../../repository/tables/moves.ts'
import type { Account } from '../../store/tables/accounts.ts'
import { isString } from '../../util/json.ts'
import { serverOrigin } from './find-account.ts'
import { createLocalSide } from './local-side.ts'
import type { Moves } from './moves.ts'
import { canCancel } from './moves-view.ts'
import { openAccount } from './open-account.ts'
import { moveRefused, withPeer } from './refused.ts'
import { sessionIn } from './remote-side.ts'

interface Deps extends Pick<Platform, 'config' | 'names' | 'store' | 'log'> {
  readonly moves: Moves
  readonly plc: PlcPublisher
  readonly callMethod: CallMethod
  readonly origin: string
}

export interface MoveOutRequest {
  /** Address of the new server. */
  readonly server: string
  /** At the new server. Default: the handle of the account, under a domain of the new server if it is under one of ours. */
  readonly handle?: string | undefined
  readonly password: string
  readonly email?: string | undefined
  readonly inviteCode?: string | undefined
}

export interface TargetServer {
  readonly origin: string
  readonly did: string
  /** Each with its leading dot. */
  readonly domains: readonly string[]
  readonly inviteRequired: boolean
}

/** Asks a server for its requirements of new accounts. @throws XrpcError */
export async function describeTarget(
  { config, moves, origin: here }: Pick<Deps, 'config' | 'moves' | 'origin'>,
  address: string,
): Promise<TargetServer> {
  // Nothing leaves this machine before its owner has switched that on.
  if (config.plcUrl === undefined) {
    throw moveRefused(
      'Other servers find an account by a directory, and this server has none. Set one up under Network first.',
    )
  }
  const origin = serverOrigin(address)
  if (origin === here) throw moveRefused('This is the address of this server')
  const answer = await withPeer(() => moves.peers.at(origin).get('com.core.server.describeServer', {}))
  const { did, availableUserDomains: domains, inviteCodeRequired } = answer
  // A token for another server would let this one create the account there.
  if (did !== `did:web:${encodeURIComponent(new URL(origin).host)}`) {
    throw moveRefused(`${new URL(origin).host} states the identity of another server`)
  }
  return {
    origin,
    did,
    domains: Array.isArray(domains) ? domains.filter(isString) : [],
    inviteRequired: inviteCodeRequired === true,
  }
}

/** @param byAdmin whether the administrator moves the account, without a code by email. @throws XrpcError */
export async function startMoveOut(
  deps: Deps,
  account: Account,
  request: MoveOutRequest,
  byAdmin: boolean,
): Promise<void> {
  const { config, names, store, moves } = deps
  const { did } = account
  const earlier = rows.find(store, did)
  if (earlier && earlier.endedAt === null && !canCancel(earlier)) {
    throw moveRefused(`The account is about to move to ${new URL(earlier.peer).host}`)
  }
  const target = await describeTarget(deps, request.server)
  await publish(deps, did)
  const local = createLocalSide(deps, did)
  const lxm = names.stored('com.core.server.createAccount')
  const { token } = await local.get('com.core.server.getServiceAuth', { aud: target.did, lxm })
  const peer = moves.peers.at(target.origin)
  const handle = request.handle ?? handleAt(account.handle, config.userDomains, target.domains)
  const opened = await withPeer(() =>
    openAccount(
      (nsid, input, proof) => peer.post(nsid, input, { token: proof }),
      {
        ...{ did, handle, password: request.password, inviteCode: request.inviteCode },
        email: request.email ?? account.email ?? undefined,
      },
      String(token),
    ),
  )
  const session = sessionIn(opened)
  const move = {
    did,
    direction: 'out',
    peer: target.origin,
    handle,
    byAdmin: Number(byAdmin),
    ...session,
  } as const
  await moves.begin(move)
}

/** The new server looks the identity up in the directory. @throws XrpcError `MoveRefused` */
async function publish({ plc, log }: Deps, did: string): Promise<void> {
  if (!did.startsWith('did:plc:')) return
  await plc.publish(did).catch((error: unknown) => {
    log.warn({ err: error, did }, 'PLC submission failed')
    throw moveRefused('The directory did not accept the identity of this account. Try again later.')
  })
}

/** Returns the handle for another server: names under a domain of this server get its first domain. */
export function handleAt(handle: string, ours: readonly string[], theirs: readonly string[]): string {
  const isOurs = ours.some((domain) => handle.endsWith(domain))
  const [domain] = theirs
  return isOurs && domain !== undefined ? `${handle.split('.')[0]}${domain}` : handle
}
