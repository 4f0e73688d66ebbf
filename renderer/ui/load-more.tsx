import { useEffect, useRef } from 'react'
import { More, type Pages } from './states.tsx'

interface LoadMoreProps {
  readonly list: Pages
  /** The number of items in the list. */
  readonly loaded: number
}

/** Loads the next page when scrolled near, or on click. */
export function LoadMore({ list, loaded }: LoadMoreProps) {
  const { isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const end = useRef<HTMLDivElement>(null)
  // No automatic retry after an error: a rate-limited page would be requested endlessly.
  const isResting = isFetchingNextPage || isFetchNextPageError
  // An observer reports only changes. Observe again for each page, in case the end stays near.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (isResting || !end.current) return
    const watch = new IntersectionObserver(
      (entries) => entries.at(-1)?.isIntersecting && void fetchNextPage(),
      { rootMargin: '800px' },
    )
    watch.observe(end.current)
    return () => watch.disconnect()
  }, [isResting, loaded])
  return (
    <div ref={end}>
      <More list={list} />
    </div>
  )
}
