import { useEffect, useRef } from 'react'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'

/** Loads on when it comes near, or when it is pressed. */
export function LoadMore({ busy, onMore }: { readonly busy: boolean; onMore(): void }) {
  const end = useRef<HTMLDivElement>(null)
  const more = useRef(onMore)
  useEffect(() => {
    more.current = onMore
  })
  useEffect(() => {
    if (busy || !end.current) return
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && more.current(), {
      rootMargin: '800px',
    })
    watch.observe(end.current)
    return () => watch.disconnect()
  }, [busy])
  return (
    <div ref={end}>
      <Button busy={busy} onClick={onMore}>
        {t.ui.more}
      </Button>
    </div>
  )
}
