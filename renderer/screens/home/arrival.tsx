import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { clientName } from '../../parts/apps/client-name.ts'
import { t } from '../../strings/en.ts'
import styles from './connect.module.css'

const pollMs = 3_000

type Visitor = Body<typeof com.core.server.listVisitors.main>['visitors'][number]

/** Whether a client has arrived since this was shown: a request of one, then its session. */
export function Arrival() {
  const [isConnected, setConnected] = useState(false)
  const poll = { pollMs: () => (isConnected ? false : pollMs) } as const
  const { data: seen } = useXrpcQuery(com.core.server.listVisitors, {}, poll)
  const { data: open } = useXrpcQuery(com.core.server.listSessions, {}, poll)
  const callers = useNew(seen?.visitors, nameOf)
  const calls = useNew(seen?.visitors, (one) => `${nameOf(one)} ${one.at}`)
  const sessions = useNew(
    open?.sessions.filter(({ current }) => !current),
    ({ id }) => id,
  )
  const [session] = sessions
  if (session && !isConnected) setConnected(true)
  // Another call of a client that called before counts if no other client has called.
  const visitor = callers[0] ?? calls[0]
  if (session) {
    const name = session.appPasswordName ?? (session.app && nameOf({ origin: session.app }))
    return (
      <p className={styles.light} data-state="connected" role="status">
        <strong>{t.connect.connected}.</strong> {t.connect.connectedText(name ?? clientName(session.client))}
      </p>
    )
  }
  return (
    <p className={styles.light} data-state={visitor ? 'reached' : 'waiting'} role="status">
      {visitor ? t.connect.reached(nameOf(visitor)) : t.connect.waiting}
    </p>
  )
}

/** Returns the items that were not there in the first list. */
function useNew<T>(list: readonly T[] | undefined, keyOf: (item: T) => string): readonly T[] {
  const [first, setFirst] = useState<ReadonlySet<string>>()
  if (list && !first) setFirst(new Set(list.map(keyOf)))
  return list && first ? list.filter((item) => !first.has(keyOf(item))) : []
}

function nameOf({ origin, client }: Pick<Visitor, 'origin' | 'client'>): string {
  const host = origin === undefined ? undefined : URL.parse(origin)?.host
  return host ?? (client === undefined ? t.connect.unknown : clientName(client))
}
