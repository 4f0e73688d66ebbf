import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { clientName } from '../../parts/apps/client-name.ts'
import { isOfClient, sessionName, useClients } from '../../parts/apps/clients.ts'
import { t } from '../../strings/en.ts'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import styles from './connect.module.css'

const pollMs = 3_000
/** Milliseconds for which a client is awaited. */
const awaitedMs = 10 * 60_000

type Visitor = Body<typeof com.core.server.listVisitors.main>['visitors'][number]

/**
 * Whether clients are connected. Once one is awaited, its arrival is shown: a request of it, then its session.
 * @param props.awaitedAt when the person began to connect one, in milliseconds since 1970
 */
export function Arrival({ awaitedAt }: { readonly awaitedAt: number | undefined }) {
  const now = useNow()
  const isAwaited = awaitedAt !== undefined && now - awaitedAt < awaitedMs
  const { data: open } = useXrpcQuery(com.core.server.listSessions, {}, { pollMs: () => isAwaited && pollMs })
  const clients = open?.sessions.filter(isOfClient)
  const arrived = useNew(clients, ({ id }) => id)[0]
  const [newest] = clients ?? []
  const { data: known } = useClients()
  if (arrived)
    return (
      <p className={styles.light} data-state="connected" role="status">
        <strong>{t.connect.connected}.</strong> {t.connect.connectedText(sessionName(arrived))}
      </p>
    )
  if (isAwaited) return <Awaited />
  return (
    <p className={styles.light} data-state={newest ? 'connected' : 'none'}>
      {newest ? (
        <>
          <strong>{t.connect.connected}:</strong> {sessionName(newest)},{' '}
          <RelativeTime at={newest.lastUsedAt} isPast />
        </>
      ) : (
        known && (known.last ? t.connect.noneNow : t.connect.none)
      )}
    </p>
  )
}

/** The wait for a client that has not signed in. */
function Awaited() {
  const { data: seen } = useXrpcQuery(com.core.server.listVisitors, {}, { pollMs: () => pollMs })
  const callers = useNew(seen?.visitors, nameOf)
  const calls = useNew(seen?.visitors, (one) => `${nameOf(one)} ${one.at}`)
  // Another call of a client that called before counts if no other client has called.
  const visitor = callers[0] ?? calls[0]
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

function nameOf({ origin, client }: Partial<Pick<Visitor, 'origin' | 'client'>>): string {
  const host = origin === undefined ? undefined : URL.parse(origin)?.host
  return host ?? (client === undefined ? t.connect.unknown : clientName(client))
}
