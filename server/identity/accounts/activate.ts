/** Conditions on an identity for the activation of its account, by its holder or an administrator. */

import { type ProtocolErrorName, protocolError, type XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Database } from '../../store/database.ts'
import { type Account, cancelDeletion } from '../../store/tables/accounts.ts'
import type { Logger } from '../../util/log.ts'
import { UnresolvableDid } from '../did/resolver.ts'
import { identityProblem } from './did-status.ts'
import type { PlcPublisher } from './plc.ts'

/**
 * Cancels the scheduled deletion of an account that is about to be activated, in a transaction of its own. Call it first: the
 * activation depends on other servers and may fail for days, and the account must not be deleted meanwhile.
 */
export async function keepAccount(
  { store }: { readonly store: Database },
  { did, deleteAfter }: Account,
): Promise<void> {
  if (deleteAfter !== null) await store.transact((tx) => cancelDeletion(tx, did))
}

type Deps = Parameters<typeof identityProblem>[0] & {
  readonly plc: PlcPublisher
  readonly log: Logger
}

/**
 * Publishes the pending operations of a deactivated account, and requires that its identity names this server: an account that is
 * active at two servers has two repositories.
 * @param account as it was before `keepAccount`
 * @throws InvalidRequest while it does not. NotEnoughResources, UpstreamFailure when the directory refuses or fails
 */
export async function prepareActivation(deps: Deps, account: Account): Promise<void> {
  if (account.deactivatedAt === null) return
  const kept = account.deleteAfter === null ? '' : ' Its deletion is cancelled.'
  const refused = (name: ProtocolErrorName, message: string): XrpcError =>
    protocolError(name, `${message}${kept}`)
  await deps.plc.publish(account.did).catch((error: unknown) => {
    deps.log.warn({ err: error, did: account.did }, 'PLC submission failed')
    throw refused(
      'NotEnoughResources',
      'The DID directory did not accept the identity of this account. Try again later.',
    )
  })
  // The document of a did:web may be an earlier one: its host is often this computer.
  const current = { maxAgeMs: 0, onlyCurrent: account.did.startsWith('did:plc:') }
  const problem = await identityProblem(deps, account, current).catch((error: unknown) => {
    if (!(error instanceof UnresolvableDid)) throw error
    const name = error.isOutage ? 'UpstreamFailure' : 'InvalidRequest'
    throw refused(name, `The DID document could not be read: ${error.message}.`)
  })
  if (problem !== undefined) {
    throw refused('InvalidRequest', `The account cannot be activated here. ${problem}.`)
  }
}
