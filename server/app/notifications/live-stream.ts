/**
 * Live notifications: sends each new notification to the subscribers of its account, and the unread count when it changes.
 *
 * Arrivals, the seen marker, preferences, deleted records, follows and the status of authors all change the count. So every change
 * of the store starts a round, which counts again for each account with subscribers. Changes during a round are handled by the next
 * one. A round yields to the event loop every few milliseconds.
 */
import type { app } from '../../../lexicons/generated/index.ts'
import type { Database } from '../../store/database.ts'
import { StoreUnavailable } from '../../store/files/store-errors.ts'
import { realElapsed } from '../../util/deadlines.ts'
import { createRounds } from '../../util/rounds.ts'
import { yieldToEventLoop } from '../../util/timers.ts'
import * as notifications from '../tables/notifications.ts'
import type { ViewContext } from '../views/load/context.ts'
import type { NotificationEvents } from './arrivals.ts'
import { notificationViews } from './notification-view.ts'
import { preferencesOf, wantedBy } from './preferences.ts'

type Message = app.example.notification.subscribe.$Message
type Send = (message: Message) => void

export interface LiveNotifications {
  /**
   * Sends the unread count, then each notification and each change of the count, once it is on disk.
   * @returns a function that unsubscribes
   */
  subscribe(did: string, send: Send): () => void
}

interface Deps {
  readonly store: Database
  /** Creates the view context of an account. */
  readonly viewContext: (did: string) => ViewContext
  readonly events: NotificationEvents
  /** Reports unexpected errors, because a round has no caller. */
  readonly onFault: (error: unknown) => void
}

interface LiveAccount {
  readonly did: string
  /** Each subscriber with the count that it received last. */
  readonly subscribers: Map<Send, number | undefined>
  /** Not sent yet. */
  readonly arrivals: notifications.Arrivals[]
}

const nsid = 'app.example.notification.subscribe'
/** Longest time that a round blocks the event loop. */
const sliceMs = 5

export function createLive(deps: Deps): LiveNotifications {
  const { store, events } = deps
  const accounts = new Map<string, LiveAccount>()
  const requestRound = createRounds(
    () => runRound(deps, accounts),
    (error) => {
      // A failed write rolls memory back to the disk; the rollback is a change of the store and requests another round.
      if (!(error instanceof StoreUnavailable)) deps.onFault(error)
    },
  )

  store.watch('all', () => {
    if (accounts.size > 0) requestRound()
  })
  events.subscribe((arrivals) => {
    if (accounts.size === 0) return
    for (const { did, arrivals: own } of notifications.recipients(store, arrivals)) {
      accounts.get(did)?.arrivals.push(own)
    }
    requestRound()
  })

  return {
    subscribe(did, send) {
      const account = accounts.get(did) ?? { did, subscribers: new Map(), arrivals: [] }
      accounts.set(did, account)
      account.subscribers.set(send, undefined)
      requestRound()
      return () => {
        account.subscribers.delete(send)
        if (account.subscribers.size === 0) accounts.delete(did)
      }
    },
  }
}

async function runRound(deps: Deps, accounts: ReadonlyMap<string, LiveAccount>): Promise<void> {
  const { store } = deps
  await published(store)
  const pending = [...accounts.keys()]
  while (pending.length > 0) {
    const { epoch } = store
    const updates = prepareSlice(deps, accounts, pending)
    // The reads may include transactions that are not on disk yet.
    await published(store, epoch)
    for (const sendUpdate of updates) sendUpdate()
  }
}

/** Resolves once all transactions are on disk and their writers have published the arrivals. */
async function published(store: Database, epoch?: number): Promise<void> {
  await store.settled(epoch)
  await yieldToEventLoop()
}

/** Takes accounts from `pending` and prepares their updates until the time slice has ended. */
function prepareSlice(
  deps: Deps,
  accounts: ReadonlyMap<string, LiveAccount>,
  pending: string[],
): (() => void)[] {
  const updates: (() => void)[] = []
  const end = realElapsed() + sliceMs
  do {
    const account = accounts.get(pending.pop() ?? '')
    const sendUpdate = account && prepareUpdate(deps, account)
    if (sendUpdate) updates.push(sendUpdate)
  } while (pending.length > 0 && realElapsed() < end)
  return updates
}

/** Reads the changes for an account. @returns a function that sends it; undefined if nothing has changed */
function prepareUpdate({ store, viewContext }: Deps, account: LiveAccount): (() => void) | undefined {
  const { did, subscribers, arrivals } = account
  const wanted = wantedBy(preferencesOf(store, did), 'list')
  const count = notifications.countUnread(store, did, wanted)
  const handled = arrivals.length
  const isCountNew = [...subscribers.values()].some((last) => last !== count)
  if (!isCountNew && handled === 0) return undefined
  const arrived = arrivals.flatMap((range) => notifications.arrived(store, { did, wanted, arrivals: range }))
  const views = notificationViews(viewContext(did), arrived, notifications.seenAt(store, did))
    .toSorted((a, b) => (a.indexedAt < b.indexedAt ? -1 : 1))
    .map((notification): Message => ({ $type: `${nsid}#notification`, notification }))
  const unreadCount: Message = { $type: `${nsid}#unreadCount`, count }
  return () => {
    arrivals.splice(0, handled)
    // The count may include these; the next round sends them, then the count.
    const hasMore = arrivals.length > 0
    for (const [send, last] of subscribers) {
      // The count is the first message to a new subscriber, and otherwise follows the notifications that changed it.
      const isNew = last === undefined
      if (isNew) send(unreadCount)
      for (const view of views) send(view)
      if (!isNew && (hasMore || last === count)) continue
      if (!isNew) send(unreadCount)
      subscribers.set(send, count)
    }
  }
}
