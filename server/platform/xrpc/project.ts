/**
 * Projection: reduces a value to the properties that its schema declares. In requests it removes `__proto__` and the like; in
 * responses it prevents a stray column from leaking. Inside `unknown` everything but `__proto__` is kept.
 *
 * It does not validate: a value of the wrong type is passed on without its content, and the validator refuses it.
 */
import type { Validator } from '@atproto/lex-schema'
import { isObject } from '../../util/json.ts'
import { protocolError } from './xrpc-errors.ts'

/** @param rename maps names, for callers that use another name of the schema */
export type Projection = (value: unknown, rename?: Rename) => unknown

/** Maps the names in a value. */
export interface Rename {
  /** Maps `$type`s and tokens. */
  readonly type: (type: string) => string
  /** Maps stored names. They stay if this is absent. */
  readonly stored?: {
    /** Maps names of collections. */
    readonly nsid: (nsid: string) => string
    readonly uri: (uri: string) => string
    /** Maps values without a schema, such as records. */
    readonly record: (value: unknown) => unknown
  }
}

/** The properties whose values can be tokens: names of definitions. */
export const tokenProperties: ReadonlySet<string> = new Set([
  'contentMode',
  'event',
  'purpose',
  'reasonType',
  'reasonTypes',
  'status',
])

/** Maps a token, or a list of tokens. Other values stay. */
export function renameTokens(value: unknown, rename: (token: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameTokens(item, rename))
  return typeof value === 'string' && value.includes('#') ? rename(value) : value
}

/** Deeper values are refused: no schema needs them, and recursion would overflow the stack. */
const maxDepth = 64

/** The common part of the schema classes: the library exports no visitor. */
export interface SchemaNode {
  readonly type?: string
  readonly options?: { readonly format?: string }
  readonly shape?: Record<string, Validator>
  readonly schema?: Validator
  readonly validator?: Validator
  readonly validatorsMap?: Map<string, Validator>
}

/** Compiled projections. Methods share the definitions that their schemas refer to. */
const cache = new WeakMap<Validator, Projection>()

/** Returns the projection of a schema, which is compiled at the first call: most methods are not called in a run of the server. */
export function projection(schema: Validator | undefined): Projection {
  if (schema === undefined) return () => undefined
  let project: Projection | undefined
  return (value, rename) => {
    project ??= compile(schema)
    return project(value, rename)
  }
}

function compile(schema: Validator): Projection {
  const found = cache.get(schema)
  if (found) return found
  // A recursive schema refers to itself while it is compiled: the placeholder forwards to the result.
  let compiled: Projection = (value) => value
  cache.set(schema, (value, rename) => compiled(value, rename))
  compiled = compileNode(schema as SchemaNode)
  cache.set(schema, compiled)
  return compiled
}

function compileNode(node: SchemaNode): Projection {
  switch (node.type) {
    case 'object':
    case 'params':
      return objectProjection(
        Object.entries(node.shape ?? {}).map(([key, value]) => [
          key,
          tokenProperties.has(key) ? token(compile(value)) : compile(value),
        ]),
      )
    case 'typedObject':
      return withType(node.schema ? compile(node.schema) : unknownValue)
    case 'array': {
      const item = node.validator ? compile(node.validator) : unknownValue
      return (value, rename) =>
        Array.isArray(value) ? value.map((member) => item(member, rename)) : hollow(value)
    }
    case 'optional':
    case 'withDefault':
    case 'nullable':
    case 'ref':
    case 'typedRef':
      return node.validator ? compile(node.validator) : unknownValue
    case 'typedUnion': {
      const members = new Map([...(node.validatorsMap ?? [])].map(([type, value]) => [type, compile(value)]))
      return (value, rename) => {
        const type = typeOf(value)
        const member = members.get(type) ?? (rename && members.get(rename.type(type)))
        return (member ?? unknownValue)(value, rename)
      }
    }
    case 'string':
      return leaves[node.options?.format ?? ''] ?? leaf
    case 'integer':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'token':
    case 'null':
      return leaf
    default:
      return unknownValue
  }
}

function objectProjection(properties: [string, Projection][]): Projection {
  return (value, rename) => {
    if (!isObject(value)) return hollow(value)
    const projected: Record<string, unknown> = {}
    for (const [key, project] of properties) {
      if (!Object.hasOwn(value, key)) continue
      const member = value[key]
      if (member !== undefined) projected[key] = project(member, rename)
    }
    return projected
  }
}

/** Keeps `$type`, which a definition allows without declaring it. */
function withType(project: Projection): Projection {
  return (value, rename) => {
    const projected = project(value, rename)
    const type = typeOf(value)
    if (type === '' || !isObject(projected)) return projected
    return { $type: rename ? rename.type(type) : type, ...projected }
  }
}

/** Results for frozen values. A caller freezes a value that it sends often. */
const cleanedOnce = new WeakMap<object, unknown>()

/** Projects a value without a schema: keeps everything but `__proto__`. */
function unknownValue(value: unknown, rename?: Rename): unknown {
  const renamed = rename?.stored ? rename.stored.record(value) : value
  if (!isObject(renamed) || !Object.isFrozen(renamed)) return cleaned(renamed, 0)
  const result = cleanedOnce.get(renamed) ?? cleaned(renamed, 0)
  cleanedOnce.set(renamed, result)
  return result
}

function cleaned(value: unknown, depth: number): unknown {
  if (depth > maxDepth)
    throw protocolError('InvalidRequest', `Values can be nested at most ${maxDepth} levels deep`)
  if (Array.isArray(value)) return value.map((item) => cleaned(item, depth + 1))
  if (typeof value === 'string') return wellFormed(value)
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  const kept: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    if (key !== '__proto__') kept[wellFormed(key)] = cleaned(member, depth + 1)
  }
  return kept
}

/** SQLite's C strings end at NUL: text after it would be lost. */
function leaf(value: unknown): unknown {
  if (typeof value !== 'string') return hollow(value)
  if (value.includes('\0')) throw protocolError('InvalidRequest', 'Text may not contain NUL')
  return wellFormed(value)
}

function uri(value: unknown, rename?: Rename): unknown {
  const text = leaf(value)
  return rename?.stored && typeof text === 'string' ? rename.stored.uri(text) : text
}

function nsid(value: unknown, rename?: Rename): unknown {
  const text = leaf(value)
  return rename?.stored && typeof text === 'string' ? rename.stored.nsid(text) : text
}

/** Projections by format. The URIs of labels are AT URIs, too. */
const leaves: Readonly<Record<string, Projection>> = { 'at-uri': uri, uri, nsid }

function token(project: Projection): Projection {
  return (value, rename) => {
    const projected = project(value, rename)
    return rename ? renameTokens(projected, rename.type) : projected
  }
}

/** A value of the wrong type without its content, so that nothing undeclared passes at any depth. */
function hollow(value: unknown): unknown {
  if (Array.isArray(value)) return []
  return isObject(value) ? {} : value
}

/** Lone surrogates have no UTF-8 form. */
function wellFormed(value: string): string {
  if (value.isWellFormed()) return value
  throw protocolError('InvalidRequest', 'Text may not contain lone surrogates')
}

function typeOf(value: unknown): string {
  return isObject(value) && typeof value.$type === 'string' ? value.$type : ''
}
