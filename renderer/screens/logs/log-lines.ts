import { useEffect, useState } from 'react'
import type { LogLine } from '../../../electron/bridge.ts'
import { ask } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'

/** How many lines are kept, as the desktop itself does. */
export const mostLines = 2000

export interface NumberedLine extends LogLine {
  /** Counts up: what tells lines apart that say the same. */
  readonly number: number
}

let lastNumber = 0

/** The log's last lines, the newest last; undefined until they are there. New ones come in once a frame at most. */
export function useLogLines(): readonly NumberedLine[] | undefined {
  const [lines, setLines] = useState<readonly NumberedLine[]>()
  useEffect(() => {
    let arrived: NumberedLine[] = []
    let frame: number | undefined
    let isOver = false
    const take = () => {
      frame = undefined
      const news = arrived
      arrived = []
      setLines((kept) => kept && [...kept, ...news].slice(-mostLines))
    }
    const end = desktop?.on('log', (line) => {
      arrived.push(numbered(line))
      frame ??= requestAnimationFrame(take)
    })
    void ask('logs.tail').then((tail) => {
      if (isOver) return
      // What has arrived until now is part of the answer.
      arrived = []
      setLines(tail.slice(-mostLines).map(numbered))
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

/** Whether a line is of the level or above, and holds the text. */
export function isWanted(line: LogLine, least: LogLine['level'], text: string): boolean {
  if (levels.indexOf(line.level) < levels.indexOf(least)) return false
  return text === '' || textOf(line).toLowerCase().includes(text.toLowerCase())
}

/** A line as text, to search and to copy. */
export function textOf({ time, level, message, fields }: LogLine): string {
  return [time, level.toUpperCase(), message, fields].filter(Boolean).join(' ')
}
