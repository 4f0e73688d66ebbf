/** Reads the caller of a request from its connection and headers. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { createAddressReader } from './client-address.ts'
import { createForwarding } from './forwarding.ts'
import type { Caller } from './method.ts'
import { createOriginReader } from './origin.ts'
import { createPageReader, type PageSender } from './page-origin.ts'
import { networkOf, type Sources } from './sources.ts'

export interface CallerOptions {
  /** Proxies whose X-Forwarded-* headers count; none when absent. */
  readonly trustedProxies?: readonly string[]
  /** Origins whose pages may read as programs do; none when absent. */
  readonly trustedOrigins?: readonly string[]
  /** The public origin of this server, if it has one. */
  readonly publicUrl?: string | undefined
}

/** Creates the reader of callers. @param sources the keys of their limits */
export function createCallerReader(
  options: CallerOptions,
  sources: Sources,
): (req: IncomingMessage) => Caller {
  const readConnection = createReaders(options)
  return (req) => {
    const { client, page, origin } = readConnection(req)
    const source = sources.of(client, page.isForeignPage ? req.headers : undefined)
    const isElsewhere = !client.isLocal && isIP(client.address) !== 0
    return {
      ...client,
      ...page,
      source,
      network: isElsewhere ? networkOf(client.address) : source,
      client: req.headers['user-agent']?.slice(0, 200),
      origin,
      method: req.method ?? '',
      path: pathOf(req.url ?? ''),
    }
  }
}

/** Creates the reader of the page that sent a request, for paths that have no caller. */
export function createSenderReader(options: CallerOptions): (req: IncomingMessage) => PageSender {
  const read = createReaders(options)
  return (req) => read(req).page
}

function createReaders({ trustedProxies = [], trustedOrigins = [], publicUrl }: CallerOptions) {
  const forwarding = createForwarding(trustedProxies)
  const readAddress = createAddressReader(forwarding)
  const readOrigin = createOriginReader(forwarding, publicUrl)
  const readPage = createPageReader(trustedOrigins)
  return (req: IncomingMessage) => {
    const origin = readOrigin(req)
    return { client: readAddress(req), page: readPage(req, origin), origin }
  }
}

/** Returns the path of a target, which may be in absolute form. */
function pathOf(url: string): string {
  if (!url.startsWith('/')) return /^(?:https?:\/\/[^/?]*)?([^?]*)/i.exec(url)?.[1] ?? ''
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
