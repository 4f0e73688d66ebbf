/** The event "notifications arrived", for push delivery, live streams and the desktop. */
import type { Arrivals } from '../tables/notifications.ts'

export type { Arrivals }

export interface NotificationEvents {
  /** Called when the transaction that inserted them is on disk. */
  publish(arrivals: Arrivals): void
  /** @returns a function that unsubscribes */
  subscribe(listener: (arrivals: Arrivals) => void): () => void
}

export function createNotificationEvents(): NotificationEvents {
  const listeners = new Set<(arrivals: Arrivals) => void>()
  return {
    publish(arrivals) {
      for (const listener of listeners) listener(arrivals)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
