/**
 * The origin under which a client reaches this server, for URLs in responses: the Host that the client sent, or the public URL
 * if that has the same host name. Behind a reverse proxy it comes from X-Forwarded-Host and -Proto.
 */
import type { IncomingMessage } from 'node:http'
import type { Forwarding } from './forwarding.ts'
import { hostname } from './host.ts'

export type ReadOrigin = (req: IncomingMessage) => string

export function createOriginReader(forwarding: Forwarding, publicUrl: string | undefined): ReadOrigin {
  const publicName = publicUrl === undefined ? undefined : hostname(new URL(publicUrl).host)
  /** The last origin that was read. Most requests in a row have the same one, and parsing takes longer than the comparison. */
  let last: { readonly host: string; readonly isSecure: boolean; readonly origin: string | undefined } = {
    ...{ host: '', isSecure: false, origin: undefined },
  }

  function forwarded(req: IncomingMessage, name: 'host' | 'proto'): string | undefined {
    const value = req.headers[`x-forwarded-${name}`]
    if (value === undefined || !forwarding.counts(req)) return undefined
    return String(value).split(',')[0]?.trim().toLowerCase()
  }

  function originOf(host: string, isSecure: boolean): string | undefined {
    if (publicUrl !== undefined && hostname(host) === publicName) return publicUrl
    if (hostname(host) === undefined) return undefined
    return URL.parse(`${isSecure ? 'https' : 'http'}://${host}`)?.origin
  }

  return (req) => {
    const host = forwarded(req, 'host') ?? req.headers.host ?? ''
    const isSecure = forwarded(req, 'proto') === 'https'
    if (host !== last.host || isSecure !== last.isSecure) {
      last = { host, isSecure, origin: originOf(host, isSecure) }
    }
    return last.origin ?? `http://localhost:${req.socket.localPort}`
  }
}
