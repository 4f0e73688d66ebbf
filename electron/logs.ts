/** The log: a file that is begun anew when it is large, and the last lines in memory for the screen that shows them. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LogLine } from './bridge.ts'

export interface Logs {
  /** Takes what pino writes: one JSON object a line. */
  write(line: string): void
  /** The newest last. */
  tail(): readonly LogLine[]
  onLine(listener: (line: LogLine) => void): void
}

const keptLines = 2000
/** `pds.log`, then `pds.1.log` and so on to the oldest. */
const keptFiles = 3
const fileBytes = 5 * 1024 * 1024

/** A folder that cannot be written costs the files, nothing else. */
export function openLogs(folder: string, maxBytes: number = fileBytes): Logs {
  const file = (age: number) => join(folder, age === 0 ? 'pds.log' : `pds.${age}.log`)
  const lines: LogLine[] = []
  const listeners: ((line: LogLine) => void)[] = []
  let bytes = attempt(() => sizeOf(folder, file(0))) ?? 0

  function append(line: string): void {
    if (bytes >= maxBytes) {
      for (let age = keptFiles - 1; age > 0; age--) attempt(() => renameSync(file(age - 1), file(age)))
      bytes = 0
    }
    // At once, so that the last words of a program that dies are there.
    attempt(() => appendFileSync(file(0), line, { mode: 0o600 }))
    bytes += Buffer.byteLength(line)
  }

  return {
    write(text) {
      append(text)
      const line = parseLine(text)
      lines.push(line)
      if (lines.length > keptLines) lines.shift()
      for (const listener of listeners) listener(line)
    },
    tail: () => [...lines],
    onLine: (listener) => listeners.push(listener),
  }
}

function parseLine(text: string): LogLine {
  const { level, time, msg = '', ...rest } = JSON.parse(text)
  const fields = Object.keys(rest).length > 0 ? JSON.stringify(rest) : ''
  return { level, time, message: msg, fields }
}

/** Makes the folder. @returns how large the file in it is already, in bytes */
function sizeOf(folder: string, file: string): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return statSync(file).size
}

/** @returns undefined when the step fails */
function attempt<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch {
    return undefined
  }
}
