/** The places of the event stream. When all are taken, the networks share them: none can keep the others out. */
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'

export interface Consumer {
  /** Where it connects from; see `networkOf`. */
  readonly network: string
  /** Number of the last event that it was sent. */
  readonly position: number
  /** Ends its connection. */
  end(error: XrpcError): void
}

export interface Consumers {
  /**
   * Gives a consumer a place. When all are taken, the network with the most consumers loses the one that is furthest behind, of
   * several the newest, if it has at least two more than the network of the new one: otherwise two networks would take turns.
   * @returns a function that gives the place up
   * @throws RateLimitExceeded
   */
  add(consumer: Consumer): () => void
}

/** @param onRefused called when a consumer gets no place, or loses it */
export function createConsumers(capacity: number, onRefused: () => void = () => {}): Consumers {
  /** In the order of their connections. */
  const all = new Set<Consumer>()

  /** Returns the consumer that loses its place to one of a network; undefined if none does. */
  function loser(network: string): Consumer | undefined {
    const byNetwork = Map.groupBy(all, (consumer) => consumer.network)
    const own = byNetwork.get(network)?.length ?? 0
    const most = [...byNetwork.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    if (most.length < own + 2) return undefined
    return most.reduce((a, b) => (b.position <= a.position ? b : a))
  }

  return {
    add(consumer) {
      if (all.size >= capacity) {
        onRefused()
        const last = loser(consumer.network)
        if (!last)
          throw protocolError(
            'RateLimitExceeded',
            'The event stream has too many consumers. Try again later.',
          )
        all.delete(last)
        last.end(
          new XrpcError(
            'ConsumerTooSlow',
            'Too many consumers of this network are connected, and this one is the furthest behind.',
          ),
        )
      }
      all.add(consumer)
      return () => all.delete(consumer)
    },
  }
}
