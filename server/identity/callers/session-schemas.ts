/** Published schemas for the writes of a session, which may end while one is looked up. */
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader } from '../../store/database.ts'
import type { FindSchema } from '../did/lexicon-schemas.ts'
import { findOpen } from '../tables/sessions.ts'

interface Deps {
  readonly store: Reader
  readonly identity: { readonly findSchema: FindSchema | undefined }
}

/** Returns `findSchema`, which also throws `ExpiredToken` when the session has ended meanwhile. */
export function findSchemaFor({ store, identity }: Deps, sessionId: string): FindSchema | undefined {
  const { findSchema } = identity
  if (!findSchema) return undefined
  return async (collection, requester) => {
    const schema = await findSchema(collection, requester)
    if (findOpen(store, sessionId)) return schema
    throw protocolError('ExpiredToken', 'Token has been revoked')
  }
}
