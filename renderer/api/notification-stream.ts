/**
 * The notification stream of an account. Updates the cached unread count and lists.
 *
 * Browsers hide why a WebSocket failed. So `getUnreadCount` is called before each connect: it refreshes an expired token and
 * detects a server that is down. Between connects its result also replaces the stream.
 */
import { decodeAll } from '@atproto/lex-cbor'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { app } from '../../lexicons/generated/index.ts'
import { callAs } from './client.ts'
import { connection } from './connection.ts'
import { endpoint } from './endpoint.ts'
import { keyOf } from './hooks.ts'
import { addNotification, type Notification, refreshLists } from './notifications.ts'
import { findSession, useSession } from './sessions.ts'

const { getUnreadCount, subscribe } = app.example.notification

const minDelayMs = 250
const maxDelayMs = 60_000

/** Keeps a stream open for the current account. */
export function useNotificationStream(): void {
  const { did, status } = useSession()
  const client = useQueryClient()
  useEffect(() => {
    if (status === 'takendown') return
    const end = new AbortController()
    void run(client, did, end.signal)
    return () => end.abort()
  }, [client, did, status])
}

async function run(client: QueryClient, did: string, signal: AbortSignal): Promise<void> {
  let wasOpened = false
  for (let failures = 0; !signal.aborted; ) {
    const since = Date.now()
    const isReachable = await readCount(client, did).then(
      () => true,
      () => false,
    )
    if (signal.aborted) return
    // The server may have started again so fast that no request has failed.
    if (wasOpened && isReachable) client.getQueryCache().onOnline()
    const isOpened = isReachable && (await connect(client, did, since, signal))
    if (!isOpened) await refreshLists(client, did)
    wasOpened = isOpened
    failures = isOpened ? 0 : failures + 1
    await pause(failures, signal)
  }
}

/** Pauses while the server is known to be down. */
function readCount(client: QueryClient, did: string): Promise<unknown> {
  return client.fetchQuery({
    queryKey: keyOf(did, getUnreadCount, {}),
    queryFn: () => callAs(did, getUnreadCount, { params: {} }),
    staleTime: 0,
  })
}

/**
 * Resolves when the stream ends. Lists that are older than it are read again.
 * @param since when the attempt to connect began
 * @returns whether it had delivered an unread count
 */
function connect(client: QueryClient, did: string, since: number, signal: AbortSignal): Promise<boolean> {
  const token = findSession(did)?.accessJwt
  const url = `${endpoint.replace(/^http/, 'ws')}/xrpc/${subscribe.$nsid}`
  const socket = new WebSocket(url, ['xrpc', `bearer.${token}`])
  socket.binaryType = 'arraybuffer'
  const close = () => socket.close()
  signal.addEventListener('abort', close)
  /** The unread count that matches the cached lists; undefined before the first `#unreadCount`. */
  let expected: number | undefined
  socket.addEventListener('message', ({ data }) => {
    const [header, payload] = decodeAll(new Uint8Array(data)) as Iterable<unknown>
    switch ((header as { t?: string }).t) {
      case '#notification': {
        const { notification } = payload as { notification: Notification }
        addNotification(client, did, notification)
        if (expected !== undefined && !notification.isRead) expected++
        break
      }
      case '#unreadCount': {
        const { count } = payload as { count: number }
        client.setQueryData(keyOf(did, getUnreadCount, {}), { count })
        if (expected === undefined) void refreshLists(client, did, { unread: count, since })
        else if (count !== expected) void refreshLists(client, did)
        expected = count
      }
    }
  })
  return new Promise((resolve) => {
    socket.addEventListener('close', () => {
      signal.removeEventListener('abort', close)
      resolve(expected !== undefined)
    })
  })
}

/** Exponential back-off; ends early when the connection is restored. */
function pause(failures: number, signal: AbortSignal): Promise<void> {
  const delay = Math.min(minDelayMs * 2 ** failures, maxDelayMs)
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      unsubscribe()
      signal.removeEventListener('abort', done)
      resolve()
    }
    // Jitter, so that pages do not reconnect all at once.
    const timer = setTimeout(done, (delay * (1 + Math.random())) / 2)
    const unsubscribe = connection.subscribe(() => connection.get().up && done())
    signal.addEventListener('abort', done)
  })
}
