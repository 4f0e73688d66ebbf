/** This server as a side of a move: its own methods, called within the process. */

import { scopes } from '../../identity/auth/scopes.ts'
import type { Platform } from '../../platform/platform.ts'
import type { CallMethod } from '../../platform/xrpc/internal-call.ts'
import type { BinaryOutput, Caller, Chunks } from '../../platform/xrpc/method.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { callerRename } from '../../repository/records/rename.ts'
import { findByDid } from '../../store/tables/accounts.ts'
import { type Json, queryText, type Side } from './side.ts'

interface Deps extends Pick<Platform, 'names' | 'store'> {
  readonly origin: string
  readonly callMethod: CallMethod
}

/** Calls come from this program. */
export const internalCaller = (origin: string): Caller => ({
  address: '127.0.0.1',
  isLocal: true,
  source: '127.0.0.1',
  network: '127.0.0.1',
  client: undefined,
  isForwarded: false,
  isForeignPage: false,
  isTrustedPage: false,
  method: 'POST',
  path: '',
  origin,
})

/** @param did the account whose methods are called */
export function createLocalSide({ names, store, origin, callMethod }: Deps, did: string): Side {
  // Preferences have the names of the network, which the other server expects.
  const rename = callerRename(names, names.stored('com.core.server.getSession'))

  function call(nsid: string, query?: Record<string, string>, input?: unknown): Promise<unknown> {
    const account = findByDid(store, did)
    if (!account) throw protocolError('AccountNotFound', 'This account no longer exists')
    const session = { sessionId: '', scope: scopes.full, appPasswordName: null }
    const auth = {
      ...{ did, ...session, expiresAt: Number.POSITIVE_INFINITY, isAdmin: false },
      account: { ...account, ...session, lastUsedAt: account.createdAt },
    }
    return callMethod({
      ...{ nsid, query: queryText(query), input, auth },
      ...{ caller: internalCaller(origin), rename },
    })
  }

  return {
    origin,
    get: async (nsid, query) => (await call(nsid, query)) as Json,
    post: async (nsid, input) => ((await call(nsid, undefined, input)) ?? {}) as Json,
    async download(nsid, query) {
      const { encoding, headers, body = [] } = (await call(nsid, query)) as BinaryOutput
      const length = headers?.['Content-Length']
      return {
        encoding,
        length: length === undefined ? undefined : Number(length),
        body: chunksOf(body),
      }
    },
    upload: async (nsid, transfer) => ((await call(nsid, undefined, transfer)) ?? {}) as Json,
  }
}

async function* chunksOf(body: Uint8Array | Chunks): AsyncIterable<Uint8Array> {
  if (body instanceof Uint8Array) yield body
  else yield* body
}
