/**
 * The audience of session tokens: a lasting id of this server, kept in the store. It is the DID that the server had when it was
 * first started, so that tokens of older versions stay valid. A new port or public address does not change it and ends no
 * session.
 */
import type { Database } from '../store/database.ts'
import * as secrets from '../store/tables/secrets.ts'

const name = 'token-audience'

/** @param serverDid the present DID, kept as the audience when there is none yet */
export async function loadAudience(store: Database, serverDid: string): Promise<string> {
  const stored = secrets.find(store, name)
  if (stored !== undefined) return Buffer.from(stored).toString()
  await store.transact((tx) => secrets.insert(tx, name, Buffer.from(serverDid)))
  return serverDid
}
