/** Conditions on an identity for the activation of its account, by its holder or an administrator. */

import type { Account } from '../../platform/store/tables/accounts.ts'
import type { Logger } from '../../platform/util/log.ts'
import { protocolError } from '../../platform/xrpc/errors.ts'
import { UnresolvableDid } from '../did/resolver.ts'
import { identityProblem } from './did-status.ts'
import type { PlcPublisher } from './plc.ts'

type Deps = Parameters<typeof identityProblem>[0] & {
  readonly plc: PlcPublisher
  readonly log: Logger
}

/**
 * Publishes the pending operations of a deactivated account, and requires that its identity names this server: an account that is
 * active at two servers has two repositories.
 * @throws InvalidRequest while it does not. NotEnoughResources, UpstreamFailure when the directory refuses or does not answer
 */
export async function prepareActivation(deps: Deps, account: Account): Promise<void> {
  if (account.deactivatedAt === null) return
  await deps.plc.publish(account.did).catch((error: unknown) => {
    deps.log.warn({ err: error, did: account.did }, 'PLC submission failed')
    throw protocolError(
      'NotEnoughResources',
      'The DID directory did not accept the identity of this account. Try again later.',
    )
  })
  const problem = await identityProblem(deps, account, 0).catch((error: unknown) => {
    if (!(error instanceof UnresolvableDid)) throw error
    const name = error.isOutage ? 'UpstreamFailure' : 'InvalidRequest'
    throw protocolError(name, `The DID document could not be read: ${error.message}`)
  })
  if (problem !== undefined) {
    throw protocolError('InvalidRequest', `The account cannot be activated here. ${problem}.`)
  }
}
