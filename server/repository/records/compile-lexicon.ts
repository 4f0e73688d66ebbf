/**
 * Compiles the lexicon of a record that others have published to a schema that validates it (atproto specification, "Lexicon"). The
 * documents may come from anyone: what they may contain is limited, and references are followed when a record is validated, so that
 * they may form a cycle.
 */
import { isPlainObject, type LexMap, type LexValue } from '@atproto/lex-data'
import { l } from '@atproto/lex-schema'
import { isValidNsid, isValidRecordKey } from '@atproto/syntax'

/** Returns the document of a lexicon, whose `id` is the NSID and whose `defs` is a map. */
export type LoadLexicon = (nsid: string) => Promise<LexMap>

/** The lexicon cannot be used to validate records; `message` gives the reason and is safe to show. */
export class MalformedLexicon extends Error {
  override name = 'MalformedLexicon'
}

/** Documents that a schema needs, its own included. */
const maxDocuments = 20
/** Types in all definitions that a schema needs: objects, properties, items. */
const maxTypes = 5_000
/** Types in each other. */
const maxDepth = 32

/** State of a compilation. */
interface Compilation {
  /** Names of definitions (`nsid#name`) that are needed, in the order in which they were found. */
  readonly needed: Set<string>
  readonly definitions: Map<string, l.Validator>
  /** Names of definitions that are members of unions. */
  readonly members: Set<string>
  types: number
}

/**
 * Compiles the main definition of a lexicon, and all definitions that it refers to.
 * @throws MalformedLexicon, the error of `load`
 */
export async function compileRecordLexicon(nsid: string, load: LoadLexicon): Promise<l.RecordSchema> {
  const main = `${nsid}#main`
  const state: Compilation = { needed: new Set([main]), definitions: new Map(), members: new Set(), types: 0 }
  const documents = new Map<string, LexMap>()
  // The set grows while it is iterated.
  for (const name of state.needed) {
    const [of = '', part = ''] = name.split('#')
    const document = documents.get(of) ?? (await load(of))
    documents.set(of, document)
    if (documents.size > maxDocuments)
      throw new MalformedLexicon(`${nsid} refers to more than ${maxDocuments} lexicons`)
    const { [part]: definition } = mapOf(document.defs, name)
    state.definitions.set(name, compileDefinition(of, part, mapOf(definition, name), state))
  }
  for (const name of state.members)
    if (!isTyped(state.definitions.get(name)))
      throw new MalformedLexicon(`${name} is a member of a union, but no object`)
  const schema = state.definitions.get(main)
  if (!(schema instanceof l.RecordSchema)) throw new MalformedLexicon(`${nsid} is no lexicon of a record`)
  return schema
}

function compileDefinition(nsid: string, name: string, def: LexMap, state: Compilation): l.Validator {
  const of = { nsid, state, depth: 0 }
  if (def.type === 'object') return l.typedObject(nsid as l.NsidString, name, objectOf(def, of))
  if (def.type === 'token') return l.token(nsid as l.NsidString, name)
  // Two that refer to each other would never end.
  if (def.type === 'ref') throw new MalformedLexicon(`${nsid}#${name} is a reference alone`)
  if (def.type !== 'record') return schemaOf(def, of)
  const { key = 'any' } = def
  if (name !== 'main' || !l.isLexiconRecordKey(key) || !isValidRecordKey(key.replace(/^literal:/, '')))
    throw new MalformedLexicon(`${nsid}#${name} is a record without a valid key`)
  return l.record(key, nsid as l.NsidString, objectOf(mapOf(def.record, nsid), of))
}

interface Place {
  /** The lexicon, to which local references belong. */
  readonly nsid: string
  readonly state: Compilation
  readonly depth: number
}

type Compile = (def: LexMap, place: Place) => l.Validator

const compilers: Readonly<Record<string, Compile>> = {
  object: objectOf,
  array: (def, place) =>
    l.array(schemaOf(mapOf(def.items, place.nsid), place), numbersOf(def, 'minLength', 'maxLength')),
  ref: (def, place) => l.ref(definitionOf(def.ref, place)),
  union: (def, place) =>
    l.typedUnion(
      listOf(def.refs, place.nsid).map((ref) => l.typedRef(memberOf(ref, place))),
      def.closed === true,
    ),
  string: (def) => fixed(def) ?? l.string({ ...formatOf(def), ...numbersOf(def, ...lengths) }),
  integer: (def) => fixed(def) ?? l.integer(numbersOf(def, 'minimum', 'maximum')),
  boolean: (def) => fixed(def) ?? l.boolean(),
  bytes: (def) => l.bytes(numbersOf(def, 'minLength', 'maxLength')),
  blob: (def, { nsid }) =>
    l.blob({
      ...numbersOf(def, 'maxSize'),
      ...(def.accept !== undefined && { accept: textsOf(def.accept, nsid) }),
    }),
  'cid-link': () => l.cid(),
  unknown: () => l.lexMap(),
}

