/**
 * The Host allow-list. A page that rebinds its own name to 127.0.0.1 still sends that name as Host: refusing names that
 * are not ours keeps such a page out.
 */
import { isIP } from 'node:net'

/** @param hostnames names beside `localhost` and the loopback addresses, without port */
export function hostFilter(hostnames: readonly string[]): (host: string | undefined) => boolean {
  const allowed = new Set(['localhost', ...hostnames.map((name) => name.toLowerCase())])
  const verdicts = new Map<string, boolean>()
  return (host) => {
    if (host === undefined) return false
    let verdict = verdicts.get(host)
    if (verdict === undefined) {
      const name = hostname(host)
      verdict = name !== undefined && (allowed.has(name) || isLoopback(name))
      // Only what passes is remembered: a stranger must not be able to fill the memory with names.
      if (verdict) verdicts.set(host, verdict)
    }
    return verdict
  }
}

/** The name of a Host header: lower case, without port, brackets or trailing dot. */
function hostname(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/i.exec(host)
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '')
}

function isLoopback(name: string): boolean {
  return (isIP(name) === 4 && name.startsWith('127.')) || name === '::1'
}
