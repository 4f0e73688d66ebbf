import { useEffect, useState } from 'react'
import type { LogLine } from '../../../electron/ground/bridge.ts'
import { callDesktop } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'

/** The number of lines kept; the same as in the desktop. */
export const maxLines = 2000

export interface NumberedLine extends LogLine {
  /** A sequence number: React key of equal lines. */
  readonly number: number
}

let lastNumber = 0

/** The last log lines, newest last; undefined while loading. New lines are batched per frame. */
export function useLogLines(): readonly NumberedLine[] | undefined {
  const [lines, setLines] = useState<readonly NumberedLine[]>()
  useEffect(() => {
    let pending: NumberedLine[] = []
    let frame: number | undefined
    let isOver = false
    const flush = () => {
      frame = undefined
      const batch = pending
      pending = []
      setLines((before) => before && [...before, ...batch].slice(-maxLines))
    }
    const end = desktop?.on('log', (line) => {
      pending.push(numbered(line))
      frame ??= requestAnimationFrame(flush)
    })
    void callDesktop('logs.tail').then((tail) => {
      if (isOver) return
      // The response already contains the lines received so far.
      pending = []
      setLines(tail.slice(-maxLines).map(numbered))
    })
    return () => {
      isOver = true
      end?.()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [])
  return lines
}

function numbered(line: LogLine): NumberedLine {
  return { ...line, number: ++lastNumber }
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** Whether a line has at least this level and contains the text. */
export function matches(line: LogLine, minLevel: LogLine['level'], text: string): boolean {
  if (levels.indexOf(line.level) < levels.indexOf(minLevel)) return false
  return text === '' || textOf(line).toLowerCase().includes(text.toLowerCase())
}

/** A line as text, for search and copy. */
export function textOf({ time, level, message, fields }: LogLine): string {
  return [time, level.toUpperCase(), message, fields].filter(Boolean).join(' ')
}
