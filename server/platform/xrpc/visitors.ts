/** Which clients called lately, so that a person who connects one sees whether it arrives. In memory; the longest silent one is dropped. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { type DatetimeString, iso } from '../../util/time.ts'
import { type ClientAddress, createAddressReader } from './client-address.ts'
import { createForwarding } from './forwarding.ts'
import type { Caller } from './method.ts'
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
  /** As `note`, for a request whose caller has been read. */
  noteCaller(caller: NotedCaller, headers: IncomingHttpHeaders): void
  /** Returns the clients at the address of a caller, latest first. Programs of this machine share one, whichever name they used. */
  near(caller: Pick<ClientAddress, 'address' | 'isLocal'>): Visitor[]
}

type NotedCaller = Pick<Caller, 'address' | 'isLocal' | 'origin' | 'client'>

interface Noted extends Pick<Visitor, 'origin' | 'client'> {
  readonly place: string
  at: Date
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
  const visitors = new LRUCache<string, Noted>({ max: maxVisitors })
  let latest: Noted | undefined

  function noteCaller(caller: NotedCaller, headers: IncomingHttpHeaders): void {
    const { origin, 'sec-fetch-site': site } = headers
    // WebSockets have no `Sec-Fetch-Site`, but always an `Origin`.
    if (site === 'same-origin' || origin === windowOrigin || origin === caller.origin) return
    const place = placeOf(caller)
    const { client } = caller
    const page = origin?.slice(0, 200)
    const at = now()
    // Most calls in a row are of one client, whose place in the list stays.
    if (latest && latest.client === client && latest.origin === page && latest.place === place) {
      latest.at = at
      return
    }
    latest = { place, origin: page, client, at }
    visitors.set(`${place} ${page} ${client}`, latest)
  }

  return {
    noteCaller,

    note(req) {
      const client = req.headers['user-agent']?.slice(0, 200)
      noteCaller({ ...readAddress(req), origin: readOrigin(req), client }, req.headers)
    },

    near(caller) {
      const wanted = placeOf(caller)
      // The cache lists the latest one first.
      const noted = [...visitors.values()].filter(({ place }) => place === wanted)
      return noted.map(({ origin, client, at }) => ({ origin, client, at: iso(at) }))
    },
  }
}

function placeOf({ address, isLocal }: Pick<ClientAddress, 'address' | 'isLocal'>): string {
  return isLocal ? 'local' : address
}
