/** Requests of this server to itself, by way of its public address. Their nonces prove that the same process answers. */

import type { Caller } from '../../platform/xrpc/method.ts'
import { randomId } from '../../util/random.ts'

/** Enough to find the default limits of proxies: nginx refuses more than 1 MB. */
export const probeBytes = 10_000_000

/** A probe as it arrived. */
export interface Arrival {
  readonly caller: Pick<Caller, 'address' | 'isForwarded'>
  /** `Host`. */
  readonly host: string | undefined
  /** `X-Forwarded-For`. */
  readonly forwardedFor: string | undefined
  readonly bytes: number
}

export interface Probes {
  /** Registers a probe until `end` is called. */
  start(): Probe
  /** Notes the arrival of a probe. */
  arrive(nonce: string, arrival: Arrival): void
  /** Whether a probe of that name is under way. */
  has(nonce: string): boolean
}

export interface Probe {
  readonly nonce: string
  /** Undefined until it has arrived. */
  arrival(): Arrival | undefined
  end(): void
}

export function createProbes(): Probes {
  const underWay = new Map<string, Arrival | undefined>()
  return {
    start() {
      const nonce = randomId()
      underWay.set(nonce, undefined)
      return {
        nonce,
        arrival: () => underWay.get(nonce),
        end: () => void underWay.delete(nonce),
      }
    },
    arrive: (nonce, arrival) => void underWay.set(nonce, arrival),
    has: (nonce) => underWay.has(nonce),
  }
}
