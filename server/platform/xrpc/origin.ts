/**
 * The origin under which a client reaches this server, for URLs in responses: the Host that the client sent, or the public URL
 * if that has the same host name. Behind a reverse proxy it comes from X-Forwarded-Host and -Proto.
 */
import type { IncomingMessage } from 'node:http'
import proxyAddr from 'proxy-addr'
import { hostname } from './host.ts'

export type ReadOrigin = (req: IncomingMessage) => string

/** @param trustedProxies addresses, CIDR ranges or `loopback`; X-Forwarded-* of any other sender is ignored */
export function createOriginReader(
  trustedProxies: readonly string[],
  publicUrl: string | undefined,
): ReadOrigin {
  const isTrusted = proxyAddr.compile([...trustedProxies])
  const publicName = publicUrl === undefined ? undefined : hostname(new URL(publicUrl).host)

  function forwarded({ headers, socket }: IncomingMessage, name: 'host' | 'proto'): string | undefined {
    const value = headers[`x-forwarded-${name}`]
    if (value === undefined || !isTrusted(socket.remoteAddress ?? '', 0)) return undefined
    return String(value).split(',')[0]?.trim().toLowerCase()
  }

  return (req) => {
    const host = forwarded(req, 'host') ?? req.headers.host ?? ''
    if (publicUrl !== undefined && hostname(host) === publicName) return publicUrl
    const scheme = forwarded(req, 'proto') === 'https' ? 'https' : 'http'
    const url = hostname(host) === undefined ? null : URL.parse(`${scheme}://${host}`)
    return url?.origin ?? `http://localhost:${req.socket.localPort}`
  }
}
