/** Parts of OAuth that are loaded with the first app. */
import type { Platform } from '../../platform/platform.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { ResolveLexicon } from '../did/published-lexicons.ts'
import type { ResolveDid } from '../did/resolver.ts'
import type { Secrets } from '../did/server-secrets.ts'
import type { Dpop } from './dpop.ts'
import type { ReadPermissions } from './permissions.ts'

/** Loads what only apps need, once. */
export interface OAuthParts {
  loadDpop(): Promise<Dpop>
  loadPermissions(): Promise<ReadPermissions>
}

export interface OAuthDeps extends Platform {
  readonly secrets: Secrets
  readonly tokens: Tokens
  readonly resolveDid: ResolveDid
  readonly resolveLexicon: ResolveLexicon
}
