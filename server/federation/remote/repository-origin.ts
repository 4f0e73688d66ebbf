/** Where the repository of a remote actor is, and which key signs it. */
import { OutboundFailed } from '../../platform/network/client.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { InvalidProof } from '../../repository/format/verify-commit.ts'

/** The key and the host of a remote actor. */
export interface Origin {
  /** did:key */
  readonly signingKey: string
  /** Origin of its personal data server. */
  readonly host: string
}

export type Identify = (
  did: string,
  options?: {
    readonly maxAgeMs?: number
    /** Origin of the upstream that reported the actor. */
    readonly via?: string | undefined
  },
) => Promise<Origin>

/** Shortest milliseconds between two look-ups of an identity, even if a proof has the signature of another key. */
const doubtMs = 60_000

/**
 * Calls the host of an actor. If it has no such repository, or signs it by another key, the identity may have changed: it is
 * looked up again, and the call is repeated if it did.
 * @throws UnresolvableDid, OutboundFailed, OutboundRefused, InvalidProof
 */
export async function withOrigin<T>(
  identify: Identify,
  did: string,
  call: (origin: Origin) => Promise<T>,
): Promise<T> {
  const origin = await identify(did)
  try {
    return await call(origin)
  } catch (error) {
    if (!(error instanceof InvalidProof || error instanceof XrpcError)) throw error
    const newer = await identify(did, { maxAgeMs: doubtMs }).catch(() => origin)
    if (newer.host === origin.host && newer.signingKey === origin.signingKey) throw asFailure(error)
    return call(newer).catch((other: unknown) => {
      throw asFailure(other)
    })
  }
}

/** Whether `withOrigin` failed because the host has no such repository, also after the identity was looked up again. */
export function isRepoNotFound(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof XrpcError && cause.name === 'RepoNotFound'
}

/** An error response of a host as OutboundFailed; other errors as they are. */
function asFailure(error: unknown): unknown {
  return error instanceof XrpcError ? new OutboundFailed(error.message, { cause: error }) : error
}
