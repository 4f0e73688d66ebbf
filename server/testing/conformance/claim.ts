/** Reserves an account for a check: another one would empty the collection of the first, and its records would look like faults. */
import { collection, newRecord } from '../../operation/conformance/account.ts'
import type { Answer, Http } from '../../operation/conformance/http.ts'
import type { Credentials } from '../../operation/conformance/target.ts'
import { systemTime } from '../../util/timers.ts'
import { UsageError } from '../exec.ts'

/** Milliseconds after its last write within which a check counts as running. */
const busyMs = 60_000

interface Listed {
  readonly uri: string
  readonly value?: { readonly createdAt?: string }
}

const ageOf = ({ value }: Listed) => systemTime().getTime() - Date.parse(String(value?.createdAt))

/**
 * Writes a record by which other checks see this one. Of two that begin together, the one whose record has the lower key goes on.
 * @param last sends what deletes it @param signIn its answer @returns what deletes the record @throws UsageError if another check runs
 */
export async function claim(
  http: Http,
  last: Http,
  signIn: Answer,
  { identifier }: Credentials,
): Promise<() => Promise<void>> {
  const { did: repo, accessJwt: token } = signIn.json ?? {}
  const recent = async (): Promise<readonly Listed[]> => {
    const query = { repo, collection, limit: '100' }
    const { json } = await http.send('/xrpc/com.atproto.repo.listRecords', { query, token })
    const records: readonly Listed[] = Array.isArray(json?.records) ? json.records : []
    return records.filter((record) => ageOf(record) >= 0 && ageOf(record) < busyMs)
  }
  const expectNone = (others: readonly Listed[]) => {
    if (others.length === 0) return
    const seconds = Math.round(Math.min(...others.map(ageOf)) / 1000)
    throw new UsageError(
      `Another check of ${identifier} wrote ${seconds} seconds ago. Wait until it ends, or for a minute if it was killed.`,
    )
  }
  if (repo === undefined) return async () => {}
  expectNone(await recent())
  const input = { repo, collection, record: newRecord() }
  const { json } = await http.send('/xrpc/com.atproto.repo.createRecord', { input, token, isAwaited: true })
  const uri = json?.uri
  // A server that refuses it has a fault, which is measured.
  if (typeof uri !== 'string') return async () => {}
  const release = async () => {
    const rkey = uri.split('/').at(-1)
    await last.send('/xrpc/com.atproto.repo.deleteRecord', { input: { repo, collection, rkey }, token })
  }
  try {
    expectNone((await recent()).filter((other) => other.uri < uri))
    return release
  } catch (error) {
    await release().catch(() => {})
    throw error
  }
}
