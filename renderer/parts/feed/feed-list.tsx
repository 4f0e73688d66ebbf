import { memo, startTransition, useLayoutEffect, useRef, useState } from 'react'
import { type FeedItem, keyOfItem } from '../../api/feed-pages.ts'
import { LoadMore } from '../../ui/load-more.tsx'
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

/** The heights of pages that were shown, in pixels. */
const heights = new WeakMap<readonly FeedItem[], number>()
/** The distance from the window within which pages are in the document. */
const nearby = '2000px 0px'

interface FeedPageProps {
  readonly items: readonly FeedItem[]
  readonly hidesMuted: boolean
}

const FeedPage = memo(function FeedPage({ items, hidesMuted }: FeedPageProps) {
  const list = useRef<HTMLUListElement>(null)
  /** Of the place that is kept while the page is far; undefined: near. */
  const [height, setHeight] = useState(() => heights.get(items))
  // A layout effect: it ends before the element leaves the document, when its height can still be read.
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const watch = new IntersectionObserver(
      (entries) => {
        const isNear = entries.at(-1)?.isIntersecting ?? true
        // The focus must not be lost by scrolling.
        if (!isNear && element.contains(document.activeElement)) return
        const { offsetHeight } = element
        startTransition(() => setHeight(isNear ? undefined : offsetHeight))
      },
      { rootMargin: nearby },
    )
    watch.observe(element)
    return () => {
      heights.set(items, element.offsetHeight)
      watch.disconnect()
    }
  }, [items])
  const isNear = height === undefined
  return (
    <ul className={styles.page} ref={list} style={isNear ? undefined : { blockSize: height }}>
      {isNear && items.map((item) => <FeedRow hidesMuted={hidesMuted} item={item} key={keyOfItem(item)} />)}
    </ul>
  )
})
