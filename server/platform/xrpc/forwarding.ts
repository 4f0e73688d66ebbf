/**
 * When headers of reverse proxies and tunnels count: `X-Forwarded-For` names the client, `X-Forwarded-Host` and `-Proto` the address
 * that it uses.
 *
 * Pages and programs of this computer can connect as a proxy does that runs on it. Such a proxy therefore has a listener of its own,
 * whose requests always count as from outside. At the ordinary listener these headers are ignored for a loopback name, because a
 * proxy for a public name uses that one.
 */
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import ipaddr from 'ipaddr.js'
import proxyAddr from 'proxy-addr'
import { isLoopback, isLoopbackHost } from './host.ts'

/** Connections at the listener of proxies. */
const proxied = new WeakSet<Duplex>()

/** Notes a connection at the listener of proxies. */
export function noteProxied(socket: Duplex): void {
  proxied.add(socket)
}

/** The other end of a connection: a client or a proxy. */
export interface Sender {
  /** Canonical IP address, IPv4 in dotted form. */
  readonly address: string
  readonly isLoopback: boolean
  /** Whether it is connected to the listener of proxies. */
  readonly isProxied: boolean
  readonly isTrusted: boolean
}

export interface Forwarding {
  senderOf(socket: Socket): Sender
  /** Whether the forwarding headers of a request count. */
  counts(req: IncomingMessage): boolean
  /** The last address in X-Forwarded-For, except those of trusted proxies; empty if it is malformed. Those before it may be forged. */
  clientOf(req: IncomingMessage): string
}

/** @param trustedProxies addresses, CIDR ranges or `loopback` */
export function createForwarding(trustedProxies: readonly string[]): Forwarding {
  const atOrdinary = proxyAddr.compile([...trustedProxies])
  const atProxied = proxyAddr.compile(['loopback', ...trustedProxies])
  /** Senders by connection. They do not change, and parsing takes longer than most other steps of a request. */
  const senders = new WeakMap<Socket, Sender>()

  function senderOf(socket: Socket): Sender {
    const cached = senders.get(socket)
    if (cached) return cached
    const address = canonical(socket.remoteAddress ?? '')
    const isProxied = proxied.has(socket)
    const sender = {
      address,
      isProxied,
      isLoopback: isLoopback(address),
      isTrusted: (isProxied ? atProxied : atOrdinary)(address, 0),
    }
    senders.set(socket, sender)
    return sender
  }

  return {
    senderOf,
    counts({ socket, headers }) {
      const { isTrusted, isProxied } = senderOf(socket)
      return isTrusted && (isProxied || !isLoopbackHost(headers.host))
    },
    clientOf(req) {
      if (req.headers['x-forwarded-for'] === undefined) return ''
      return canonical(proxyAddr(req, senderOf(req.socket).isProxied ? atProxied : atOrdinary))
    },
  }
}

/** Returns a canonical IP address, without the port that some proxies append; empty if the text is not an address. */
function canonical(text: string): string {
  const address = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(address) === 0 ? '' : ipaddr.process(address).toString()
}