const lengths = ['minLength', 'maxLength', 'minGraphemes', 'maxGraphemes'] as const

function schemaOf(def: LexMap, { nsid, state, depth }: Place): l.Validator {
  if (++state.types > maxTypes || depth > maxDepth)
    throw new MalformedLexicon(`${nsid} has too many definitions`)
  const type = typeof def.type === 'string' ? def.type : ''
  const compile = Object.hasOwn(compilers, type) ? compilers[type] : undefined
  if (!compile)
    throw new MalformedLexicon(`${nsid} has a definition of the unknown type ${type.slice(0, 50)}`)
  return compile(def, { nsid, state, depth: depth + 1 })
}

function objectOf(def: LexMap, place: Place): l.ObjectSchema {
  const { nsid } = place
  const properties = mapOf(def.properties ?? {}, nsid)
  const [required, nullable] = [def.required, def.nullable].map(
    (names) => new Set(textsOf(names ?? [], nsid)),
  )
  for (const name of required ?? [])
    if (!Object.hasOwn(properties, name)) throw new MalformedLexicon(`${nsid} requires an undefined property`)
  const shape = Object.entries(properties).map(([name, property]): [string, l.Validator] => {
    const schema = schemaOf(mapOf(property, nsid), place)
    const value = nullable?.has(name) ? l.nullable(schema) : schema
    return [name, required?.has(name) ? value : l.optional(value)]
  })
  return l.object(Object.fromEntries(shape))
}

/** Returns the name of a definition, which is needed from now on. */
function nameOf(ref: LexValue | undefined, { nsid, state }: Place): string {
  const [of = '', part = 'main', ...rest] = (typeof ref === 'string' ? ref : '')
    .replace(/^lex:/, '')
    .split('#')
  const target = of === '' ? nsid : of
  if (part === '' || rest.length > 0 || !isValidNsid(target))
    throw new MalformedLexicon(`${nsid} has an invalid reference`)
  const name = `${target}#${part}`
  state.needed.add(name)
  return name
}

/** Returns the getter of a definition, which is called when a record is validated. */
function definitionOf(ref: LexValue | undefined, place: Place): () => l.Validator {
  const name = nameOf(ref, place)
  return () => compiled(place.state, name)
}

/** As `definitionOf`, for a member of a union, which must have a `$type`. */
function memberOf(ref: LexValue, place: Place): () => Typed {
  const name = nameOf(ref, place)
  place.state.members.add(name)
  return () => compiled(place.state, name) as Typed
}

function compiled({ definitions }: Compilation, name: string): l.Validator {
  const found = definitions.get(name)
  if (found) return found
  throw new MalformedLexicon(`${name} is not compiled`)
}

type Typed = l.TypedObjectSchema | l.RecordSchema

function isTyped(schema: l.Validator | undefined): schema is Typed {
  return schema instanceof l.TypedObjectSchema || schema instanceof l.RecordSchema
}

/** Returns the schema of a constant or an enumeration; undefined for other definitions. */
function fixed(def: LexMap): l.Validator | undefined {
  const values = def.const === undefined ? def.enum : [def.const]
  if (!Array.isArray(values)) return undefined
  return l.enum(values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)) as string[])
}

/** Formats of later versions of the language are not checked. */
function formatOf({ format }: LexMap): { format?: l.StringFormat } {
  const known = l.STRING_FORMATS.find((name) => name === format)
  return known === undefined ? {} : { format: known }
}

/** Returns those of the named members that are numbers. */
function numbersOf<Name extends string>(def: LexMap, ...names: Name[]): { [name in Name]?: number } {
  const numbers = names.map((name) => [name, def[name]] as const)
  return Object.fromEntries(numbers.filter(([, value]) => typeof value === 'number')) as {
    [name in Name]?: number
  }
}

/** @throws MalformedLexicon */
function mapOf(value: LexValue | undefined, where: string): LexMap {
  if (isPlainObject(value)) return value as LexMap
  throw new MalformedLexicon(`${where} has no valid definition`)
}

function listOf(value: LexValue | undefined, where: string): readonly LexValue[] {
  if (Array.isArray(value)) return value
  throw new MalformedLexicon(`${where} has no valid list`)
}

function textsOf(value: LexValue | undefined, where: string): string[] {
  return listOf(value, where).filter((text) => typeof text === 'string')
}
