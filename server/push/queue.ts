/**
 * Delivers what is in the push queue: some at once, one at a time to a device, and few to one target, so that a slow one keeps
 * nobody else waiting. What fails is tried again, later each time, and given up in the end. Whatever happens, a delivery is
 * in the store until its outcome is, so a stop or a crash loses none; it may be delivered twice.
 */

import type { Services } from '../services.ts'
import * as queue from '../store/push-queue.ts'
import { iso } from '../time.ts'
import { deliver, type Outcome } from './deliver.ts'

const atOnce = 8
const atOncePerTarget = 2
/** After the first failure, the second, and so on; in milliseconds. After one more it is given up. */
const delaysMs = [10_000, 60_000, 10 * 60_000, 60 * 60_000] as const
/** Timers stand still while a computer sleeps. */
const longestTimerMs = 60_000

type Grounds = Pick<
  Services,
  'store' | 'config' | 'resolveDid' | 'secrets' | 'notifications' | 'background' | 'now' | 'log'
>

/** @returns a function that stops it: what is under way is given up, and delivered after the next start */
export function startPushQueue(services: Grounds): () => void {
  const { store, background, now, log } = services
  const underWay = new Set<queue.Delivery>()
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined

  /** Delivers what is due; goes on when that is done, when more becomes due and when more arrives. */
  function wake(): void {
    while (!closing.signal.aborted && underWay.size < atOnce) {
      const delivery = queue.next(store, busy(underWay))
      if (!delivery) return
      const waitMs = Date.parse(delivery.dueAt) - now().getTime()
      if (waitMs > 0) {
        wakeIn(waitMs)
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
    timer = setTimeout(wake, Math.min(ms, longestTimerMs)).unref()
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
    const { kind, why } = outcome
    const delayMs = delaysMs[tries]
    if (kind === 'refused' || delayMs === undefined) {
      await store.transact((tx) => queue.remove(tx, delivery))
      return log.warn({ did, target, why }, 'gave up a push delivery')
    }
    const waitMs = Math.max(delayMs, outcome.retryAfterMs ?? 0)
    const at = now().getTime()
    await store.transact((tx) => {
      queue.postpone(tx, delivery, iso(new Date(at + waitMs)))
      const targetMs = Math.max(delaysMs[0], outcome.retryAfterMs ?? 0)
      if (outcome.isDown) queue.postponeTarget(tx, target, iso(new Date(at + targetMs)))
    })
    log.debug({ did, target, why, waitMs }, 'a push delivery failed')
  }

  const unsubscribe = services.notifications.subscribe(wake)
  wake()
  return () => {
    unsubscribe()
    clearTimeout(timer)
    closing.abort()
  }
}

function busy(underWay: ReadonlySet<queue.Delivery>): queue.Busy {
  const deliveries = [...underWay]
  const perTarget = Map.groupBy(deliveries, ({ target }) => target)
  return {
    registrations: deliveries.map(({ registration }) => registration),
    targets: [...perTarget].filter(([, own]) => own.length >= atOncePerTarget).map(([target]) => target),
  }
}
