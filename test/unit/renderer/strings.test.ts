/** Every text of the user interface is in `renderer/strings`. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configurations, fixes } from '../../../renderer/strings/en/network-fixes.ts'
import { t } from '../../../renderer/strings/en.ts'
import { looseTexts } from '../../support/page/loose-texts.ts'

const renderer = join(import.meta.dirname, '../../../renderer')

test('looseTexts: finds text between tags, in visible attributes and in braces', () => {
  const source = `
    const A = () => <p title="Shown on hover">Hello <b>{'you'}</b> {n} · {\`are \${n}\`}</p>
    const B = () => <img alt="" className="not read" role="img" aria-label={x ? 'Either' : 'Or'} />`
  expect(looseTexts(source)).toEqual(['Shown on hover', 'Hello', 'you', 'are', 'Either', 'Or'])
})

test.each(globSync('**/*.tsx', { cwd: renderer }))('%s contains no text', (file) => {
  expect(looseTexts(readFileSync(join(renderer, file), 'utf8'))).toEqual([])
})

test('strings: every text is used', () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: renderer, exclude: ['strings/**'] })
    .map((file) => readFileSync(join(renderer, file), 'utf8'))
    .join('\n')
  /** By name, by a variable name in its group, or with the whole group as a property. */
  const isUsed = (key: string, group = key.replace(/\.[^.]+$/, '')) =>
    [`t.${key}`, `t.${group}[`, `{t.${group}}`].some((use) => sources.includes(use))
  const unused = keysOf(t).filter((key) => !key.startsWith('errors.byName.') && !isUsed(key))
  expect(unused).toEqual([])
})

test('strings: no text is empty, has outer spaces, straight quotes or three dots', () => {
  const wrong = textsOf(t).filter((text) => text.trim() !== text || text === '' || /["]|\.\.\./.test(text))
  expect(wrong).toEqual([])
})

test.each(Object.entries(configurations))('PUBLIC.md shows the configuration for %s', (_, configuration) => {
  const guide = readFileSync(join(renderer, '../.github/PUBLIC.md'), 'utf8')
  expect(guide).toContain(configuration({ host: 'pds.example.com', port: 2584, megabytes: 300 }))
})

test('strings: every check, remedy and reason for a request that lexicons name has a text', () => {
  const valuesOf = (method: string, definition: string, property: string): string[] => {
    const file = join(renderer, `../lexicons/com/core/admin/${method}.json`)
    return JSON.parse(readFileSync(file, 'utf8')).defs[definition].properties[property].knownValues
  }
  const { network } = t
  expect(Object.keys(network.checkNames)).toEqual(valuesOf('checkNetwork', 'check', 'name'))
  expect(Object.keys(network.states)).toEqual(valuesOf('checkNetwork', 'check', 'state'))
  expect(Object.keys(fixes)).toEqual(valuesOf('checkNetwork', 'check', 'remedy'))
  const ofServer = Object.keys(network.purposes).filter((purpose) => purpose !== 'updates')
  expect(ofServer).toEqual(valuesOf('getNetwork', 'outgoing', 'purpose'))
  expect(Object.keys(network.purposeDetails)).toEqual(Object.keys(network.purposes))
})

function keysOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' && !Array.isArray(inner) ? keysOf(inner, `${prefix}${key}.`) : [prefix + key],
  )
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
