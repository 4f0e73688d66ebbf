/** Posts and profiles that other data refers to, loaded in batches. */
import type { AtIdentifierString, AtUriString } from '@atproto/lex-schema'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { app } from '../../lexicons/generated/index.ts'
import { placeOf } from './at-uri.ts'
import { createBatches } from './batch.ts'
import { type Body, callAs } from './client.ts'
import { useSession } from './sessions.ts'

const { getPosts } = app.example.feed
const { getProfiles } = app.example.actor

export type PostView = Body<typeof getPosts.main>['posts'][number]
export type ProfileView = Body<typeof getProfiles.main>['profiles'][number]

/** The limit of both methods. */
const batchSize = 25
const staleTime = 5 * 60_000

/** The post at an AT URI; null if it is unknown here. Waits until there is a URI. */
export function usePost(uri: string | undefined): UseQueryResult<PostView | null> {
  const { did } = useSession()
  return useQuery({
    queryKey: [did, getPosts.$nsid, uri],
    queryFn: () => loadPost(did, uri ?? ''),
    enabled: uri !== undefined,
    staleTime,
  })
}

/** The profile of an account; null if it is unknown here. Waits until there is a DID. */
export function useProfile(actor: string | undefined): UseQueryResult<ProfileView | null> {
  const { did } = useSession()
  return useQuery({
    queryKey: [did, getProfiles.$nsid, actor],
    queryFn: () => loadProfile(did, actor ?? ''),
    enabled: actor !== undefined,
    staleTime,
  })
}

const loadPost = createBatches(batchSize, async (did, uris) => {
  const { posts } = await callAs(did, getPosts, { params: { uris: [...uris] as AtUriString[] } })
  // A post may be stored under another name of its collection than the one asked for.
  const found = new Map(posts.map((post) => [placeOf(post.uri), post]))
  return new Map(uris.flatMap((uri) => entryOf(uri, found.get(placeOf(uri)))))
})

const loadProfile = createBatches(batchSize, async (did, actors) => {
  const params = { actors: [...actors] as AtIdentifierString[] }
  const { profiles } = await callAs(did, getProfiles, { params })
  return new Map(profiles.map((profile) => [profile.did as string, profile]))
})

function entryOf<T>(key: string, value: T | undefined): [string, T][] {
  return value === undefined ? [] : [[key, value]]
}
