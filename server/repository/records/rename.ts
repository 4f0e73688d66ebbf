/** Renames records: they are stored under the names of the network, validated under ours, and returned under the caller's names. */
import { isPlainObject, type LexMap, type LexValue } from '@atproto/lex-data'
import type { Validator } from '@atproto/lex-schema'
import { type Names, type RenameNsid, renameInUri } from '../../platform/config/aliases.ts'
import { type Rename, renameTokens, type SchemaNode, tokenProperties } from '../../platform/xrpc/project.ts'
import { recordLexicons } from './lexicons.ts'

/**
 * Renames the `$type`s in a record at any depth, and names that its lexicon declares: collections by
 * themselves and in AT URIs, and tokens. Other texts stay. Returns the record itself if nothing changes.
 */
export function renameRecord<Value extends LexMap>(record: Value, { own }: Names, to: RenameNsid): Value {
  const { $type } = record
  const schema = typeof $type === 'string' ? recordLexicons.get(own($type)) : undefined
  return renamed(record, schema, own, to) as Value
}

/** Returns a record with our names in its `$type`s and tokens, as lexicons validate it. AT URIs stay as they are stored. */
export function withOwnTypes<Value extends LexMap>(record: Value, { own }: Names): Value {
  return renamed(record, undefined, own, own) as Value
}

/** Returns the renaming of requests: our `$type`s, and AT URIs as they are stored. Handlers rename collections and records. */
export function requestRename({ own, stored }: Names): Rename {
  return { type: own, stored: { nsid: same, uri: (uri) => renameInUri(uri, stored), record: same } }
}

const same = <Value>(value: Value) => value

/**
 * Returns the renaming of a response for its caller; undefined without aliases.
 * @param called name of the method, which decides about `$type`s
 * @param collection that the caller names, if any: it decides about records and their URIs
 */
export function callerRename(names: Names, called: string, collection?: string): Rename | undefined {
  const type = names.callerName(called)
  const nsid = collection === undefined ? type : names.callerName(collection, called)
  if (!type || !nsid) return undefined
  if (nsid === names.stored) return { type }
  return {
    type,
    stored: {
      nsid,
      uri: (uri) => renameInUri(uri, nsid),
      record: (value) => (isPlainObject(value) ? renamedOnce(value as LexMap, names, nsid) : value),
    },
  }
}

/** Renamed records. A page often has a record several times, and views keep the JSON of records. */
const results = new WeakMap<RenameNsid, WeakMap<LexMap, LexMap>>()

function renamedOnce(record: LexMap, names: Names, to: RenameNsid): LexMap {
  const known = results.get(to) ?? new WeakMap<LexMap, LexMap>()
  results.set(to, known)
  const result = known.get(record) ?? renameRecord(record, names, to)
  known.set(record, result)
  return result
}

function renamed(value: LexValue, schema: Validator | undefined, own: RenameNsid, to: RenameNsid): LexValue {
  const node = schema && resolve(schema as SchemaNode, value, own)
  if (typeof value === 'string') return renamedText(value, node?.options?.format, to)
  if (Array.isArray(value)) {
    const items = value.map((item) => renamed(item, node?.validator, own, to))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  if (!isPlainObject(value)) return value
  let changed: LexMap | undefined
  for (const [key, member] of Object.entries(value as LexMap)) {
    if (member === undefined) continue
    const other = renamedMember(key, member, node, own, to)
    if (other === member) continue
    changed ??= { ...(value as LexMap) }
    changed[key] = other
  }
  return changed ?? value
}

function renamedText(value: string, format: string | undefined, to: RenameNsid): string {
  if (format === 'at-uri') return renameInUri(value, to)
  return format === 'nsid' ? to(value) : value
}

function renamedMember(
  key: string,
  member: LexValue,
  node: SchemaNode | undefined,
  own: RenameNsid,
  to: RenameNsid,
): LexValue {
  if (key === '$type') return typeof member === 'string' ? to(member) : member
  const value = renamed(member, node?.shape?.[key], own, to)
  return tokenProperties.has(key) ? (renameTokens(value, to) as LexValue) : value
}

/** Follows references and unions to the schema of a value. */
function resolve(node: SchemaNode, value: LexValue, own: RenameNsid): SchemaNode | undefined {
  switch (node.type) {
    case 'optional':
    case 'withDefault':
    case 'nullable':
    case 'ref':
    case 'typedRef':
      return node.validator && resolve(node.validator as SchemaNode, value, own)
    case 'record':
    case 'typedObject':
      return node.schema && resolve(node.schema as SchemaNode, value, own)
    case 'typedUnion': {
      const type = isPlainObject(value) ? (value as LexMap).$type : undefined
      const member = typeof type === 'string' ? node.validatorsMap?.get(own(type)) : undefined
      return member && resolve(member as SchemaNode, value, own)
    }
    default:
      return node
  }
}
