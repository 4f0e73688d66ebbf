/** Errors of events of other servers, by whether the event is tried again. */
import { UnresolvableDid } from '../../identity/did/resolver.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { InvalidProof } from '../../repository/format/verify-commit.ts'
import { InvalidFrame } from './upstream-frames.ts'

/** `later`: another server cannot be reached now. `invalid`: bad signature or proof. `unusable`: a retry would fail again. */
export type ErrorKind = 'later' | 'invalid' | 'unusable'

/** @returns undefined for an unexpected error */
export function errorKind(error: unknown): ErrorKind | undefined {
  if (error instanceof InvalidProof || error instanceof InvalidFrame) return 'invalid'
  if (error instanceof UnresolvableDid) return error.isOutage ? 'later' : 'unusable'
  if (error instanceof OutboundFailed) return 'later'
  if (error instanceof XrpcError) return error.status >= 500 || error.status === 429 ? 'later' : 'unusable'
  return error instanceof OutboundRefused ? 'unusable' : undefined
}
