import { useEffect } from 'react'
import { app, com } from '../../../lexicons/generated/index.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { toast } from '../../ui/toast.tsx'
import { postPath } from '../posts/paths.ts'
import { settleAttempt, useDraft } from './drafts.ts'

/**
 * After an attempt to post whose outcome is unknown, because its answer was lost or the page was loaded again: asks the server for the
 * post. A draft that was posted is removed; text that was changed since is a new draft.
 */
export function useArrival(id: string, isPosting: boolean): void {
  const { did } = useSession()
  const { rkey } = useDraft(id)
  const isUnknown = rkey !== undefined && !isPosting
  const params = { repo: did, collection: app.example.feed.post.$nsid, rkey: rkey ?? '' } as never
  const { data } = useXrpcQuery(com.core.repo.getRecord, params, { enabled: isUnknown, staleTime: 0 })
  useEffect(() => {
    if (!isUnknown || !data || !settleAttempt(id, rkey, data.value)) return
    toast(t.composer.arrived, undefined, postPath(data.uri))
  }, [id, rkey, isUnknown, data])
}
