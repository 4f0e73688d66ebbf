/** Errors of methods for callers that use the names of the network, where its libraries compare more than its lexicons say. */
import { XrpcError } from '../platform/xrpc/xrpc-errors.ts'

/** By the name of the method and of our error. */
const errors: Readonly<Record<string, Readonly<Record<string, readonly [name: string, message: string]>>>> = {
  // OAuth libraries take other errors for a server that has failed, not for a handle without an account.
  'com.atproto.identity.resolveHandle': { HandleNotFound: ['InvalidRequest', 'Unable to resolve handle'] },
}

/** Returns the error that a method of this name sends; undefined if it is the one that was thrown. */
export function callerError(called: string, thrown: unknown): XrpcError | undefined {
  if (!(thrown instanceof XrpcError)) return undefined
  const [name, message] = errors[called]?.[thrown.name] ?? []
  return name === undefined ? undefined : new XrpcError(name, message)
}
