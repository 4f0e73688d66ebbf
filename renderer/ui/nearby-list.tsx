import { type ReactNode, startTransition, useLayoutEffect, useRef, useState } from 'react'

interface NearbyListProps {
  /** Keeps the height, also after the screen was left: the same object for the same items. */
  readonly of: object
  readonly className: string | undefined
  /** Returns the items, as `li`. */
  children(): ReactNode
}

/** The heights of lists that were shown, in pixels. */
const heights = new WeakMap<object, number>()
/** The distance from the window within which items are in the document. */
const nearby = '2000px 0px'

/** A part of a long list. Its items are in the document only while it is near the window; its height stays. */
export function NearbyList({ of, className, children }: NearbyListProps) {
  const list = useRef<HTMLUListElement>(null)
  /** Of the place that is kept while the items are far; undefined: near. */
  const [height, setHeight] = useState(() => heights.get(of))
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
      heights.set(of, element.offsetHeight)
      watch.disconnect()
    }
  }, [of])
  const isNear = height === undefined
  return (
    <ul className={className} ref={list} style={isNear ? undefined : { blockSize: height }}>
      {isNear && children()}
    </ul>
  )
}
