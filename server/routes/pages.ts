/** Answers paths outside `/xrpc/`: documents that other servers and apps look up, OAuth, media for players, and the interface. */

import { createWatch } from '../app/videos/watch.ts'
import { createOAuthEndpoints } from '../identity/oauth/endpoints.ts'
import { createDidPaths } from '../operation/web/did-paths.ts'
import { redirectPageVisit } from '../operation/web/page-visit.ts'
import { createUi } from '../operation/web/ui.ts'
import { createWellKnown } from '../operation/web/well-known.ts'
import type { Answering } from '../platform/xrpc/answer.ts'
import type { Fallback } from '../platform/xrpc/http.ts'
import type { Services } from '../services.ts'

export function createPageRoutes(services: Services, answering: Answering): Fallback {
  const wellKnown = createWellKnown({ ...services, ...services.identity })
  const didPaths = createDidPaths({ ...services, ...services.identity })
  const watch = createWatch(services)
  const ui = createUi()
  const oauth = createOAuthEndpoints({ ...services, ...services.identity }, answering)
  return async (req, res, path, name) => {
    // Apps that sign in by OAuth read them first.
    if (path.startsWith('/.well-known/')) services.visitors.note(req)
    if (await oauth(req, res, path, name)) return true
    if (path.startsWith('/.well-known/')) return wellKnown(req, res, path, name)
    if (await didPaths(req, res, path, name)) return true
    if (await watch(req, res, path, name)) return true
    return (await ui(req, res, path)) || redirectPageVisit(req, res, path)
  }
}
