/** The sources of calls: the keys under which rate limits count the calls of one client. */
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { systemTime } from '../../util/timers.ts'
import type { ClientAddress } from './client-address.ts'
import { hostname, isLoopback } from './host.ts'

type Client = Pick<ClientAddress, 'address' | 'isLocal'>

export interface Sources {
  /** Returns the source of a call. @param page the headers, if a page of another site sent it */
  of(client: Client, page?: Pick<IncomingHttpHeaders, 'origin'>): string
  /** Notes that a page sent valid credentials: a person uses its site. */
  prove(page: Pick<IncomingHttpHeaders, 'origin'>): void
}

/** Most sites with a source of their own: without a valid sign-in so far, and with one. */
const maxUnproven = 8
const maxProven = 100
/** A site without a sign-in gives its place up after this time without calls. */
const unprovenMs = 60 * 60_000

/**
 * One machine can use every IPv6 address of its network, so the network is the source. Clients whose proxy forwards no usable
 * address share one. So do the pages of one site in browsers of this machine: they cannot use up the limits of the owner, or of
 * another site. A site with a sign-in keeps its source; of the others, the first eight have their own and all
 * further ones share one, so that a page cannot multiply its limits by many names.
 */
export function createSources(): Sources {
  /** The times of the last calls, in milliseconds since the epoch. */
  const unproven = new Map<string, number>()
  const proven = new Set<string>()

  function ofPage(origin: string | undefined): string {
    const source = `page ${siteOf(origin)}`
    if (proven.has(source)) return source
    const now = systemTime().getTime()
    if (!unproven.has(source) && unproven.size >= maxUnproven) {
      for (const [other, at] of unproven) if (Math.abs(now - at) > unprovenMs) unproven.delete(other)
      if (unproven.size >= maxUnproven) return 'pages'
    }
    unproven.set(source, now)
    return source
  }

  return {
    of({ address, isLocal }, page) {
      if (isLocal) return page ? ofPage(page.origin) : address
      if (address === '' || isLoopback(address)) return 'proxy'
      return isIP(address) === 6 ? groupsOf(address, 4) : address
    },
    prove({ origin }) {
      const source = `page ${siteOf(origin)}`
      unproven.delete(source)
      proven.add(source)
      const [oldest] = proven
      if (oldest !== undefined && proven.size > maxProven) proven.delete(oldest)
    },
  }
}

/**
 * Returns the site of an origin: its last two labels, which one owner can hardly multiply. Names under a shared suffix such as
 * co.uk count as one site.
 */
function siteOf(origin = ''): string {
  const name = hostname(URL.parse(origin)?.host ?? '')
  if (name === undefined || isIP(name) !== 0) return name ?? ''
  return name.split('.').slice(-2).join('.')
}

/**
 * Returns the network of a client, which contains many sources: the IPv4 /24 or IPv6 /48, as one owner may have it. Empty for an
 * unknown address.
 */
export function networkOf(address: string): string {
  return isIP(address) === 6 ? groupsOf(address, 3) : address.split('.').slice(0, 3).join('.')
}

/** Returns so many groups of 16 bits of an IPv6 address. */
function groupsOf(address: string, count: number): string {
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, count)
  return groups.map((group) => group.toString(16)).join(':')
}
