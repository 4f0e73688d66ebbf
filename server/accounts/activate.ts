/** Activating an account, by its holder or by an administrator. */
import type { Logger } from '../util/log.ts'
import { protocolError } from '../xrpc/errors.ts'
import type { PlcPublisher } from './plc.ts'

interface Deps {
  readonly plc: PlcPublisher
  readonly log: Logger
}

/**
 * Submits what the did:plc directory lacks of an account. An account is not activated before: its identity would still lead to
 * another server.
 * @throws NotEnoughResources when the directory refuses or does not answer
 */
export async function publishBeforeActivation({ plc, log }: Deps, did: string) {
  await plc.publish(did).catch((error: unknown) => {
    log.warn({ err: error, did }, 'PLC submission failed')
    throw protocolError(
      'NotEnoughResources',
      'The DID directory did not accept the operation of this account. Try again later.',
    )
  })
}
