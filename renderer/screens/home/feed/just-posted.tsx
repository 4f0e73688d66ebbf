import { useEffect, useRef } from 'react'
import { useTimeline } from '../../../api/feeds.ts'
import { FeedRow } from '../../../parts/feed/feed-row.tsx'
import { t } from '../../../strings/en.ts'
import styles from './home-feed.module.css'
import { isPostOf } from './is-post-of.ts'

/** Posts that were written on this screen, newest first, below their form: the feed may be far from it. */
export function JustPosted({ uris }: { readonly uris: readonly string[] }) {
  const { pages } = useTimeline()
  const items = pages.flat().filter((item) => isPostOf(uris, item))
  const list = useRef<HTMLUListElement>(null)
  const newest = items[0]?.post.uri
  useEffect(() => {
    if (newest !== undefined) list.current?.firstElementChild?.scrollIntoView({ block: 'nearest' })
  }, [newest])
  if (newest === undefined) return null
  return (
    <ul aria-label={t.feed.justPosted} className={styles.justPosted} ref={list}>
      {items.map((item) => (
        <FeedRow hidesMuted={false} item={item} key={item.post.uri} />
      ))}
    </ul>
  )
}
