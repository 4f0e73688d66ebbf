import { useEffect, useRef } from 'react'
import type { useNotifications } from '../../api/notifications.ts'
import { More } from '../../ui/states.tsx'

interface LoadMoreProps {
  readonly list: ReturnType<typeof useNotifications>
  /** How many items there are. */
  readonly loaded: number
}

/** Loads on when it comes near, or when it is pressed. */
export function LoadMore({ list, loaded }: LoadMoreProps) {
  const { isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const end = useRef<HTMLDivElement>(null)
  // What could not be read is not asked for again unasked: a server that says to wait would be asked without end.
  const isResting = isFetchingNextPage || isFetchNextPageError
  // An observer tells of changes: one that is near before and after a page was added would stay silent, so each page gets anew.
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
