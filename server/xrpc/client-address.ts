/**
 * The address of a client. Behind a reverse proxy it is the last address in X-Forwarded-For that is not of a trusted proxy. The
 * addresses before it come from the client and may be forged.
 */
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import proxyAddr from 'proxy-addr'
import { isLoopback } from './host.ts'

export interface ClientAddress {
  /** Canonical IP address, IPv4 in dotted form. Empty when the proxy did not forward a valid one. */
  readonly address: string
  /** Whether the client is a program on this machine: a loopback connection that no proxy forwarded. */
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
    if (!isForwarded) return sender
    return { address: canonical(proxyAddr(req, isTrusted)), isLocal: false, isForwarded: true }
  }
}

/** Returns a canonical IP address, without the port that some proxies append; empty if the text is not an address. */
function canonical(text: string): string {
  const address = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(address) === 0 ? '' : ipaddr.process(address).toString()
}
