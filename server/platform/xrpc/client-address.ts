/** The address of a client, and whether it is a program on this machine. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Forwarding } from './forwarding.ts'
import { isLoopbackHost } from './host.ts'

export interface ClientAddress {
  /** Canonical IP address, IPv4 in dotted form. Empty when the proxy did not forward a valid one. */
  readonly address: string
  /**
   * Whether the client is a program on this machine: it connects by loopback to the ordinary listener, to a loopback name, and no
   * proxy forwarded it.
   */
  readonly isLocal: boolean
  /** Whether it came by the listener of proxies, or a trusted proxy forwarded it. */
  readonly isForwarded: boolean
}

export type ReadAddress = (req: IncomingMessage) => ClientAddress

export function createAddressReader(forwarding: Forwarding): ReadAddress {
  return (req) => {
    const { address, isLoopback, isProxied } = forwarding.senderOf(req.socket)
    const isForwarded = isProxied || (req.headers['x-forwarded-for'] !== undefined && forwarding.counts(req))
    if (isForwarded) return { address: forwarding.clientOf(req), isLocal: false, isForwarded }
    return { address, isLocal: isLoopback && isDirect(req.headers), isForwarded }
  }
}

/** Headers that reverse proxies and tunnels add. Preflights refuse them to pages, see {@link isProxyHeader}. */
const proxyHeaders = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'forwarded',
  'via',
  'x-real-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-ray',
  'tailscale-user-login',
  'tailscale-funnel-request',
]
const proxyHeaderFamilies =
  /^(x-forwarded|x-original-forwarded|x-real-|x-client-ip|x-cluster-client-ip|x-envoy-|cf-|tailscale-|fastly-)/

/** Whether only proxies and tunnels send a header. @param name in lower case */
export function isProxyHeader(name: string): boolean {
  return proxyHeaders.includes(name) || proxyHeaderFamilies.test(name)
}

/**
 * Whether a request over loopback comes from a program on this machine. A proxy or tunnel that is not configured connects by
 * loopback too: it shows by the headers that it adds, or by the public name that its clients use.
 */
function isDirect(headers: IncomingHttpHeaders): boolean {
  return isLoopbackHost(headers.host) && !Object.keys(headers).some(isProxyHeader)
}
