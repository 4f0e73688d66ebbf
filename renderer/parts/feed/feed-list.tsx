import { memo } from 'react'
import { type FeedItem, keyOfItem } from '../../api/feed-pages.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { NearbyList } from '../../ui/nearby-list.tsx'
import type { Pages } from '../../ui/states.tsx'
import styles from './feed.module.css'
import { FeedRow } from './feed-row.tsx'

interface FeedListProps {
  readonly label: string
  /** Pages keep their identity while they stay the same. */
  readonly pages: readonly (readonly FeedItem[])[]
  readonly list: Pages
  /** Leaves out posts of people who were muted or blocked since the pages were read. */
  readonly hidesMuted?: boolean
}

/** Posts in pages. Only pages near the window are in the document, so that long feeds stay small. */
export function FeedList({ label, pages, list, hidesMuted = false }: FeedListProps) {
  const loaded = pages.reduce((sum, { length }) => sum + length, 0)
  return (
    <section aria-label={label} className={styles.feed}>
      {loaded > 0 && (
        <div className={styles.list}>
          {pages.map(
            (items) =>
              items[0] && <FeedPage hidesMuted={hidesMuted} items={items} key={keyOfItem(items[0])} />,
          )}
        </div>
      )}
      <LoadMore list={list} loaded={loaded} />
    </section>
  )
}

interface FeedPageProps {
  readonly items: readonly FeedItem[]
  readonly hidesMuted: boolean
}

const FeedPage = memo(function FeedPage({ items, hidesMuted }: FeedPageProps) {
  return (
    <NearbyList className={styles.page} of={items}>
      {() => items.map((item) => <FeedRow hidesMuted={hidesMuted} item={item} key={keyOfItem(item)} />)}
    </NearbyList>
  )
})
