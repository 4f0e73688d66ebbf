/**
 * Ends subscriptions when their session ends. A session ends by deletion of its row, so one query after each change of the
 * sessions finds the ended ones.
 */

import { protocolError, type XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Database } from '../../store/database.ts'
import { isDamage } from '../../store/files/files.ts'
import { clearTimeout, setTimeout } from '../../util/timers.ts'
import * as sessions from '../tables/sessions.ts'
import type { SessionCredentials } from './credentials.ts'

/** Calls `end` when the session has ended or its token has expired. @returns a function that stops watching */
export type WatchSession = (
  session: Pick<SessionCredentials, 'sessionId' | 'expiresAt'>,
  end: (error: XrpcError) => void,
) => () => void

/** The longest time of a timer. A token that lives longer was issued while the clock was wrong. */
const maxTimerMs = 2 ** 31 - 1

export function createSessionWatch({ store, now }: { store: Database; now: () => Date }): WatchSession {
  interface Watched {
    readonly expiresAt: number
    readonly end: (error: XrpcError) => void
  }
  const watched = new Map<string, Set<Watched>>()

  function check(ids: readonly string[]): void {
    try {
      endAll(sessions.missing(store, ids), protocolError('ExpiredToken', 'Token has been revoked'))
    } catch (error) {
      if (!isDamage(error)) throw error
      // A damaged page ends the subscriptions whose sessions it has, and keeps none that has ended elsewhere.
      if (ids.length > 1) for (const id of ids) check([id])
      else
        endAll(ids, protocolError('NotEnoughResources', 'The session is damaged on the disk of the server.'))
    }
  }

  function endAll(ids: readonly string[], error: XrpcError): void {
    for (const id of ids) for (const token of watched.get(id) ?? []) token.end(error)
  }

  /** Timers stand still while the machine sleeps, so the clock is checked too. */
  function expire(): void {
    const at = now().getTime()
    for (const token of [...watched.values()].flatMap((tokens) => [...tokens])) {
      if (token.expiresAt <= at) token.end(expired())
    }
  }

  store.watch(['sessions'], () => {
    if (watched.size > 0) check([...watched.keys()])
  })
  // Before the changes are sent.
  store.watch('all', expire)

  return ({ sessionId, expiresAt }, end) => {
    const token = { expiresAt, end }
    const tokens = watched.get(sessionId) ?? new Set()
    watched.set(sessionId, tokens.add(token))
    const leftMs = expiresAt - now().getTime()
    const timer = leftMs <= maxTimerMs ? setTimeout(() => end(expired()), leftMs).unref() : undefined
    check([sessionId])
    return () => {
      clearTimeout(timer)
      tokens.delete(token)
      if (tokens.size === 0) watched.delete(sessionId)
    }
  }
}

function expired(): XrpcError {
  return protocolError('ExpiredToken', 'Token has expired')
}
