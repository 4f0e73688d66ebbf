/** Creates records that an account has once for each subject: likes, reposts, follows and blocks. */
import { com } from '../../lexicons/generated/index.ts'
import { callAs } from './client.ts'
import { newTid } from './tid.ts'

/** Keys of records whose creation failed, or is under way, by account, collection and subject. */
const attempted = new Map<string, string>()

/**
 * Creates a record and returns its AT URI. After a failure the next attempt has the same key: the first one may have arrived although
 * its answer was lost, and would stay as a second record that nothing shows.
 * @param subject the URI or DID that the record is about
 */
export async function createOnce(
  did: string,
  subject: string,
  record: { readonly $type: string; readonly [name: string]: unknown },
): Promise<string> {
  const collection = record.$type
  const id = `${did} ${collection} ${subject}`
  const rkey = attempted.get(id) ?? newTid()
  attempted.set(id, rkey)
  const body = { repo: did, collection, rkey, record: { ...record, createdAt: new Date().toISOString() } }
  const { uri } = await callAs(did, com.core.repo.putRecord, { body: body as never })
  attempted.delete(id)
  return uri
}
