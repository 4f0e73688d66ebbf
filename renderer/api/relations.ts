/** Mutes and blocks of the current account. Both show at once and are rolled back on failure. Changes for one person are made in order. */
import { useQueryClient } from '@tanstack/react-query'
import { app, com } from '../../lexicons/generated/index.ts'
import { parseAtUri } from './at-uri.ts'
import { changePerson } from './cached-views.ts'
import { callAs } from './client.ts'
import { createOnce } from './create-once.ts'
import { useWork } from './hooks.ts'
import { serialize } from './serialize.ts'

const { block, muteActor, unmuteActor } = app.example.graph
const { getAuthorFeed, getPostThread, searchPosts } = app.example.feed
const { getProfile, getSuggestions, searchActors } = app.example.actor
const { deleteRecord } = com.core.repo

/** Queries whose responses depend on blocks. */
const withoutBlocked = [getAuthorFeed, getPostThread, searchPosts, getProfile, getSuggestions, searchActors]

/** Stands for the block record that is being created. */
const pending = 'at://pending'
/** The AT URIs of blocks that were created in this tab, by account and person. */
const created = new Map<string, string>()

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
      `mute ${did} ${person}`,
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
    const name = `block ${did} ${person}`
    const show = (viewer: View) => changePerson(client, did, person, viewer)
    const existing = () => (blocking === pending ? created.get(name) : blocking)
    const states = {
      after: { blocking: blocking === undefined ? pending : undefined },
      // The creation that this change waits for has ended by then.
      get before() {
        return { blocking: existing() }
      },
    }
    return optimistically(name, show, states, async () => {
      const uri = blocking === undefined ? await createBlock(did, person) : await deleteBlock(did, existing())
      if (uri !== undefined) created.set(name, uri)
      show({ blocking: uri })
      return uri
    })
  }
  return useWork(change, withoutBlocked, effects)
}

/** Members of the person's viewer state. */
type View = Readonly<Record<string, unknown>>

interface States {
  readonly after: View
  readonly before: View
}

/** Shows a change of the relation to a person at once, and makes it after earlier ones with the same name. */
async function optimistically<T>(
  name: string,
  show: (viewer: View) => void,
  states: States,
  work: () => Promise<T>,
) {
  show(states.after)
  try {
    return await serialize(name, work)
  } catch (error) {
    show(states.before)
    throw error
  }
}

function createBlock(did: string, subject: string): Promise<string> {
  return createOnce(did, subject, { $type: block.$nsid, subject })
}

async function deleteBlock(did: string, uri: string | undefined): Promise<undefined> {
  if (uri === undefined) return
  const { collection, rkey } = parseAtUri(uri)
  await callAs(did, deleteRecord, { body: { repo: did, collection, rkey } as never })
}
