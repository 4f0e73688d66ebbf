/** Reads an identity of another server: its key and server from its document, its handle if that is verified. */
import type { HandleString } from '@atproto/syntax'
import { handleOf, signingKeyOf } from '../../identity/did/did-document.ts'
import type { PlcLog } from '../../identity/did/plc-log.ts'
import { UnresolvableDid } from '../../identity/did/resolver.ts'
import type { Database } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import type { RemoteIdentity } from '../tables/remote-actors.ts'
import { type HandleDeps, hostHandle, isHandleOf } from './handles.ts'
import { type LocateDeps, locate } from './locate.ts'

export type ReadIdentityDeps = LocateDeps &
  HandleDeps & {
    readonly now: () => Date
    readonly store: Database
    /** Of this server. */
    readonly origin: string
  }

export interface KnownIdentity {
  readonly identity: RemoteIdentity
  /** The operations that prove it; undefined if a directory or a domain vouches for it. */
  readonly log: PlcLog | undefined
}

interface ReadHints {
  /** Origin of the upstream that mentioned the DID. */
  readonly via: string | undefined
  /** The previous result. */
  readonly known: KnownIdentity | undefined
  /** Whether the host that was read before is preferred to `via`. */
  readonly prefersKnown: boolean
}

/** @throws UnresolvableDid */
export async function readIdentity(
  deps: ReadIdentityDeps,
  did: string,
  { via, known, prefersKnown }: ReadHints,
): Promise<KnownIdentity> {
  const before = known && { host: prefersKnown ? known.identity.host : undefined, log: known.log }
  const { document, host, log } = await locate(deps, did, { via, known: before })
  // Records of others may refer to an account that was deleted here: a directory names its last server for ever. After a move, it may lag.
  if (host === deps.origin && !accounts.findByDid(deps.store, did))
    throw new UnresolvableDid(`${did}: its account is not here any more`, { isOutage: true })
  const signingKey = signingKeyOf(document)
  if (!signingKey) throw new UnresolvableDid(`${did}: its document has no signing key`)
  const claimed = handleOf(document)
  const handle =
    claimed !== undefined && (await isVerified(deps, { did, handle: claimed, host }, known))
      ? (claimed as HandleString)
      : null
  return {
    identity: {
      handle,
      hostHandle: handle === null ? null : hostHandle(handle, host),
      host,
      signingKey,
      resolvedAt: deps.now().getTime(),
    },
    log,
  }
}

/** Keeps the last verified handle while a look-up fails. */
async function isVerified(
  deps: HandleDeps,
  claim: Parameters<typeof isHandleOf>[1],
  known: KnownIdentity | undefined,
): Promise<boolean> {
  return (await isHandleOf(deps, claim)) ?? known?.identity.handle === claim.handle
}
