/** Friends on the same network: the computers that were found, and what is done once both people have agreed. */
import type { DidString } from '@atproto/lex-schema'
import { app, com } from '../../lexicons/generated/index.ts'
import { type Body, callAs } from './client.ts'
import { createFollow } from './follows.ts'
import { useWork, useXrpcQuery } from './hooks.ts'

const { listNearby } = com.core.friend

type Nearby = Body<typeof listNearby.main>
export type Pairing = Nearby['pairings'][number]

/** Looks again every two seconds while the page is visible: the other side may ask at any time. */
export function useNearby() {
  return useXrpcQuery(listNearby, {}, { pollMs: () => 2000, staleTime: 0 })
}

/** Follows the person and their server. It can be repeated: what exists already stays as it is. */
export function useBefriend(effects: { onSuccess(): void }) {
  const follow = async (did: DidString, { url, did: other }: Pairing) => {
    await callAs(did, com.core.admin.addUpstream, { body: { url } })
    const params = { actor: did, others: [other] }
    const { relationships } = await callAs(did, app.example.graph.getRelationships, { params })
    const isFollowing = relationships.some((one) => 'following' in one && one.following !== undefined)
    if (!isFollowing) await createFollow(did, other)
  }
  return useWork(follow, 'all', effects)
}
