/**
 * The last valid documents of clients with a grant. They are used while a fetch fails: the computer is offline, the client's site is
 * down, or look-ups are refused for load. A successful fetch replaces them, even if the new document makes the client invalid.
 */

import type { OAuthClientMetadata } from '@atproto/oauth-types'
import type { Database, Writer } from '../../store/database.ts'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import * as rows from '../tables/oauth-clients.ts'
import type { Client, FindClient } from './client.ts'
import { OAuthError, type OAuthErrorCode } from './oauth-errors.ts'

/** The document of a client, or its keys, cannot be read now. */
export class ClientUnreachable extends OAuthError {
  /** The document, if it was read and its keys were not. */
  readonly metadata: OAuthClientMetadata | undefined

  constructor(code: OAuthErrorCode, message: string, metadata?: OAuthClientMetadata) {
    super(code, message)
    this.metadata = metadata
  }
}

interface Deps {
  readonly store: Database
  readonly now: () => Date
}

/** Larger documents are not kept. Common ones have 1 kB. */
const maxBytes = 16 * 1024
/** How long a refresh waits for a document while it has a kept one. */
const waitMs = 2_000
/** Longest age of a kept document for a new grant: the client's redirect URIs may have changed since. */
const newGrantMs = 24 * 60 * 60_000

/** Stores a document in place of the last one, if the client has a grant. One that is too large leaves none. */
export function keepClient(tx: Writer, { id, metadata, keys, readAt }: Client): void {
  if (readAt === undefined) return
  const document = JSON.stringify({ metadata, keys })
  if (Buffer.byteLength(document) <= maxBytes) rows.put(tx, id, { document, readAt })
  else rows.remove(tx, id)
}

/** Adds kept documents to a look-up. An account accepts any age for a client that it has allowed. */
export function withKeptClients({ store, now }: Deps, find: FindClient): FindClient {
  return async (id, requester) => {
    const kept = rows.find(store, id)
    const isUsable =
      requester.kind === 'account' ||
      (kept && Math.abs(now().getTime() - Date.parse(kept.readAt)) < newGrantMs)
    if (!kept || !isUsable) return find(id, requester)
    return within(waitMs, find(id, requester)).catch((error: unknown) => {
      if (!(error instanceof ClientUnreachable)) throw error
      const client = clientOf(id, kept)
      if (!error.metadata) return client
      // The keys were kept from the address that the earlier document named.
      if (error.metadata.jwks_uri !== client.metadata.jwks_uri) throw error
      return { ...client, metadata: error.metadata }
    })
  }
}

function clientOf(id: string, { document, readAt }: rows.KeptDocument): Client {
  const { metadata, keys } = JSON.parse(document) as Pick<Client, 'metadata' | 'keys'>
  return { id, isLoopback: false, metadata, keys, readAt }
}

/** Waits for a look-up, which goes on for other callers. @throws ClientUnreachable, the error of the look-up */
async function within(ms: number, lookUp: Promise<Client>): Promise<Client> {
  const late = Promise.withResolvers<never>()
  const refuse = () => late.reject(new ClientUnreachable('temporarily_unavailable', 'No answer yet'))
  const timer = setDeadline(refuse, ms)
  return Promise.race([lookUp, late.promise]).finally(() => clearDeadline(timer))
}
