/** Creates the parts that identify: the secrets of the server, sign-in, documents and handles, the directory. */

import { createHandleLookup } from '../platform/network/handle-lookup.ts'
import type { Platform } from '../platform/platform.ts'
import { lookupsOf, warnOfWorker } from '../platform/platform.ts'
import { findByDid } from '../store/tables/accounts.ts'
import { once } from '../util/once.ts'
import { publishedDocument, unpublishedDocument } from './accounts/did-status.ts'
import { createHostHandle, type HostHandle } from './accounts/host-handle.ts'
import { createPlcPublisher, type PlcPublisher } from './accounts/plc.ts'
import { loadAudience } from './auth/audience.ts'
import { createLastUsed, type LastUsed } from './auth/last-used.ts'
import { createPasswordHasher, type PasswordHasher } from './auth/passwords.ts'
import { createTokens, type Tokens } from './auth/tokens.ts'
import { createRequirePassword, type RequirePassword } from './callers/own-account.ts'
import { createRequireProof, type RequireProof } from './callers/proof.ts'
import { createUses, type Uses } from './callers/uses.ts'
import { createHandleResolver, type ResolveHandle } from './did/handle-resolver.ts'
import { createFindSchema, type FindSchema } from './did/lexicon-schemas.ts'
import { createResolveLexicon, type ResolveLexicon } from './did/published-lexicons.ts'
import { createDidResolver, type ResolveDid } from './did/resolver.ts'
import { loadSecrets, type Secrets } from './did/server-secrets.ts'
import type { Passkeys } from './factors/passkeys.ts'
import { createOAuth, type OAuth } from './oauth/oauth.ts'

export interface Identity {
  readonly secrets: Secrets
  readonly tokens: Tokens
  readonly lastUsed: LastUsed
  readonly uses: Uses
  readonly passwords: PasswordHasher
  readonly requirePassword: RequirePassword
  readonly requireProof: RequireProof
  readonly resolveDid: ResolveDid
  /** Finds published lexicons, also without a directory: callers decide whether requests may leave this machine. */
  readonly resolveLexicon: ResolveLexicon
  /** Finds published schemas of records; undefined until a directory is configured. */
  readonly findSchema: FindSchema | undefined
  /** Resolves handles of other domains; undefined until a directory is configured, so that requests stay on this machine. */
  readonly resolveHandle: ResolveHandle | undefined
  /** The host name of this server as a handle. */
  readonly hostHandle: HostHandle
  readonly plc: PlcPublisher
  readonly oauth: OAuth
  readonly loadPasskeys: () => Promise<Passkeys>
}

export interface IdentityOptions {
  /** Replaces the password hasher. */
  readonly passwords?: PasswordHasher | undefined
  /** Milliseconds in which the directory must take the identity of a new account. */
  readonly directoryWaitMs?: number | undefined
}

export async function createIdentity(platform: Platform, options: IdentityOptions): Promise<Identity> {
  const { store, now, clock, serverDid } = platform
  const secrets = await loadSecrets(store)
  const audience = await loadAudience(store, serverDid)
  const resolveDid = createResolver(platform)
  const resolveLexicon = createResolveLexicon({ ...platform, resolveDid })
  const tokens = await createTokens({ secret: secrets.tokenKey, audience, now, issuedAt: clock.latest })
  const threads = { isInline: platform.inlineJobs, onUnloadable: warnOfWorker(platform) }
  const passwords = options.passwords ?? createPasswordHasher(threads)
  const requirePassword = createRequirePassword({ store, passwords, rateLimits: platform.config.rateLimits })
  return {
    secrets,
    tokens,
    oauth: createOAuth({ ...platform, secrets, tokens, resolveDid, resolveLexicon }),
    loadPasskeys: once(async () => (await import('./factors/passkeys.ts')).createPasskeys(platform)),
    lastUsed: createLastUsed({ store, now }),
    uses: createUses(platform),
    passwords,
    requirePassword,
    requireProof: createRequireProof({ ...platform, secrets, requirePassword }),
    resolveDid,
    resolveLexicon,
    findSchema: createFindSchema({ ...platform, resolveLexicon }),
    resolveHandle: createForeignHandles(platform),
    hostHandle: createHostHandle(platform),
    plc: createPlcPublisher({ ...platform, secrets, resolveDid, waitMs: options.directoryWaitMs }),
  }
}

/** Creates the DID resolver. The documents of local accounts come from the store until they are published. */
function createResolver(platform: Platform): ResolveDid {
  const { config, store, now, clock, signal, origin } = platform
  return createDidResolver({
    plcUrl: config.plcUrl,
    allowPrivate: config.allowPrivateTargets,
    now,
    local: (did) => {
      const account = findByDid(store, did)
      return account && unpublishedDocument({ config, origin }, account)
    },
    fallback: (did, stale) => {
      const account = findByDid(store, did)
      return account && (stale ?? publishedDocument(account))
    },
    onDirectoryTime: clock.witness,
    signal,
    ...lookupsOf(platform),
  })
}

function createForeignHandles(platform: Platform): ResolveHandle | undefined {
  const { config, now, signal } = platform
  const { plcUrl, userDomains, nameServers, allowPrivateTargets: allowPrivate } = config
  if (plcUrl === undefined) return undefined
  const lookups = lookupsOf(platform)
  const lookUp = createHandleLookup({ nameServers, allowPrivate, signal, ...lookups })
  return createHandleResolver({ lookUp, userDomains, allowTest: allowPrivate, now, ...lookups })
}
