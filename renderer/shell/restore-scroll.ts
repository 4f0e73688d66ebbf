/** What a person does to go elsewhere. */
const moves = ['wheel', 'pointerdown', 'keydown', 'hashchange'] as const

/** Milliseconds without a change of the page's length after which its content has loaded. */
const settledMs = 1000

/**
 * Scrolls to a position, and stays there while the content of the page is loaded step by step. Gives up as soon as the person moves.
 * @returns a function that gives up
 */
export function restoreScroll(position: number): () => void {
  if (position === 0) return () => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  const observer = new ResizeObserver(() => {
    window.scrollTo(0, position)
    clearTimeout(timer)
    if (window.scrollY >= Math.floor(position)) timer = setTimeout(end, settledMs)
  })
  const end = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const move of moves) window.removeEventListener(move, end)
  }
  for (const move of moves) window.addEventListener(move, end, { passive: true })
  observer.observe(document.body)
  return end
}
