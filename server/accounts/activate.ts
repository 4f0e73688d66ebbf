/** Publishes the identity of an account before its holder or an administrator activates it. */
import type { Logger } from '../util/log.ts'
import { protocolError } from '../xrpc/errors.ts'
import type { PlcPublisher } from './plc.ts'

interface Deps {
  readonly plc: PlcPublisher
  readonly log: Logger
}

/**
 * Submits the pending operations of an account: it must not become active while its identity names another server.
 * @throws NotEnoughResources when the directory refuses or does not answer
 */
export async function publishBeforeActivation({ plc, log }: Deps, did: string) {
  await plc.publish(did).catch((error: unknown) => {
    log.warn({ err: error, did }, 'PLC submission failed')
    throw protocolError(
      'NotEnoughResources',
      'The DID directory did not accept the identity of this account. Try again later.',
    )
  })
}
