/** Mutes and blocks of the current account. Both show at once and are rolled back on failure. */
import { useQueryClient } from '@tanstack/react-query'
import { app, com } from '../../lexicons/generated/index.ts'
import { parseAtUri } from './at-uri.ts'
import { changePerson } from './cached-views.ts'
import { callAs } from './client.ts'
import { useWork } from './hooks.ts'

const { block, muteActor, unmuteActor } = app.example.graph
const { getAuthorFeed, getPostThread, searchPosts } = app.example.feed
const { getProfile, getSuggestions, searchActors } = app.example.actor
const { createRecord, deleteRecord } = com.core.repo

/** Queries whose responses depend on blocks. */
const withoutBlocked = [getAuthorFeed, getPostThread, searchPosts, getProfile, getSuggestions, searchActors]

/** Stands for the block record that is being created. */
const pending = 'at://pending'

interface Effects<C, R> {
  onSuccess(result: R, change: C): void
  onError(error: Error): void
}

export interface Mute {
  readonly person: string
  readonly muted: boolean
}

/** Mutes a person, or ends that. */
export function useMuting(effects: Effects<Mute, unknown>) {
  const client = useQueryClient()
  const mute = (did: string, { person, muted }: Mute) =>
    optimistically(
      (viewer) => changePerson(client, did, person, viewer),
      { after: { muted }, before: { muted: !muted } },
      () => {
        const options = { body: { actor: person as never } }
        return muted ? callAs(did, muteActor, options) : callAs(did, unmuteActor, options)
      },
    )
  return useWork(mute, [getProfile], effects)
}

export interface Block {
  readonly person: string
  /** The block to delete; undefined: block. */
  readonly blocking: string | undefined
}

/** Blocks a person, or deletes a block. Returns the AT URI of the new block. */
export function useBlocking(effects: Effects<Block, string | undefined>) {
  const client = useQueryClient()
  const change = (did: string, { person, blocking }: Block) => {
    const show = (viewer: States['after']) => changePerson(client, did, person, viewer)
    const states = { after: { blocking: blocking === undefined ? pending : undefined }, before: { blocking } }
    return optimistically(show, states, async () => {
      const created =
        blocking === undefined ? await createBlock(did, person) : await deleteBlock(did, blocking)
      show({ blocking: created })
      return created
    })
  }
  return useWork(change, withoutBlocked, effects)
}

interface States {
  /** Members of the person's viewer state after the change. */
  readonly after: Readonly<Record<string, unknown>>
  readonly before: Readonly<Record<string, unknown>>
}

/** Shows a change of the relation to a person while it is made. */
async function optimistically<T>(
  show: (viewer: States['after']) => void,
  { after, before }: States,
  work: () => Promise<T>,
) {
  show(after)
  try {
    return await work()
  } catch (error) {
    show(before)
    throw error
  }
}

async function createBlock(did: string, subject: string): Promise<string> {
  const record = { $type: block.$nsid, subject, createdAt: new Date().toISOString() }
  const body = { repo: did, collection: block.$nsid, record } as never
  return (await callAs(did, createRecord, { body })).uri
}

async function deleteBlock(did: string, uri: string): Promise<undefined> {
  const { collection, rkey } = parseAtUri(uri)
  await callAs(did, deleteRecord, { body: { repo: did, collection, rkey } as never })
}
