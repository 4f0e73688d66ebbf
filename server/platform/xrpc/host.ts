/**
 * The Host allow-list, which stops DNS rebinding: a page that rebinds its own name to 127.0.0.1 still sends that name as Host.
 */
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

/** The last Host header that was read, and its name. Most requests in a row have the same one. */
let last: { readonly host: string; readonly name: string | undefined } = { host: '', name: undefined }

/** Returns the name in a Host header in lower case, without port, brackets and trailing dot; undefined if malformed. */
export function hostname(host: string): string | undefined {
  if (host !== last.host) last = { host, name: parseHost(host) }
  return last.name
}

function parseHost(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/i.exec(host)
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '')
}

export function isLoopback(name: string): boolean {
  return (isIP(name) === 4 && name.startsWith('127.')) || name === '::1'
}

/** Whether a Host header names this computer itself. */
export function isLoopbackHost(host: string | undefined): boolean {
  const name = host === undefined ? undefined : hostname(host)
  return name !== undefined && (name === 'localhost' || isLoopback(name))
}
