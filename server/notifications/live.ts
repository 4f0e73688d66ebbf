/**
 * Notifications as they happen, for those who follow an account: each that arrives, and the unread count when it changes.
 *
 * Much can change the count: arrivals, the seen marker, preferences, records that go, follows, the state of an author. So after
 * each change of the store it is counted again for every account that somebody follows, by what `getUnreadCount` answers from.
 * Changes that come while that goes on are seen together by the next round, and no round keeps others waiting.
 */
import { setImmediate } from 'node:timers/promises'
import type { app } from '../../lexicons/generated/index.ts'
import type { Aliases } from '../config/aliases.ts'
import type { Database } from '../store/database.ts'
import { StoreUnavailable } from '../store/errors.ts'
import * as notifications from '../store/tables/notifications.ts'
import type { NotificationEvents } from './events.ts'
import { preferencesOf, wantedBy } from './preferences.ts'
import { notificationViews } from './view.ts'

type Message = app.example.notification.subscribe.$Message
type Send = (message: Message) => void

export interface LiveNotifications {
  /** Sends the unread count, then what becomes of it. Nothing is sent before it is on disk. @returns a function that ends it */
  follow(did: string, send: Send): () => void
}

export interface LiveOptions {
  readonly store: Database
  readonly aliases: Aliases
  readonly events: NotificationEvents
  /** Told of what nobody else sees fail. */
  readonly onFault: (error: unknown) => void
}

interface Followed {
  readonly did: string
  /** Each follower with the count that it was sent last. */
  readonly followers: Map<Send, number | undefined>
  /** What has arrived and has not been sent. */
  readonly arrivals: notifications.Arrivals[]
}

const nsid = 'app.example.notification.subscribe'
/** How long a round may go on at a time. */
const sliceMs = 5

export function createLive({ store, aliases, events, onFault }: LiveOptions): LiveNotifications {
  const accounts = new Map<string, Followed>()
  let isDue = false
  let isRunning = false

  function request(): void {
    if (accounts.size === 0) return
    isDue = true
    if (!isRunning) void run()
  }

  async function run(): Promise<void> {
    isRunning = true
    while (isDue) {
      isDue = false
      await round().catch((error: unknown) => {
        // What was read is not so: memory goes back to what is on disk, and that is a change which asks for another round.
        if (!(error instanceof StoreUnavailable)) onFault(error)
      })
    }
    isRunning = false
  }

  async function round(): Promise<void> {
    await store.settled()
    // Who publishes what has just reached the disk goes first.
    await setImmediate()
    const left = [...accounts.keys()]
    while (left.length > 0) {
      const { epoch } = store
      const ready = slice(left)
      await store.settled(epoch)
      for (const send of ready) send()
      if (left.length > 0) await setImmediate()
    }
  }

  /** Reads for as long as a slice lasts. @returns what is to be sent */
  function slice(left: string[]): (() => void)[] {
    const ready: (() => void)[] = []
    const end = performance.now() + sliceMs
    do {
      const account = accounts.get(left.pop() ?? '')
      const send = account && read(account)
      if (send) ready.push(send)
    } while (left.length > 0 && performance.now() < end)
    return ready
  }

  function read({ did, followers, arrivals }: Followed): (() => void) | undefined {
    const wanted = wantedBy(preferencesOf(store, did), 'list')
    const count = notifications.countUnread(store, did, wanted)
    const looked = arrivals.length
    const isNews = [...followers.values()].some((last) => last !== count)
    if (!isNews && looked === 0) return undefined
    const arrived = arrivals.flatMap((range) =>
      notifications.arrived(store, { did, wanted, arrivals: range }),
    )
    const seenAt = notifications.seenAt(store, did)
    const views = notificationViews(store, aliases, arrived, seenAt)
      .toSorted((a, b) => (a.indexedAt < b.indexedAt ? -1 : 1))
      .map((notification): Message => ({ $type: `${nsid}#notification`, notification }))
    const counted: Message = { $type: `${nsid}#unreadCount`, count }
    return () => {
      arrivals.splice(0, looked)
      for (const [send, last] of followers) {
        followers.set(send, count)
        if (last === undefined) send(counted)
        for (const view of views) send(view)
        if (last !== undefined && last !== count) send(counted)
      }
    }
  }

  store.watch(request)
  events.subscribe((arrivals) => {
    if (accounts.size === 0) return
    for (const { did, arrivals: theirs } of notifications.recipients(store, arrivals)) {
      accounts.get(did)?.arrivals.push(theirs)
    }
    request()
  })

  return {
    follow(did, send) {
      const account = accounts.get(did) ?? { did, followers: new Map(), arrivals: [] }
      accounts.set(did, account)
      account.followers.set(send, undefined)
      request()
      return () => {
        account.followers.delete(send)
        if (account.followers.size === 0) accounts.delete(did)
      }
    },
  }
}
