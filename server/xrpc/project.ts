/**
 * Projection: a value with only the properties that its schema declares. On the way in it keeps `__proto__` and friends
 * away from handlers; on the way out it keeps a stray column from leaking. Inside `unknown` everything is kept but `__proto__`.
 *
 * It does not validate: what has another type than the schema says is handed on, hollow, for the validator to refuse.
 */
import type { Validator } from '@atproto/lex-schema'
import { protocolError } from './errors.ts'

export type Projection = (value: unknown) => unknown

/** Deeper values are refused: no schema of ours needs them, and recursion over them would end in a stack overflow. */
const maxDepth = 64

/** What the schema classes have in common, read structurally: the library exports no visitor. */
interface Node {
  readonly type?: string
  readonly shape?: Record<string, Validator>
  readonly schema?: Validator
  readonly validator?: Validator
  readonly validatorsMap?: Map<string, Validator>
}

/** Compiles the projection of a schema; once per method, not per request. */
export function projection(schema: Validator | undefined): Projection {
  return schema === undefined ? () => undefined : compile(schema, new Map())
}

function compile(schema: Validator, known: Map<Validator, Projection>): Projection {
  const found = known.get(schema)
  if (found) return found
  // A recursive schema meets itself while it is compiled: the placeholder forwards to what it becomes.
  let compiled: Projection = (value) => value
  known.set(schema, (value) => compiled(value))
  compiled = compileNode(schema as Node, (child) => compile(child, known))
  known.set(schema, compiled)
  return compiled
}

function compileNode(node: Node, child: (schema: Validator) => Projection): Projection {
  switch (node.type) {
    case 'object':
      return objectProjection(Object.entries(node.shape ?? {}).map(([key, value]) => [key, child(value)]))
    case 'typedObject':
      return withType(node.schema ? child(node.schema) : unknownValue)
    case 'array': {
      const item = node.validator ? child(node.validator) : unknownValue
      return (value) => (Array.isArray(value) ? value.map((member) => item(member)) : hollow(value))
    }
    case 'optional':
    case 'withDefault':
    case 'nullable':
    case 'ref':
    case 'typedRef':
      return node.validator ? child(node.validator) : unknownValue
    case 'typedUnion': {
      const members = new Map([...(node.validatorsMap ?? [])].map(([type, value]) => [type, child(value)]))
      return (value) => (members.get(typeOf(value)) ?? unknownValue)(value)
    }
    case 'string':
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
  return (value) => {
    if (!isObject(value)) return hollow(value)
    const projected: Record<string, unknown> = {}
    for (const [key, project] of properties) {
      if (!Object.hasOwn(value, key)) continue
      const member = value[key]
      if (member !== undefined) projected[key] = project(member)
    }
    return projected
  }
}

/** Keeps `$type`, which a definition allows without declaring it. */
function withType(project: Projection): Projection {
  return (value) => {
    const projected = project(value)
    const type = typeOf(value)
    return type === '' || !isObject(projected) ? projected : { $type: type, ...projected }
  }
}

function unknownValue(value: unknown): unknown {
  return cleaned(value, 0)
}

function cleaned(value: unknown, depth: number): unknown {
  if (depth > maxDepth) throw protocolError('InvalidRequest', `Values may be nested ${maxDepth} levels deep`)
  if (Array.isArray(value)) return value.map((item) => cleaned(item, depth + 1))
  if (typeof value === 'string') return wellFormed(value)
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  const kept: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    if (key !== '__proto__') kept[wellFormed(key)] = cleaned(member, depth + 1)
  }
  return kept
}

/** SQLite's C strings end at NUL, so that a NUL in a declared field would not survive storage. */
function leaf(value: unknown): unknown {
  if (typeof value !== 'string') return hollow(value)
  if (value.includes('\0')) throw protocolError('InvalidRequest', 'Text may not contain NUL')
  return wellFormed(value)
}

/** What cannot be what the schema says, without its content: nothing undeclared passes, at no depth. */
function hollow(value: unknown): unknown {
  if (Array.isArray(value)) return []
  return isObject(value) ? {} : value
}

/** Half a surrogate pair has no UTF-8 form. */
function wellFormed(value: string): string {
  if (value.isWellFormed()) return value
  throw protocolError('InvalidRequest', 'Text may not contain lone surrogates')
}

function typeOf(value: unknown): string {
  return isObject(value) && typeof value.$type === 'string' ? value.$type : ''
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
