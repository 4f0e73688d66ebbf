/**
 * The Host allow-list. A page that rebinds its own name to 127.0.0.1 still sends that name as Host: refusing names that
 * are not ours keeps such a page out.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/**
 * @param hostnames names beside `localhost` and the loopback addresses, without port
 * @param anyAddress whether any IP address is accepted: no page can rebind an address, and those of a network change
 */
export function hostFilter(hostnames: readonly string[], anyAddress: boolean): (hostname: string) => boolean {
  const allowed = new Set(['localhost', ...hostnames.map((name) => name.toLowerCase())])
  return (name) => allowed.has(name) || isLoopback(name) || (anyAddress && isIP(name) !== 0)
}

/** Whether one of the addresses to listen on is beyond this machine. */
export function opensToNetwork(hosts: readonly string[]): boolean {
  return !hosts.every((host) => host === 'localhost' || isLoopback(host))
}

/** The name of a Host header: lower case, without port, brackets or trailing dot. Undefined when it is none. */
export function hostname(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/i.exec(host)
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '')
}

export function isLoopback(name: string): boolean {
  return (isIP(name) === 4 && name.startsWith('127.')) || name === '::1'
}

/**
 * Whether a browser sent a request for a page of another site: such a page cannot keep the browser from saying so (Fetch
 * Standard, `Origin`). Pages of this machine, and programs with a scheme of their own, are no strangers.
 */
export function isForeignPage({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return false
  const url = URL.parse(origin)
  if (!url) return true
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false
  const name = hostname(url.host)
  return url.host !== host && name !== 'localhost' && !(name !== undefined && isLoopback(name))
}
