/**
 * Where outgoing requests to URLs from other parties may go: to public addresses by https, not into the network of this server.
 * The host is resolved once and the connection is made to the address that was checked, which prevents DNS rebinding.
 */
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type FindAddresses, findForOthers, findForOwner, isRestrictedToLoopback } from './names.ts'

/** The request is forbidden and was not sent. A retry fails too. */
export class OutboundRefused extends Error {
  override name = 'OutboundRefused'
}

/** Whether an IP address is reachable from the whole internet. False for anything that is not an IP address. */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also parses incomplete addresses such as 127.1.
  if (isIP(address) === 0) return false
  // Converts IPv4-mapped IPv6 addresses (::ffff:a.b.c.d) to IPv4.
  const parsed = ipaddr.process(address)
  if (isIn(parsed, nat64)) return isPublicAddress(parsed.toByteArray().slice(12).join('.'))
  return parsed.range() === 'unicast' && !notPublic.some((range) => isIn(parsed, range))
}

type Range = ReturnType<typeof ipaddr.parseCIDR>

/** IPv6 addresses that lead to the IPv4 address in their last four bytes (RFC 6052). */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96')

/** Addresses that ipaddr.js calls unicast: the metadata service of a cloud, IPv4-compatible ones (RFC 4291 §2.5.5.1). */
const notPublic = ['168.63.129.16/32', '::/96'].map((range) => ipaddr.parseCIDR(range))

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, range: Range): boolean {
  return address.kind() === range[0].kind() && address.match(range)
}

/**
 * Parses a URL and makes the checks that need no look-up.
 * @throws OutboundRefused
 */
export function checkUrl(target: string, allowPrivate: boolean): URL {
  // This normalizes every spelling of an IP address: 127.1, 0x7f.1 and 2130706433 all become 127.0.0.1.
  const url = URL.parse(target)
  if (!url) throw new OutboundRefused('Not a URL')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivate)) {
    throw new OutboundRefused(`${url.protocol}//${url.host}: only https is allowed`)
  }
  if (url.username || url.password)
    throw new OutboundRefused(`${url.origin}: credentials in a URL are not allowed`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!mayReach(host)) {
    throw new OutboundRefused(`${host}: this network for tests stays on this computer`)
  }
  // The look-up function below is not called for a literal address.
  if (isIP(host) !== 0) checkAddress(host, host, allowPrivate)
  return url
}

/** Whether a host name or address is permitted: a network for tests stays on this machine. */
export function mayReach(host: string): boolean {
  return !isRestrictedToLoopback() || isOfThisMachine(host)
}

/** Whether a host name or address can only be this machine (RFC 6761 §6.3). */
function isOfThisMachine(host: string): boolean {
  return isIP(host) === 0 ? /^(?:.+\.)?localhost$/.test(host) : ipaddr.process(host).range() === 'loopback'
}

function checkAddress(address: string, host: string, allowPrivate: boolean): void {
  if (!allowPrivate && !isPublicAddress(address)) {
    throw new OutboundRefused(`${host}: not a public address`)
  }
}

/**
 * Returns a look-up that refuses addresses which are not public.
 * @param signal cancels look-ups
 * @param find by default, by the system for hosts that the owner named, which may have private addresses, else by DNS
 */
export function checkedLookup(
  allowPrivate: boolean,
  signal?: AbortSignal,
  find: FindAddresses = allowPrivate ? findForOwner : findForOthers,
): LookupFunction {
  async function addressesOf(host: string): Promise<LookupAddress[]> {
    const addresses = await find(host, signal)
    for (const { address } of addresses) checkAddress(address, host, allowPrivate)
    return addresses
  }
  return (host, options, callback) => {
    addressesOf(host).then(
      (addresses) => {
        if (options.all) callback(null, addresses)
        else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
      },
      (error) => callback(error, ''),
    )
  }
}
