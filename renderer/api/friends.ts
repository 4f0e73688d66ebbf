/** Friends on the same network: the computers that were found, and what is done once both people have agreed. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { app, com } from '../../lexicons/generated/index.ts'
import { type Body, callAs } from './client.ts'
import { createFollow } from './follows.ts'
import { useXrpcQuery } from './hooks.ts'
import { useSession } from './sessions.ts'

const { listNearby } = com.core.friend

type Nearby = Body<typeof listNearby.main>
export type Pairing = Nearby['pairings'][number]

/** Looks again every two seconds while the page is visible: the other side may ask at any time. */
export function useNearby() {
  return useXrpcQuery(listNearby, {}, { pollMs: () => 2000, staleTime: 0 })
}

/** Follows the person and their server. It can be repeated: what exists already stays as it is. */
export function useBefriend(effects: { onSuccess(): void }) {
  const { did } = useSession()
  const client = useQueryClient()
  return useMutation({
    ...effects,
    async mutationFn({ url, did: other }: Pairing) {
      await callAs(did, com.core.admin.addUpstream, { body: { url } })
      const { relationships } = await callAs(did, app.example.graph.getRelationships, {
        params: { actor: did as never, others: [other] },
      })
      const isFollowing = relationships.some((one) => 'following' in one && one.following !== undefined)
      if (!isFollowing) await createFollow(did, other)
    },
    onSettled: () => client.invalidateQueries({ queryKey: [did] }),
  })
}
