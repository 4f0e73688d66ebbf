/** The failures of a server that are known: a file of the one who measures it. */
import { readFileSync } from 'node:fs'
import type { Expected } from '../../operation/conformance/runner.ts'
import { UsageError } from '../exec.ts'

/**
 * Reads a file with an id and its reason per line: `stream.cursor.future  the stream has no cursors yet`. Empty lines and those that
 * begin with # are ignored.
 * @throws UsageError
 */
export function readExpected(file: string, ids: ReadonlySet<string>): Expected {
  const expected = new Map<string, string>()
  for (const [index, line] of read(file).split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, id = '', reason = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(line) ?? []
    const place = `${file}:${index + 1}`
    if (!ids.has(id)) throw new UsageError(`${place}: there is no requirement ${id}. --list shows all.`)
    if (reason === '') throw new UsageError(`${place}: ${id} needs a reason after its id.`)
    expected.set(id, reason)
  }
  return expected
}

/** @throws UsageError */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const reasons = new Map([
      ['ENOENT', 'there is no such file'],
      ['EISDIR', 'it is a folder'],
      ['EACCES', 'this user may not read it'],
    ])
    throw new UsageError(`--expect ${file} cannot be read: ${reasons.get(code) ?? code}.`)
  }
}
