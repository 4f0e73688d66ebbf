/** The log: rotated files, and the last lines in memory for the Logs screen. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createLogTail, type LogTail } from '../../server/util/log-tail.ts'
import { args, optional, text } from '../ground/arguments.ts'
import { attempt } from '../ground/attempt.ts'
import { type CallsOf, call } from '../ground/calls.ts'

export interface Logs extends LogTail {
  readonly calls: CallsOf<'logs'>
}

/** `pds.log` is the newest, then `pds.1.log`, then `pds.2.log`. */
const keptFiles = 3
const fileBytes = 5 * 1024 * 1024

/** If the folder cannot be written, lines are kept in memory only. */
export function openLogs(folder: string, maxBytes: number = fileBytes): Logs {
  const file = (age: number) => join(folder, age === 0 ? 'pds.log' : `pds.${age}.log`)
  attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  let bytes = attempt(() => statSync(file(0)).size) ?? 0

  function write(line: string): void {
    if (bytes >= maxBytes) {
      for (let age = keptFiles - 1; age > 0; age--) attempt(() => renameSync(file(age - 1), file(age)))
      bytes = 0
    }
    // Synchronous, so that the last lines before a crash are on disk.
    attempt(() => appendFileSync(file(0), line, { mode: 0o600 }))
    bytes += Buffer.byteLength(line)
  }

  const tail = createLogTail({ write })
  return {
    ...tail,
    calls: { 'logs.read': call(args(optional(text(100))), (cursor) => tail.after(cursor)) },
  }
}
