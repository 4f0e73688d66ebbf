/** The last lines of the log, in memory. */
import type { DestinationStream } from 'pino'
import type { LogLevel } from './log.ts'
import { temporaryName } from './random.ts'

export interface LogLine {
  readonly time: string
  readonly level: Exclude<LogLevel, 'silent'>
  readonly message: string
  /** The other fields of the line as JSON, with secrets redacted. Empty if there are none. */
  readonly fields: string
}

export interface LogPage {
  /** Oldest first. */
  readonly lines: readonly LogLine[]
  /** For the call that returns the lines after these. */
  readonly cursor: string
}

export interface LogTail {
  /** Takes a line of pino: one JSON object. */
  write(line: string): void
  /** Returns the lines after those of an earlier call, or all that are kept if its cursor belongs to another run. */
  after(cursor?: string, limit?: number): LogPage
}

export const keptLines = 2000
/** Of all kept lines. A line of an error can be long. */
const keptChars = 4_000_000
/** Of the fields of one line, when it is read. */
const shownChars = 10_000

/** Keeps the last lines that are written to a destination of a logger. */
export function createLogTail(destination: DestinationStream): LogTail {
  const run = temporaryName()
  const kept: string[] = []
  let chars = 0
  /** Number of lines so far. */
  let written = 0
  return {
    write(line) {
      destination.write(line)
      kept.push(line)
      written++
      chars += line.length
      while (kept.length > keptLines || chars > keptChars) chars -= kept.shift()?.length ?? 0
    },
    after(cursor = '', limit = keptLines) {
      const [cursorRun, number] = cursor.split('.')
      const known = cursorRun === run ? Number(number) : 0
      const first = written - kept.length
      // A number beyond the end, or none, is of a cursor that was made up.
      const from = known >= 0 && known <= written ? Math.max(0, known - first) : 0
      const lines = kept.slice(from, from + limit).map(parseLine)
      return { lines, cursor: `${run}.${first + from + lines.length}` }
    },
  }
}

function parseLine(text: string): LogLine {
  const { level, time, msg = '', ...rest } = JSON.parse(text)
  const fields = Object.keys(rest).length > 0 ? JSON.stringify(rest) : ''
  return {
    level,
    time,
    message: msg,
    fields: fields.length > shownChars ? `${fields.slice(0, shownChars)}…` : fields,
  }
}
