import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import type { LogLine, LogPage } from '../../../electron/ground/bridge.ts'
import { com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { callDesktop } from '../../api/desktop.ts'
import { useMaybeSession } from '../../api/sessions.ts'
import { desktop } from '../../bridge.ts'

/** The number of lines kept; the same as on the server. */
const maxLines = 2000
const maxPages = 5
const pollMs = 1000

export interface NumberedLine extends LogLine {
  /** A sequence number: React key of equal lines. */
  readonly number: number
}

interface Lines {
  readonly lines: readonly NumberedLine[]
  readonly cursor: string | undefined
}

let lastNumber = 0

/**
 * The last log lines, newest last. New ones are loaded while the page is visible; those of an earlier run of the server stay. The
 * desktop reads its own log, which it has before a sign-in and while the server is stopped.
 */
export function useLogLines(): UseQueryResult<Lines> {
  const { did = '' } = useMaybeSession() ?? {}
  const client = useQueryClient()
  const queryKey = [did, 'log']
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      let read = client.getQueryData<Lines>(queryKey) ?? { lines: [], cursor: undefined }
      // As many pages as can be new. The next round goes on in a log that grows faster.
      for (let left = maxPages; left > 0; left--) {
        const { lines, cursor } = await readPage(did, read.cursor, signal)
        if (cursor === read.cursor) break
        read = { lines: [...read.lines, ...lines.map(numbered)].slice(-maxLines), cursor }
      }
      return read
    },
    refetchInterval: pollMs,
    // A comparison of all lines would cost more than it saves.
    structuralSharing: false,
    networkMode: desktop ? 'always' : 'online',
  })
}

async function readPage(did: string, cursor: string | undefined, signal: AbortSignal): Promise<LogPage> {
  if (desktop) return callDesktop('logs.read', cursor)
  const { lines, cursor: next } = await callAs(did, com.core.admin.getLog, { params: { cursor }, signal })
  return { lines: lines as readonly LogLine[], cursor: next }
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
