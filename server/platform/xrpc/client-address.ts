/**
 * The address of a client. Behind a reverse proxy it is the last address in X-Forwarded-For that is not of a trusted proxy. The
 * addresses before it come from the client and may be forged.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import proxyAddr from 'proxy-addr'
import { hostname, isLoopback } from './host.ts'

export interface ClientAddress {
  /** Canonical IP address, IPv4 in dotted form. Empty when the proxy did not forward a valid one. */
  readonly address: string
  /** Whether the client is a program on this machine: it connects by loopback, to a loopback name, and no proxy forwarded it. */
  readonly isLocal: boolean
  /** Whether a trusted proxy forwarded the request. */
  readonly isForwarded: boolean
}

export type ReadAddress = (req: IncomingMessage) => ClientAddress

/** @param trustedProxies addresses, CIDR ranges or `loopback`; X-Forwarded-For of any other sender is ignored */
export function createAddressReader(trustedProxies: readonly string[]): ReadAddress {
  const isTrusted = proxyAddr.compile([...trustedProxies])
  /** Addresses by connection. They do not change, and parsing takes longer than most other steps of a request. */
  const senders = new WeakMap<Socket, ClientAddress>()

  function senderOf(socket: Socket): ClientAddress {
    const cached = senders.get(socket)
    if (cached) return cached
    const address = canonical(socket.remoteAddress ?? '')
    const sender = { address, isLocal: isLoopback(address), isForwarded: false }
    senders.set(socket, sender)
    return sender
  }

  return (req) => {
    const sender = senderOf(req.socket)
    const isForwarded = req.headers['x-forwarded-for'] !== undefined && isTrusted(sender.address, 0)
    if (!isForwarded) {
      return sender.isLocal && !isDirect(req.headers) ? { ...sender, isLocal: false } : sender
    }
    return { address: canonical(proxyAddr(req, isTrusted)), isLocal: false, isForwarded: true }
  }
}

/** Headers that reverse proxies and tunnels add. */
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

/**
 * Whether a request over loopback comes from a program on this machine. A proxy or tunnel that is not configured connects by
 * loopback too: it shows by the headers that it adds, or by the public name that its clients use.
 */
function isDirect(headers: IncomingHttpHeaders): boolean {
  if (proxyHeaders.some((name) => headers[name] !== undefined)) return false
  const name = hostname(headers.host ?? '')
  return name !== undefined && (name === 'localhost' || isLoopback(name))
}

/** Returns a canonical IP address, without the port that some proxies append; empty if the text is not an address. */
function canonical(text: string): string {
  const address = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(address) === 0 ? '' : ipaddr.process(address).toString()
}
