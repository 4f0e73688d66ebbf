/** Answers paths under `/xrpc/`: aliases first, then the router. */
import { methods, subscriptions } from '../api/index.ts'
import { labelerHeaders } from '../app/proxy/content-labelers.ts'
import { createProxy, type ServiceProxy, type ServiceTimes } from '../app/proxy/proxy.ts'
import { didOf } from '../app/views/find/named.ts'
import { freshWrites } from '../app/views/show/fresh.ts'
import { createPageGuard } from '../identity/callers/foreign-page.ts'
import { createSessionWatch } from '../identity/callers/session-watch.ts'
import { createVerifier } from '../identity/callers/verifier.ts'
import { redirectPageVisit } from '../operation/web/page-visit.ts'
import type { Answering } from '../platform/xrpc/answer.ts'
import type { HttpOptions } from '../platform/xrpc/http.ts'
import { createRouter } from '../platform/xrpc/router.ts'
import { createStreams, type Streams } from '../platform/xrpc/streams.ts'
import { callerRename, requestRename } from '../repository/records/rename.ts'
import type { Services } from '../services.ts'
import { reportFailure } from './answering.ts'
import { callerError } from './caller-errors.ts'

export interface XrpcRoutes {
  readonly dispatch: HttpOptions['dispatch']
  readonly streams: Streams
  readonly proxy: ServiceProxy | undefined
}

export function createXrpcRoutes(
  services: Services,
  answering: Answering,
  adminPassword: string,
  { serviceTimes }: { readonly serviceTimes?: Partial<ServiceTimes> | undefined },
): XrpcRoutes {
  const { store, now, config, names, log, identity, federation, app, operation } = services
  const authorize = createVerifier({
    ...services,
    ...identity,
    adminPassword,
    rateLimits: config.rateLimits,
    watchSession: createSessionWatch({ store, now }),
  })
  const shared = {
    services,
    authorize,
    admitPage: createPageGuard(config, authorize),
    onFailure: reportFailure(log),
  }
  const streams = createStreams({ ...shared, subscriptions })
  const proxy = createProxy({
    ...services,
    ...identity,
    authorize,
    callMethod: operation.callMethod,
    times: serviceTimes,
    onRefused: () => void services.refusals.calls++,
    didOfHandle: async (handle, account) =>
      didOf(store, handle) ?? federation.findHandle(handle, { kind: 'account', key: account }),
    freshWrites({ did, account }, { name, caller }) {
      const rename = callerRename(names, name.called)
      const writes = freshWrites(app.viewContext(caller.origin, did), rename)
      return writes && { ...writes, rename: rename?.type ?? ((type) => type), names: [did, account.handle] }
    },
  })
  const route = createRouter({
    ...shared,
    answering,
    forward: proxy?.forward,
    methods,
    streams,
    versionOf: (tables) => store.version(...tables),
    queryHeaders: (nsid, headers) =>
      labelerHeaders(nsid, headers['atproto-accept-labelers']?.toString(), services.serverDid),
    ownNames: requestRename(names),
    callerNames: (called, collection) => callerRename(names, called, collection),
    callerError,
  })
  const known = new Set([...methods, ...subscriptions].map(({ nsid }) => nsid))
  return {
    streams,
    proxy,
    dispatch: async (called, query, req, res) => {
      const nsid = names.own(called)
      if (known.has(nsid) || !redirectPageVisit(req, res)) return route({ called, nsid }, query, req, res)
      services.visitors.note(req)
    },
  }
}
