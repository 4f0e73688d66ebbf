/** Addresses of host names for tests: replaces the look-up of names in this process. */
import dns, { type LookupAllOptions } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

const original = dns.promises.lookup

/** Resolves the names to their addresses, and no other name but localhost. */
export function resolveNames(names: Readonly<Record<string, readonly string[]>>): void {
  const lookup = async (host: string, options: LookupAllOptions) => {
    if (host === 'localhost') return original(host, options)
    const addresses = names[host]
    if (!addresses) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  dns.promises.lookup = lookup as unknown as typeof dns.promises.lookup
  syncBuiltinESMExports()
}

export function restoreNames(): void {
  dns.promises.lookup = original
  syncBuiltinESMExports()
}
