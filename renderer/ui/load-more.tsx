import { useEffect, useRef } from 'react'
import { More, type Pages } from './states.tsx'

interface LoadMoreProps {
  readonly list: Pages
  /** The number of items in the list. */
  readonly loaded: number
}

/** Pages in a row that may add no item before a click has to ask for more: a search may go through all posts of a server. */
const maxEmptyPages = 10

/** Loads the next page when scrolled near, or on click. */
export function LoadMore({ list, loaded }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const end = useRef<HTMLDivElement>(null)
  const asked = useRef({ loaded, times: 0 })
  // No automatic retry after an error: a rate-limited page would be requested endlessly.
  const isResting = !hasNextPage || isFetchingNextPage || isFetchNextPageError
  // An observer reports only changes. Observe again for each page, in case the end stays near.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (isResting || !end.current) return
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.at(-1)?.isIntersecting) return
        const times = asked.current.loaded === loaded ? asked.current.times : 0
        asked.current = { loaded, times: times + 1 }
        if (times < maxEmptyPages) void fetchNextPage()
      },
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
