/** Follows of the current account. */
import type { AtUriString } from '@atproto/lex-schema'
import { app, com } from '../../lexicons/generated/index.ts'
import { parseAtUri } from './at-uri.ts'
import { callAs } from './client.ts'
import { createOnce } from './create-once.ts'
import { useWork } from './hooks.ts'

const { follow } = app.example.graph
const { deleteRecord } = com.core.repo

interface Change {
  readonly subject: string
  /** The follow to delete; undefined: follow. */
  readonly following: AtUriString | undefined
}

/** Follows a person, or deletes a follow. */
export function useFollowing(effects: {
  onSuccess(result: unknown, change: Change): void
  onError(error: Error): void
}) {
  const change = async (did: string, { subject, following }: Change) => {
    if (following === undefined) return createFollow(did, subject)
    const { collection, rkey } = parseAtUri(following)
    await callAs(did, deleteRecord, { body: { repo: did, collection, rkey } as never })
  }
  return useWork(change, 'all', effects)
}

export async function createFollow(did: string, subject: string): Promise<void> {
  await createOnce(did, subject, { $type: follow.$nsid, subject })
}
