/** Listens for programs and browsers, and on a port of its own for proxies and tunnels. */
import { asksForHandle } from '../operation/web/well-known.ts'
import type { Config } from '../platform/config/config.ts'
import { version } from '../platform/config/version.ts'
import { noteProxied } from '../platform/xrpc/forwarding.ts'
import { opensToNetwork } from '../platform/xrpc/host.ts'
import { createApp, type Fallback, type HttpOptions } from '../platform/xrpc/http.ts'
import { type App, type Listener, listen } from '../platform/xrpc/listen.ts'
import type { Database } from '../store/database.ts'

/** A proxy may use the name localhost, which can stand for either address. */
const loopback = ['127.0.0.1', '::1']

export interface Handlers {
  readonly dispatch: HttpOptions['dispatch']
  readonly fallback: Fallback
}

/** Opens the listener of an app, which may be one that is open already. */
export type Listen = (app: App, hosts: readonly string[], port: number) => Promise<Listener>

/** Listens. Requests wait until the handlers are ready. */
export async function listenFor(
  handlers: Promise<Handlers>,
  {
    config,
    store,
    instance,
    open = listen,
  }: {
    readonly config: Config
    readonly store: Database
    readonly instance: string
    readonly open?: Listen | undefined
  },
): Promise<Listener & { readonly proxyPort: number | undefined }> {
  let ready: Handlers | undefined
  void handlers.then(
    (made) => {
      ready = made
    },
    () => {},
  )
  const app = createApp({
    dispatch: (...request) =>
      ready ? ready.dispatch(...request) : handlers.then(({ dispatch }) => dispatch(...request)),
    fallback: async (...request) => (await handlers).fallback(...request),
    hostnames: hostnamesOf(config),
    anyAddress: opensToNetwork(config.hosts),
    opensTo: (name, path) => asksForHandle(config, store, name, path),
    health: () => ({ version, healthy: store.writable }),
    instance,
  })
  const ordinary = await open(app, config.hosts, config.port)
  if (config.proxyPort === undefined) return { ...ordinary, proxyPort: undefined }
  const ofProxies = await listen(app, loopback, config.proxyPort, undefined, noteProxied).catch(
    async (error: unknown) => {
      await ordinary.close()
      throw error
    },
  )
  return {
    port: ordinary.port,
    proxyPort: ofProxies.port,
    async close(graceMs) {
      await Promise.all([ordinary.close(graceMs), ofProxies.close(graceMs)])
    },
  }
}

function hostnamesOf({ publicUrl, hostnames }: Config): string[] {
  return publicUrl === undefined ? [...hostnames] : [...hostnames, new URL(publicUrl).hostname]
}
