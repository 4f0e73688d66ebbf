/** The log: rotated files, and the last lines in memory for the Logs screen. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { args } from '../ground/arguments.ts'
import { attempt } from '../ground/attempt.ts'
import type { LogLine } from '../ground/bridge.ts'
import { type CallsOf, call } from '../ground/calls.ts'

export interface Logs {
  /** Takes a line of pino: one JSON object. */
  write(line: string): void
  /** Newest last. */
  tail(): readonly LogLine[]
  readonly calls: CallsOf<'logs'>
  onLine(listener: (line: LogLine) => void): void
}

const keptLines = 2000
/** `pds.log` is the newest, then `pds.1.log`, then `pds.2.log`. */
const keptFiles = 3
const fileBytes = 5 * 1024 * 1024

/** If the folder cannot be written, lines are kept in memory only. */
export function openLogs(folder: string, maxBytes: number = fileBytes): Logs {
  const file = (age: number) => join(folder, age === 0 ? 'pds.log' : `pds.${age}.log`)
  const lines: LogLine[] = []
  const listeners: ((line: LogLine) => void)[] = []
  attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  let bytes = attempt(() => statSync(file(0)).size) ?? 0

  function append(line: string): void {
    if (bytes >= maxBytes) {
      for (let age = keptFiles - 1; age > 0; age--) attempt(() => renameSync(file(age - 1), file(age)))
      bytes = 0
    }
    // Synchronous, so that the last lines before a crash are on disk.
    attempt(() => appendFileSync(file(0), line, { mode: 0o600 }))
    bytes += Buffer.byteLength(line)
  }

  const tail = () => [...lines]
  return {
    write(text) {
      append(text)
      const line = parseLine(text)
      lines.push(line)
      if (lines.length > keptLines) lines.shift()
      for (const listener of listeners) listener(line)
    },
    tail,
    calls: { 'logs.tail': call(args(), tail) },
    onLine: (listener) => listeners.push(listener),
  }
}

function parseLine(text: string): LogLine {
  const { level, time, msg = '', ...rest } = JSON.parse(text)
  const fields = Object.keys(rest).length > 0 ? JSON.stringify(rest) : ''
  return { level, time, message: msg, fields }
}
