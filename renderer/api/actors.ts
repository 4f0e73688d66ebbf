/** Where people live: here or on another server. Loaded in batches. */
import type { DidString } from '@atproto/lex-schema'
import { type Query, type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query'
import { com } from '../../lexicons/generated/index.ts'
import { createBatches } from './batch.ts'
import { type Body, callAs } from './client.ts'
import { useSession } from './sessions.ts'

const { describeActors } = com.core.actor

export type Actor = Body<typeof describeActors.main>['actors'][number]

/** The limit of the method. */
const batchSize = 100
const staleTime = 5 * 60_000
const incompleteMs = 3000
const maxReads = 10

/** Describes an actor; null if it is unknown here. Waits until there is a DID. */
export function useActor(actor: string | undefined): UseQueryResult<Actor | null> {
  const { did } = useSession()
  return useQuery(actorQuery(did, actor))
}

/** Describes the actors that are known here; undefined until all are loaded. */
export function useActors(actors: readonly string[]): readonly Actor[] | undefined {
  const { did } = useSession()
  return useQueries({
    queries: actors.map((actor) => actorQuery(did, actor)),
    combine: (results) =>
      results.some(({ isPending }) => isPending) ? undefined : results.flatMap(({ data }) => data ?? []),
  })
}

function actorQuery(did: string, actor: string | undefined) {
  return {
    queryKey: [did, describeActors.$nsid, actor],
    queryFn: () => loadActor(did, actor ?? ''),
    enabled: actor?.startsWith('did:') ?? false,
    staleTime,
    // The identity of someone new is being read.
    refetchInterval: ({ state }: Query<Actor | null>) =>
      state.data && isIncomplete(state.data) && state.dataUpdateCount < maxReads ? incompleteMs : false,
  } as const
}

function isIncomplete({ isLocal, host, status }: Actor): boolean {
  return !isLocal && host === undefined && status === undefined
}

const loadActor = createBatches(batchSize, async (did, dids) => {
  const { actors } = await callAs(did, describeActors, { params: { dids: [...dids] as DidString[] } })
  return new Map(actors.map((actor) => [actor.did as string, actor]))
})
