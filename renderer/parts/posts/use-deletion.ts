import { app } from '../../../lexicons/generated/index.ts'
import { explain } from '../../api/call-errors.ts'
import { useWork } from '../../api/hooks.ts'
import { removeRecord, restoreRecord } from '../../api/record-removal.ts'
import { setRemoved } from '../../api/removed-posts.ts'
import type { PostView } from '../../api/views.ts'
import { t } from '../../strings/en.ts'
import { toast } from '../../ui/toast.tsx'

const { getAuthorFeed, getPostThread, getTimeline } = app.example.feed

const changed = [getAuthorFeed, getPostThread, getTimeline, app.example.actor.getProfile]

/** Deletes a post of the account. It leaves the lists at once; Undo writes it again under the same address. */
export function useDeletion({ uri, cid, record }: PostView): () => void {
  const restore = useWork(restoreRecord, changed, {
    onSuccess: () => setRemoved(uri, false),
    // The page has the only copy.
    onError: (error, removed) => toast(t.post.notRestored(explain(error)), () => restore.mutate(removed)),
  })
  const remove = useWork(removeRecord, changed, {
    onSuccess: (removed) => toast(t.post.deleted, () => restore.mutate(removed)),
    onError(error) {
      setRemoved(uri, false)
      toast(t.post.notDeleted(explain(error)))
    },
  })
  return () => {
    setRemoved(uri, true)
    remove.mutate({ uri, cid, value: record })
  }
}
