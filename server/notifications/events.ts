/** Tells the rest of the server that notifications have arrived: those who push them, show them, stream them. */
import type { Arrivals } from '../store/tables/notifications.ts'

export type { Arrivals }

export interface NotificationEvents {
  /** Called once the transaction in which they arrived is on disk. */
  publish(arrivals: Arrivals): void
  /** @returns a function that ends it */
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
