/** Which clients called lately, so that a person who connects one sees whether it arrives. In memory; the longest silent one is dropped. */
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { type DatetimeString, iso } from '../../util/time.ts'
import { type ClientAddress, createAddressReader } from './client-address.ts'
import { createForwarding } from './forwarding.ts'
import { createOriginReader } from './origin.ts'
import { windowOrigin } from './page-origin.ts'

export interface Visitor {
  /** The site of a page. */
  readonly origin: string | undefined
  /** `User-Agent`, first 200 characters. */
  readonly client: string | undefined
  /** Its last call. */
  readonly at: DatetimeString
}

export interface Visitors {
  /** Notes a request, unless our own page or the app window sent it. */
  note(req: IncomingMessage): void
  /** Returns the clients at the address of a caller, latest first. Programs of this machine share one, whichever name they used. */
  near(caller: Pick<ClientAddress, 'address' | 'isLocal'>): Visitor[]
}

interface Options {
  readonly now: () => Date
  readonly trustedProxies: readonly string[]
  readonly publicUrl: string | undefined
}

const maxVisitors = 200

export function createVisitors({ now, trustedProxies, publicUrl }: Options): Visitors {
  const forwarding = createForwarding(trustedProxies)
  const readAddress = createAddressReader(forwarding)
  const readOrigin = createOriginReader(forwarding, publicUrl)
  const visitors = new LRUCache<string, Visitor & { readonly place: string }>({ max: maxVisitors })
  return {
    note(req) {
      const { origin, 'user-agent': agent, 'sec-fetch-site': site } = req.headers
      // WebSockets have no `Sec-Fetch-Site`, but always an `Origin`.
      if (site === 'same-origin' || origin === windowOrigin || origin === readOrigin(req)) return
      const place = placeOf(readAddress(req))
      const client = agent?.slice(0, 200)
      const visitor = { place, origin: origin?.slice(0, 200), client, at: iso(now()) }
      visitors.set(`${place} ${visitor.origin} ${client}`, visitor)
    },

    near(caller) {
      const wanted = placeOf(caller)
      // The cache lists the latest one first.
      return [...visitors.values()].flatMap(({ place, ...visitor }) => (place === wanted ? [visitor] : []))
    },
  }
}

function placeOf({ address, isLocal }: Pick<ClientAddress, 'address' | 'isLocal'>): string {
  return isLocal ? 'local' : address
}
