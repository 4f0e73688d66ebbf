/**
 * Delivers what is in the push queue: some at once, one at a time to a device, and few to one target, so that a slow one keeps
 * nobody else waiting; a target that is down is left alone for a while. What fails is tried again, later each time, and given up
 * in the end. Whatever happens, a delivery is in the store until its outcome is, so a stop or a crash loses none; it may be
 * delivered twice.
 */

import type { Config } from '../config/config.ts'
import type { ResolveDid } from '../identity/resolver.ts'
import type { Secrets } from '../identity/secrets.ts'
import type { Background } from '../jobs/background.ts'
import type { NotificationEvents } from '../notifications/events.ts'
import type { Database } from '../store/database.ts'
import * as queue from '../store/tables/push-queue.ts'
import type { Logger } from '../util/log.ts'
import { iso } from '../util/time.ts'
import { deliver, type Outcome } from './deliver.ts'

interface Deps {
  readonly config: Config
  readonly store: Database
  readonly secrets: Secrets
  readonly resolveDid: ResolveDid
  readonly notifications: NotificationEvents
  readonly background: Background
  readonly log: Logger
  readonly now: () => Date
}

const atOnce = 8
const atOncePerTarget = 2
/** After the first failure, the second, and so on; in milliseconds. After one more it is given up. */
const delaysMs = [10_000, 60_000, 10 * 60_000, 60 * 60_000] as const
/** Timers stand still while a computer sleeps. */
const longestTimerMs = 60_000

/** @returns a function that stops it: what is under way is given up, and delivered after the next start */
export function startPushQueue(services: Deps): () => void {
  const { store, background, notifications, now, log } = services
  const underWay = new Set<queue.Delivery>()
  /** Targets that are down, and until when they are left alone; in milliseconds since 1970. */
  const resting = new Map<string, number>()
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined

  /** Delivers what is due; goes on when that is done, when more becomes due and when more arrives. */
  function wake(): void {
    while (!closing.signal.aborted && underWay.size < atOnce) {
      const at = now().getTime()
      for (const [target, until] of resting) if (until <= at) resting.delete(target)
      const delivery = queue.next(store, busy(underWay, resting))
      const dueAt = delivery ? Date.parse(delivery.dueAt) : Number.POSITIVE_INFINITY
      if (!delivery || dueAt > at) {
        wakeIn(Math.min(dueAt, ...resting.values()) - at)
        return
      }
      underWay.add(delivery)
      background.run('push', () =>
        attempt(delivery)
          .finally(() => underWay.delete(delivery))
          .then(wake),
      )
    }
  }

  function wakeIn(ms: number): void {
    clearTimeout(timer)
    if (ms < Number.POSITIVE_INFINITY) timer = setTimeout(wake, Math.min(ms, longestTimerMs)).unref()
  }

  async function attempt(delivery: queue.Delivery): Promise<void> {
    try {
      // Nobody hears of what is not on disk.
      await store.settled()
      const outcome = await deliver(services, delivery, closing.signal)
      if (!closing.signal.aborted) await record(delivery, outcome)
    } catch (error) {
      // The store cannot write: the same delivery would be made again and again.
      wakeIn(longestTimerMs)
      throw error
    }
  }

  async function record(delivery: queue.Delivery, outcome: Outcome): Promise<void> {
    const { did, target, tries } = delivery
    if (outcome.kind === 'done') return store.transact((tx) => queue.remove(tx, delivery))
    if (outcome.kind === 'gone') {
      await store.transact((tx) => queue.removeRegistration(tx, delivery))
      return log.info({ did, target }, 'removed a push registration whose device is gone')
    }
    const { why } = outcome
    const delayMs = delaysMs[tries]
    if (outcome.kind === 'failed' && outcome.isDown) rest(target, Math.max(delaysMs[0], outcome.retryAfterMs))
    if (outcome.kind === 'refused' || delayMs === undefined) {
      await store.transact((tx) => queue.remove(tx, delivery))
      return log.warn({ did, target, why }, 'gave up a push delivery')
    }
    const dueAt = now().getTime() + Math.max(delayMs, outcome.retryAfterMs)
    await store.transact((tx) => queue.postpone(tx, delivery, iso(new Date(dueAt))))
    log.debug({ did, target, why }, 'a push delivery failed')
  }

  function rest(target: string, ms: number): void {
    resting.set(target, Math.max(now().getTime() + ms, resting.get(target) ?? 0))
  }

  const unsubscribe = notifications.subscribe(wake)
  wake()
  return () => {
    unsubscribe()
    clearTimeout(timer)
    closing.abort()
  }
}

/** Whom nothing is sent to at the moment. */
function busy(underWay: ReadonlySet<queue.Delivery>, resting: ReadonlyMap<string, number>) {
  const deliveries = [...underWay]
  const perTarget = Map.groupBy(deliveries, ({ target }) => target)
  const full = [...perTarget].filter(([, own]) => own.length >= atOncePerTarget).map(([target]) => target)
  return {
    registrations: deliveries.map(({ registration }) => registration),
    targets: [...full, ...resting.keys()],
  }
}
