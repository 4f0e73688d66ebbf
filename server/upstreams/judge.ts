/** What an error means for the event that caused it. */
import { UnresolvableDid } from '../identity/resolver.ts'
import { OutboundRefused } from '../network/guard.ts'
import { OutboundFailed } from '../network/guarded-fetch.ts'
import { InvalidProof } from '../remote/verify.ts'
import { XrpcError } from '../xrpc/errors.ts'

/** `later`: another server cannot be reached now. `invalid`: the event proves nothing. `dropped`: it cannot be used. */
export type Verdict = 'later' | 'invalid' | 'dropped'

/** @throws the error if it is not about the event: one of the protocol, of the store, or a fault */
export function judge(error: unknown): Verdict {
  if (error instanceof InvalidProof) return 'invalid'
  if (error instanceof UnresolvableDid) return error.isOutage ? 'later' : 'invalid'
  if (error instanceof OutboundFailed) return 'later'
  if (error instanceof XrpcError) return error.status >= 500 || error.status === 429 ? 'later' : 'dropped'
  if (error instanceof OutboundRefused) return 'dropped'
  throw error
}
