/**
 * Every sentence of the documents that people read before they trust the program stands in `promises.md`, with the tests that show
 * it, or with the reason why it needs none. Read its tests after a change of the sentence.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sentencesOf } from './support/page/sentences.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const documents = [
  'README.md',
  '.github/SECURITY.md',
  '.github/PUBLIC.md',
  '.github/FOLLOWING.md',
  '.github/BACKUPS.md',
]

/** Why a sentence needs no test. */
const reasons = [
  'label', // a title, a link or a name
  'instruction', // says what the reader does
  'fact', // about the world, other programs, or the state of this project
  'limit', // says what is not covered or not there
  'untestable', // cannot be shown here; the sentence or the document says so
]

interface Row {
  readonly sentence: string
  readonly shownBy: string
}

function rowsOf(document: string): Row[] {
  const section = read('test/promises.md').split(`\n## ${document}\n`)[1]?.split('\n## ')[0] ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => {
      const [sentence = '', shownBy = ''] = line.slice(2, -2).split(' | ')
      return { sentence, shownBy }
    })
}

/** Tests are named as `path: part of the title`, the path below `test/` without `.test.ts`, in backquotes, separated by commas. */
function missingTests(shownBy: string): string[] {
  const named = [...shownBy.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  return named.filter((name) => {
    const [, path, title] = /^([^:]+): (.+)$/.exec(name) ?? []
    return !title || !titlesOf(`test/${path}.test.ts`).some((known) => known.includes(title))
  })
}

/** The texts in a file that can be titles: those that begin after a parenthesis. */
const titlesOf = (file: string) =>
  existsSync(join(root, file))
    ? [...read(file).matchAll(/\(\s*(['"`])(.+)\1/g)].map(([, , title = '']) => title)
    : []

describe.each(documents)('%s', (document) => {
  const rows = rowsOf(document)

  test('every sentence names its test, or why it promises nothing', () => {
    const known = new Set(rows.map(({ sentence }) => sentence))
    const sentences = sentencesOf(read(document)).map((sentence) => sentence.replaceAll('|', '/'))
    expect(sentences.filter((sentence) => !known.has(sentence))).toEqual([])
    const current = new Set(sentences)
    expect(rows.filter(({ sentence }) => !current.has(sentence))).toEqual([])
  })

  test('the tests that it names exist', () => {
    const missing = rows.flatMap(({ sentence, shownBy }) =>
      missingTests(shownBy).map((name) => `${name}: ${sentence}`),
    )
    expect(missing).toEqual([])
  })

  test('a sentence without a test has a known reason', () => {
    const without = rows.filter(({ shownBy }) => !shownBy.startsWith('`'))
    expect(without.filter(({ shownBy }) => !reasons.includes(shownBy))).toEqual([])
  })
})
