import { useQuery, useQueryClient } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { type Body, callAs } from '../../api/client.ts'
import { keyOf } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'

export const { listRequests, setInspector } = com.core.admin

type Page = Body<typeof listRequests.main>

const pollMs = 1500

/** The requests that the server has, oldest first. Loads new ones while the page is visible. */
export function useRequests(isPaused: boolean) {
  const { did } = useSession()
  const client = useQueryClient()
  const queryKey = keyOf(did, listRequests)
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const before = client.getQueryData<Page>(queryKey)
      const params = { after: before?.newest ?? 0 }
      return withEarlier(before, await callAs(did, listRequests, { params, signal }))
    },
    refetchInterval: isPaused ? false : pollMs,
    // A paused list stays as it is when the window gets the focus, too.
    refetchOnWindowFocus: !isPaused,
  })
}

/** Adds the earlier requests that the server has still. */
function withEarlier(before: Page | undefined, page: Page): Page {
  const earlier = before?.requests.filter(({ id }) => id >= page.oldest) ?? []
  return { ...page, requests: [...earlier, ...page.requests] }
}
