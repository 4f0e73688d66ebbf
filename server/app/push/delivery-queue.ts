/**
 * Delivers the push queue. Deliveries run concurrently: at most one per device and few per target and account, so that
 * a slow target, or an account with many of them, delays only itself. A target that is down is paused. Failed deliveries are retried with growing delays and dropped after the
 * last one. A delivery stays in the store until its outcome is stored: a crash loses none, but may repeat one.
 *
 * `pushed.ts` chooses the notifications, `deliver.ts` makes one attempt.
 */

import type { Platform } from '../../platform/platform.ts'
import { iso } from '../../util/time.ts'
import { clearTimeout, setTimeout, type Timer } from '../../util/timers.ts'
import { isWaiting } from '../../util/wait.ts'
import type { NotificationEvents } from '../notifications/arrivals.ts'
import * as queue from '../tables/push-queue.ts'
import { type DeliverDeps, deliver, type Outcome } from './deliver.ts'

interface Deps extends DeliverDeps, Pick<Platform, 'background' | 'log'> {
  readonly notifications: NotificationEvents
}

const atOnce = 8
const atOncePerTarget = 2
/** An account can register a hundred targets of its own. */
const atOncePerAccount = 4
/** Delays after the first failure, the second and so on, in milliseconds. One more failure drops the delivery. */
const delaysMs = [10_000, 60_000, 10 * 60_000, 60 * 60_000] as const
const longestPauseMs = 2 * 24 * 60 * 60_000
/** Timers stop while a computer sleeps. */
const longestTimerMs = 60_000

/** Starts the queue. @returns a function that stops it: running deliveries are aborted, and repeated after the next start */
export function startPushQueue(services: Deps): () => void {
  const { store, background, notifications, now } = services
  const running = new Set<queue.Delivery>()
  /** Targets that are down, and when their pause ends, in milliseconds since 1970. */
  const paused = new Map<string, number>()
  const closing = new AbortController()
  let timer: Timer | undefined

  /** Starts due deliveries. Called again when one ends, when more are due and when notifications arrive. */
  function wake(): void {
    while (!closing.signal.aborted && running.size < atOnce) {
      const at = now().getTime()
      for (const [target, until] of paused) if (!isWaiting(until, at, longestPauseMs)) paused.delete(target)
      const delivery = queue.next(store, busy(running, paused))
      const dueAt = delivery ? Date.parse(delivery.dueAt) : Number.POSITIVE_INFINITY
      if (!delivery || dueAt > at) {
        wakeIn(Math.min(dueAt, ...paused.values()) - at)
        return
      }
      running.add(delivery)
      background.run('push', () =>
        attempt(delivery)
          .finally(() => running.delete(delivery))
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
      // No notification is pushed before it is on disk.
      await store.settled()
      const outcome = await deliver(services, delivery, closing.signal)
      if (closing.signal.aborted) return
      if (outcome.kind === 'failed' && outcome.isDown)
        pause(delivery.target, Math.max(delaysMs[0], outcome.retryAfterMs))
      await recordOutcome(services, delivery, outcome)
    } catch (error) {
      // The store cannot write: pause, or the same delivery would be repeated at once.
      wakeIn(longestTimerMs)
      throw error
    }
  }

  function pause(target: string, ms: number): void {
    paused.set(target, Math.max(now().getTime() + ms, paused.get(target) ?? 0))
  }

  const unsubscribe = notifications.subscribe(wake)
  wake()
  return () => {
    unsubscribe()
    clearTimeout(timer)
    closing.abort()
  }
}

/** Removes a delivery that has ended, or postpones its next try. */
async function recordOutcome(services: Deps, delivery: queue.Delivery, outcome: Outcome): Promise<void> {
  const { store, now, log } = services
  const { did, target, tries } = delivery
  if (outcome.kind === 'done') return store.transact((tx) => queue.remove(tx, delivery))
  if (outcome.kind === 'unregistered') {
    await store.transact((tx) => queue.removeRegistration(tx, delivery))
    return log.info({ did, target }, 'push registration removed: its device has unregistered')
  }
  if (outcome.kind === 'unsupported') {
    await store.transact((tx) => queue.removeRegistration(tx, delivery))
    return log.warn(
      { did, target, reason: outcome.reason },
      'push registration removed: its service cannot deliver',
    )
  }
  const { reason } = outcome
  const delayMs = delaysMs[tries]
  if (outcome.kind === 'refused' || delayMs === undefined) {
    await store.transact((tx) => queue.remove(tx, delivery))
    return log.warn({ did, target, reason }, 'push delivery dropped')
  }
  const dueAt = now().getTime() + Math.max(delayMs, outcome.retryAfterMs)
  await store.transact((tx) => queue.postpone(tx, delivery, iso(new Date(dueAt))))
  log.debug({ did, target, reason }, 'push delivery failed, will be retried')
}

/** Registrations, targets and accounts that get no further delivery now. */
function busy(running: ReadonlySet<queue.Delivery>, paused: ReadonlyMap<string, number>): queue.Busy {
  const deliveries = [...running]
  const full = (keyOf: (delivery: queue.Delivery) => string, limit: number) =>
    [...Map.groupBy(deliveries, keyOf)].filter(([, own]) => own.length >= limit).map(([key]) => key)
  return {
    registrations: deliveries.map(({ registration }) => registration),
    targets: [...full(({ target }) => target, atOncePerTarget), ...paused.keys()],
    accounts: full(({ did }) => did, atOncePerAccount),
  }
}
