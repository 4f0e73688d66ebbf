/** How long a forwarded call lasts: until it ends, its client disconnects, the server closes, or a time limit is over. */
import type { ServerResponse } from 'node:http'
import { XrpcError } from '../../platform/xrpc/errors.ts'
import { failure } from './relay.ts'

/** Time limits of forwarded calls, in milliseconds. */
export interface ServiceTimes {
  /** In which other calls must end, when a call has to wait for them. */
  readonly waitMs: number
  /** In which a service must send something. */
  readonly idleMs: number
  /** In which a client must read a megabyte of an answer that is held for it. */
  readonly readMs: number
}

export const defaultTimes: ServiceTimes = { waitMs: 5_000, idleMs: 15_000, readMs: 15_000 }

/** Milliseconds for a call of a service. */
const totalMs = 60_000

export interface Lifetime {
  /** Aborts when the call is over, with the XrpcError for the client. */
  readonly signal: AbortSignal
  /** The call need not wait any more. */
  admit(): void
  /** The service is called. */
  start(): void
  /** Bytes have arrived or were sent. */
  progress(): void
  end(): void
}

/** Creates the lifetime of a call that may have to wait. */
export function createLifetime(
  res: ServerResponse,
  { waitMs, idleMs }: ServiceTimes,
  closing: AbortSignal,
): Lifetime {
  const over = new AbortController()
  const abortAfter = (ms: number, error: XrpcError) => setTimeout(() => over.abort(error), ms)
  const waiting = abortAfter(waitMs, busy())
  let idle: NodeJS.Timeout | undefined
  let total: NodeJS.Timeout | undefined
  const abort = () => over.abort(failure('cannot be reached, or broke off'))
  res.once('close', abort)
  closing.addEventListener('abort', abort)
  return {
    signal: over.signal,
    admit: () => clearTimeout(waiting),
    start() {
      idle = abortAfter(idleMs, failure('does not answer'))
      total = abortAfter(totalMs, failure('takes too long'))
    },
    progress: () => void idle?.refresh(),
    end() {
      for (const timer of [waiting, idle, total]) clearTimeout(timer)
      res.off('close', abort)
      closing.removeEventListener('abort', abort)
      over.abort()
    },
  }
}

/** The error of a call that has waited too long, or found no room to wait. */
export function busy(): XrpcError {
  return new XrpcError('NotEnoughResources', 'Too many calls to other services are under way', {
    retryAfter: 5,
  })
}
