/** Reads the caller of a request from its connection and headers. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { createAddressReader } from './client-address.ts'
import { isForeignPage } from './host.ts'
import type { Caller } from './method.ts'
import { createOriginReader } from './origin.ts'
import { networkOf, type Sources } from './sources.ts'

export interface CallerOptions {
  /** Proxies whose X-Forwarded-* headers count; none when absent. */
  readonly trustedProxies?: readonly string[]
  /** The public origin of this server, if it has one. */
  readonly publicUrl?: string | undefined
}

/** Creates the reader of callers. @param sources the keys of their limits */
export function createCallerReader(
  { trustedProxies = [], publicUrl }: CallerOptions,
  sources: Sources,
): (req: IncomingMessage) => Caller {
  const readAddress = createAddressReader(trustedProxies)
  const readOrigin = createOriginReader(trustedProxies, publicUrl)
  return (req) => {
    const client = readAddress(req)
    const isForeign = isForeignPage(req.headers)
    const source = sources.of(client, isForeign ? req.headers : undefined)
    const isElsewhere = !client.isLocal && isIP(client.address) !== 0
    return {
      ...client,
      source,
      network: isElsewhere ? networkOf(client.address) : source,
      client: req.headers['user-agent']?.slice(0, 200),
      isForeignPage: isForeign,
      origin: readOrigin(req),
      method: req.method ?? '',
      path: /^(?:https?:\/\/[^/?]*)?([^?]*)/i.exec(req.url ?? '')?.[1] ?? '',
    }
  }
}
