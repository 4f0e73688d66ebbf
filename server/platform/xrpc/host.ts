/**
 * The Host allow-list, which stops DNS rebinding: a page that rebinds its own name to 127.0.0.1 still sends that name as Host.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/**
 * Creates the check of host names.
 * @param hostnames names beside `localhost` and the loopback addresses, without port
 * @param anyAddress whether any IP address is accepted: an address cannot be rebound, and addresses in a network change
 */
export function hostFilter(hostnames: readonly string[], anyAddress: boolean): (hostname: string) => boolean {
  const allowed = new Set(['localhost', ...hostnames.map((name) => name.toLowerCase())])
  return (name) => allowed.has(name) || isLoopback(name) || (anyAddress && isIP(name) !== 0)
}

/** Whether other machines can reach one of the addresses to listen on. */
export function opensToNetwork(hosts: readonly string[]): boolean {
  return !hosts.every((host) => host === 'localhost' || isLoopback(host))
}

/** Whether a server is open to its local network, and to nothing beyond it. */
export function isOnLocalNetwork(config: {
  readonly publicUrl: string | undefined
  readonly hosts: readonly string[]
}): boolean {
  return config.publicUrl === undefined && opensToNetwork(config.hosts)
}

/** Returns the name in a Host header in lower case, without port, brackets and trailing dot; undefined if malformed. */
export function hostname(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/i.exec(host)
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '')
}

export function isLoopback(name: string): boolean {
  return (isIP(name) === 4 && name.startsWith('127.')) || name === '::1'
}

/**
 * Whether a page of another site sent the request: browsers add `Origin` or at least `Sec-Fetch-Site`, and a page cannot remove
 * them (Fetch Standard, Fetch Metadata). Pages of this machine and apps with a scheme of their own do not count as foreign.
 */
export function isForeignPage({ origin, host, ...headers }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return headers['sec-fetch-site'] === 'cross-site'
  const url = URL.parse(origin)
  if (!url) return true
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false
  const name = hostname(url.host)
  return url.host !== host && name !== 'localhost' && !(name !== undefined && isLoopback(name))
}
