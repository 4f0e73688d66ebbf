/**
 * Decides who may create an account. Beside it: handles (the host name: `host-handle.ts`), mailed codes (`mail-tokens.ts`), imported
 * accounts that wait for their activation (`unactivated.ts`), did:plc operations (`plc.ts`).
 */
import type { Config } from '../../platform/config/config.ts'
import { opensToNetwork } from '../../platform/xrpc/host.ts'
import type { Caller } from '../../platform/xrpc/method.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'

type SignUpCaller = Pick<Caller, 'isLocal' | 'isForeignPage'>

/** Whether a client is on this machine, and its request was not made by a page that the owner happens to visit. */
export function isAtServer({ isLocal, isForeignPage }: SignUpCaller): boolean {
  return isLocal && !isForeignPage
}

/**
 * Refuses the first account, which owns the server, to others than clients on this machine and the administrator. The message
 * hides the reason: only the owner should learn that the server is unclaimed.
 * @throws Forbidden
 */
export function refuseFirstAccount(db: Reader, caller: SignUpCaller, isAdmin: boolean): void {
  if (isAdmin || isAtServer(caller) || !accounts.isEmpty(db)) return
  throw protocolError('Forbidden', 'New accounts are not accepted from here')
}

type SignUpConfig = Pick<Config, 'inviteRequired' | 'publicUrl' | 'hosts'>

/** Whether a person can reach the server from another machine. */
export function isReachable({ publicUrl, hosts }: Omit<SignUpConfig, 'inviteRequired'>): boolean {
  return publicUrl !== undefined || opensToNetwork(hosts)
}

/** Whether accounts other than the first need an invite code: by default on a server that others can reach. */
export function requiresInvites(config: SignUpConfig): boolean {
  return config.inviteRequired === 'auto' ? isReachable(config) : config.inviteRequired === 'on'
}

/**
 * Whether a caller needs an invite code to sign up: not for the first account, otherwise as the settings say. Web pages of other sites need one
 * while the server has no public address, because such a page could sign up unnoticed by its visitor.
 */
export function needsInvite(
  db: Reader,
  config: SignUpConfig,
  caller: SignUpCaller,
  isAdmin = false,
): boolean {
  if ((isAdmin || isAtServer(caller)) && accounts.isEmpty(db)) return false
  return requiresInvites(config) || (caller.isForeignPage && config.publicUrl === undefined)
}
