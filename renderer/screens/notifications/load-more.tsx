import { useEffect, useRef } from 'react'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'

interface LoadMoreProps {
  readonly busy: boolean
  /** How many items there are. */
  readonly loaded: number
  onMore(): void
}

/** Loads on when it comes near, or when it is pressed. */
export function LoadMore({ busy, loaded, onMore }: LoadMoreProps) {
  const end = useRef<HTMLDivElement>(null)
  const more = useRef(onMore)
  useEffect(() => {
    more.current = onMore
  })
  // An observer tells of changes: one that is near before and after a page was added would stay silent, so each page gets anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (busy || !end.current) return
    const watch = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && more.current(), {
      rootMargin: '800px',
    })
    watch.observe(end.current)
    return () => watch.disconnect()
  }, [busy, loaded])
  return (
    <div ref={end}>
      <Button busy={busy} onClick={onMore}>
        {t.ui.more}
      </Button>
    </div>
  )
}
