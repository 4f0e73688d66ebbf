/** Errors of the methods that start and control moves. */
import { UnresolvableDid } from '../../identity/did/resolver.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'

/** The move cannot start or go on; the message says why. Methods that throw it declare it. */
export function moveRefused(message: string): XrpcError {
  return new XrpcError('MoveRefused', message)
}

/** Runs calls to another server. Its refusals become `MoveRefused`; a requested second factor is passed on. */
export async function withPeer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OutboundRefused || error instanceof OutboundFailed)
      throw moveRefused(`A server cannot be reached. ${error.message}`)
    if (error instanceof UnresolvableDid) throw moveRefused(error.message)
    if (!(error instanceof XrpcError) || error.name === 'AuthFactorTokenRequired') throw error
    throw moveRefused(error.message || error.name)
  }
}
