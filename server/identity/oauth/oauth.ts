/**
 * Sign-in of apps by OAuth. The parts of the authorization server are loaded with its first request: most servers are never
 * asked, and the libraries take 15 MB.
 */
import { once } from '../../util/once.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { OAuthDeps, OAuthParts } from './oauth-parts.ts'

export interface OAuth extends OAuthParts {
  /** Loads the authorization server. */
  load(): Promise<AuthorizationServer>
}

export function createOAuth(deps: OAuthDeps): OAuth {
  const loadDpop = once(async () => (await import('./dpop.ts')).createDpop(deps))
  return {
    loadDpop,
    loadPermissions: once(async () => (await import('./permissions.ts')).createReadPermissions(deps.names)),
    load: once(async () => {
      const { createAuthorizationServer } = await import('./authorization-server.ts')
      return createAuthorizationServer({ ...deps, dpop: await loadDpop() })
    }),
  }
}
