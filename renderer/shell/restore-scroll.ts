/** What a person does to go elsewhere. */
const moves = ['wheel', 'pointerdown', 'keydown', 'hashchange'] as const

/**
 * Scrolls to a position once the page is long enough for it: its content is loaded step by step. Gives up as soon as the person moves.
 * @returns a function that gives up
 */
export function restoreScroll(position: number): () => void {
  if (position === 0) return () => {}
  const observer = new ResizeObserver(() => {
    window.scrollTo(0, position)
    if (window.scrollY >= Math.floor(position)) end()
  })
  const end = () => {
    observer.disconnect()
    for (const move of moves) window.removeEventListener(move, end)
  }
  for (const move of moves) window.addEventListener(move, end, { passive: true })
  observer.observe(document.body)
  return end
}
