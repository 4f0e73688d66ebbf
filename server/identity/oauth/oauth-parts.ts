/** Parts of OAuth that are loaded with the first app. */
import type { Dpop } from './dpop.ts'
import type { ReadPermissions } from './permissions.ts'

/** Loads what only apps need, once. */
export interface OAuthParts {
  loadDpop(): Promise<Dpop>
  loadPermissions(): Promise<ReadPermissions>
}
