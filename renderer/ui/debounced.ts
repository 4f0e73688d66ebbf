import { useEffect, useState } from 'react'

const pauseMs = 300

/** Returns a text after it has not changed for 300 ms, for requests while the text is typed. */
export function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}
