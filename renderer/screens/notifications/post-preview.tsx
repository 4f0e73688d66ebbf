import { parseAtUri } from '../../api/at-uri.ts'
import type { Notification } from '../../api/notifications.ts'
import { usePost } from '../../api/views.ts'
import { Thumbnails } from '../../parts/thumbnails.tsx'
import { t } from '../../strings/en.ts'
import styles from './notifications.module.css'

interface PostPreviewProps {
  readonly notification: Notification
  /** The AT URI of the post that the notification is about, if any. */
  readonly post: string | undefined
}

/** The text and pictures of the post that a notification is about. A liked post is loaded; others come with the notification. */
export function PostPreview({ notification, post }: PostPreviewProps) {
  const isOwn = post === notification.uri
  const loaded = usePost(isOwn ? undefined : post)
  if (post === undefined) return null
  if (!isOwn && loaded.data === null) return <p className={styles.quote}>{t.notifications.noPost}</p>
  const record = isOwn ? notification.record : loaded.data?.record
  const { text } = (record ?? {}) as { readonly text?: unknown }
  return (
    <>
      {typeof text === 'string' && text !== '' && <p className={styles.quote}>{text}</p>}
      {/* Keeps its place while it loads, so that rows do not move. */}
      {loaded.isLoading && <p className={styles.quote}>{t.notifications.loadingPost}</p>}
      {record && <Thumbnails did={parseAtUri(post).repo} record={record} />}
    </>
  )
}
