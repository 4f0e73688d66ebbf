/** Compares our lexicons with the ones in the network's client library: unmodified clients must accept our responses. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemas } from '@atproto/api'
import { expect, test } from 'vitest'

type Document = { id: string; defs: Record<string, unknown> }

const folder = join(import.meta.dirname, '../../../lexicons')
const ours = globSync('{com,app,chat}/**/*.json', { cwd: folder })
  .sort()
  .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Document)
const network = new Map<string, Document>(schemas.map((document) => [document.id, document]))

/** Definitions that differ on purpose: of methods that the interface document specifies, and those with a reason. */
const exempt = [
  /^com\.core\.(server|identity)\./,
  /^com\.core\.admin\.(defs|deleteAccount|disableInviteCodes|getSubjectStatus|updateAccountPassword|updateSubjectStatus)#/,
  /^com\.core\.repo\.(applyWrites|createRecord|deleteRecord|describeRepo|getRecord|listRecords|putRecord)#/,
  // Missing media of ours may be damaged files.
  /^com\.core\.repo\.listMissingBlobs#recordBlob/,
  // The schema of a record declares one member of a lexicon, and all others are returned, too.
  /^com\.core\.lexicon\.resolveLexicon#/,
  /^com\.core\.sync\.getRepo#/,
  // Ours has an optional parameter for thumbnails, which URLs in views use.
  /^com\.core\.sync\.getBlob#/,
  /^app\.example\.notification\.(?!declaration)/,
  // Unknown members of preferences are kept.
  /^app\.example\.actor\.(getPreferences|putPreferences)#/,
  // This server has no conversations, and returns empty lists.
  /^chat\.example\.convo\.(getConvoAvailability|getConvoForMembers|getLog|listConvoRequests|listConvos)#/,
  /^chat\.example\.group\.listMutualGroups#/,
  // Kinds of reports of the moderation tools.
  /^com\.core\.moderation\.defs#/,
]

const compared = ours.flatMap(({ id, defs }) => {
  const counterpart = network.get(networkName(id))
  return Object.entries(defs)
    .filter(([name]) => counterpart && !exempt.some((pattern) => pattern.test(`${id}#${name}`)))
    .map(([name, definition]) => [`${id}#${name}`, definition, counterpart?.defs[name]] as const)
})

test('the library has a counterpart of most definitions', () => {
  expect(compared.length).toBeGreaterThan(200)
})

test.each(compared)('%s has the shape of the network', (key, definition, counterpart) => {
  const id = networkName(key).replace(/#.*/, '')
  expect(shape(definition, id)).toEqual(shape(counterpart, id))
})

function networkName(name: string): string {
  return name
    .replace(/^com\.core\b/, 'com.atproto')
    .replace(/^(app|chat)\.example\b/, '$1.bsky')
    .replace(/^lex:/, '')
}

/** A definition without texts and errors, its references absolute and in the names of the network. */
function shape(node: unknown, id: string): unknown {
  if (typeof node === 'string') return reference(node, id)
  if (Array.isArray(node)) return node.map((item) => shape(item, id))
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node)
    .filter(([key, value]) => key !== 'errors' && !(key === 'description' && typeof value === 'string'))
    .filter(([key, value]) => !(key === 'required' && Array.isArray(value) && value.length === 0))
    .map(([key, value]) => [key, unordered.has(key) ? sorted(shape(value, id)) : shape(value, id)])
  return Object.fromEntries(entries)
}

const unordered = new Set(['required', 'refs', 'knownValues'])

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : value
}

function reference(text: string, id: string): string {
  const absolute = text.startsWith('#') ? id + text : networkName(text)
  return absolute.replace(/#main$/, '')
}
