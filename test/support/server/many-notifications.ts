/** Many notifications at once, which would take minutes as requests. */
import type { Account, TestServer } from './server.ts'

interface Repeated {
  /** When the first one arrives, in milliseconds. The others follow, one per millisecond. */
  readonly from: number
  readonly count: number
}

/** Notifies an account of what it was last notified of, again and again. */
export async function repeatNotification(
  server: TestServer,
  { did }: Account,
  { from, count }: Repeated,
): Promise<void> {
  const times = JSON.stringify(Array.from({ length: count }, (_, at) => from + at))
  await server.running.services.store.transact((tx) => {
    tx.run(
      `INSERT INTO notifications (account, author, hidden, followed, reason, indexed_at, record, subject)
       SELECT n.account, n.author, n.hidden, n.followed, n.reason, t.value, n.record, n.subject FROM (
         SELECT n.* FROM notifications n JOIN actors a ON a.id = n.account WHERE a.did = ? ORDER BY n.id DESC LIMIT 1
       ) n, json_each(?) t`,
      [did, times],
    )
  })
}
