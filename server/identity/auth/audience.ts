/**
 * The audience of session tokens: a permanent id of this server, kept in the store. Its value is the DID of the server at its
 * first start. A new port or public address changes the DID, not the audience.
 */
import type { Database } from '../../store/database.ts'
import * as secrets from '../../store/tables/secrets.ts'

const name = 'token-audience'

/** Loads the audience. @param serverDid current DID of the server, stored as the audience if there is none yet */
export async function loadAudience(store: Database, serverDid: string): Promise<string> {
  const stored = secrets.find(store, name)
  if (stored !== undefined) return Buffer.from(stored).toString()
  await store.transact((tx) => secrets.insert(tx, name, Buffer.from(serverDid)))
  return serverDid
}
