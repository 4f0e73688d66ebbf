/** Changes the handle of an account: checks that the account may have it, changes the identity, then the account. */
import { type HandleString, isValidTld } from '@atproto/syntax'
import type { Config } from '../../platform/config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { requireWriter } from '../../repository/access/writer.ts'
import { emitIdentity } from '../../repository/events/emit.ts'
import type { Reader } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { handleOf } from '../did/did-document.ts'
import type { ResolveHandle } from '../did/handle-resolver.ts'
import { type ResolveDid, UnresolvableDid } from '../did/resolver.ts'
import { handleProblem, isHandleTaken, takenMessage } from './handle.ts'
import type { HostHandle } from './host-handle.ts'
import type { PlcPublisher } from './plc.ts'

interface Deps extends Pick<Platform, 'store' | 'background' | 'now'> {
  readonly config: Pick<Config, 'userDomains' | 'publicUrl'>
  readonly plc: PlcPublisher
  readonly resolveDid: ResolveDid
  readonly resolveHandle: ResolveHandle | undefined
  readonly hostHandle: HostHandle
}

/**
 * Changes the handle of an account. A published identity changes first. The same handle again is reported on the event stream, too.
 * @param handle normalized
 * @throws XrpcError `InvalidHandle`, `HandleNotAvailable`, `UnsupportedDomain`; `InvalidRequest` if this server cannot change the
 * identity; `UpstreamFailure` if the directory does not accept the change
 */
export async function changeHandle(
  deps: Deps,
  account: accounts.Account,
  handle: HandleString,
): Promise<void> {
  const { store, plc, background, now } = deps
  const { did } = account
  requireWriter(store, did)
  if (handle !== account.handle) await requireAllowed(deps, account, handle)
  const check = (tx: Reader) => {
    requireWriter(tx, did)
    if (isHandleTaken(tx, handle, did)) throw new XrpcError('HandleNotAvailable', takenMessage(handle))
  }
  if (did.startsWith('did:plc:')) {
    await plc.change(did, { handle, check })
    // An identity that no directory has yet is published by the periodic job, too.
    background.run('PLC submission', () => plc.publish(did))
    return
  }
  await requireClaim(deps, did, handle)
  await store.transact((tx) => {
    check(tx)
    accounts.setHandle(tx, did, handle)
    emitIdentity(tx, did, now())
  })
}

/** Checks a handle for an account, without asking whether another account has it. */
async function requireAllowed(deps: Deps, account: accounts.Account, handle: HandleString): Promise<void> {
  const { config, hostHandle } = deps
  if (hostHandle.isHost(handle)) return hostHandle.prove(account, handle)
  const problem = handleProblem(handle, config)
  if (problem?.name === 'UnsupportedDomain') await requireProof(deps, account.did, handle)
  else if (problem) throw new XrpcError(problem.name, problem.message)
}

/**
 * Checks that the domain of a handle names the DID, for handles that are not under a domain of this server.
 * @throws XrpcError `InvalidHandle` with instructions; `UnsupportedDomain` if this server makes no look-ups
 */
export async function requireProof(
  { resolveHandle, config }: Pick<Deps, 'resolveHandle' | 'config'>,
  did: string,
  handle: HandleString,
): Promise<void> {
  // The document of such a DID is a file of the same domain.
  if (did === `did:web:${handle}`) return
  if (!isValidTld(handle)) {
    const domain = handle.slice(handle.lastIndexOf('.'))
    throw new XrpcError('InvalidHandle', `Names under ${domain} are not public, so they cannot be handles`)
  }
  if (!resolveHandle) {
    throw new XrpcError(
      'UnsupportedDomain',
      `Handles of this server end in ${config.userDomains.join(' or ')}. Other domains need a did:plc directory in its settings.`,
    )
  }
  const found = await resolveHandle(handle, { maxAgeMs: 0 })
  if (found === did) return
  const reason =
    found === undefined ? `${handle} does not name your DID yet` : `${handle} names another DID, ${found}`
  throw new XrpcError(
    'InvalidHandle',
    `${reason}. Create the DNS record _atproto.${handle} of type TXT with the value did=${did} or the file https://${handle}/.well-known/atproto-did with the content ${did} and try again.`,
  )
}

/** Checks that a did:web document names the handle: only its holder can change it. */
async function requireClaim({ resolveDid }: Deps, did: string, handle: string): Promise<void> {
  const document = await resolveDid(did, { maxAgeMs: 0 }).catch((error: unknown) => {
    if (!(error instanceof UnresolvableDid)) throw error
    throw protocolError(error.isOutage ? 'UpstreamFailure' : 'InvalidRequest', error.message)
  })
  if (handleOf(document) === handle) return
  throw protocolError(
    'InvalidRequest',
    `Make at://${handle} the first name in alsoKnownAs of the DID document of ${did} and try again`,
  )
}
