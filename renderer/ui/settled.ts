import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

const settledMs = 800

/**
 * Returns whether the window has been in front for a moment. A page of another site can close a window over this one between the
 * two clicks of a double click, so that the second one hits a button that the person has not seen.
 */
export function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    const start = () => window.setTimeout(() => setSettled(true), settledMs)
    let timer = start()
    function end() {
      window.clearTimeout(timer)
      // Before the click that gave the window its focus.
      flushSync(() => setSettled(false))
    }
    function restart() {
      end()
      timer = start()
    }
    window.addEventListener('focus', restart)
    window.addEventListener('blur', end)
    return () => {
      window.clearTimeout(timer)
      window.removeEventListener('focus', restart)
      window.removeEventListener('blur', end)
    }
  }, [])
  return isSettled
}
