/** Checks a value by the schema of worlds, as JSON Schema validators do, with reasons in plain words. */
import { type Path, type Problem, suggestion } from './errors.ts'
import type { ObjectSchema, Schema, StringSchema } from './schema-types.ts'

/** Returns what is wrong with a value. A member that is undefined counts as absent. */
export function checkSchema(schema: Schema, value: unknown, path: Path = []): Problem[] {
  const problem = (reason: string): Problem[] => [{ path, reason }]
  if ('anyOf' in schema) return checkChoice(schema.anyOf, value, path)
  if ('enum' in schema) {
    if (schema.enum.some((one) => one === value)) return []
    const known = schema.enum.map((one) => JSON.stringify(one)).join(', ')
    const similar = typeof value === 'string' ? suggestion(value, schema.enum.map(String)) : ''
    return problem(`must be ${schema.enum.length > 1 ? 'one of ' : ''}${known}${similar}`)
  }
  if (typeOf(value) !== schema.type) return problem(`must be ${article(schema.type)}, not ${nameOf(value)}`)
  switch (schema.type) {
    case 'string':
      return checkString(schema, value as string, problem)
    case 'integer': {
      const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
      const number = value as number
      return number < minimum || number > maximum ? problem(`must be ${rangeOf(schema)}`) : []
    }
    case 'array': {
      const values = value as readonly unknown[]
      const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
      if (values.length < minItems) return problem('must not be empty')
      if (values.length > maxItems)
        return problem(`has ${values.length} values; at most ${maxItems} are possible`)
      return values.flatMap((one, index) => checkSchema(schema.items, one, [...path, index]))
    }
    case 'object':
      return checkObject(schema, value as Readonly<Record<string, unknown>>, path)
    default:
      return []
  }
}

function checkString(
  { pattern, minLength = 0, examples = [] }: StringSchema,
  value: string,
  problem: (reason: string) => Problem[],
): Problem[] {
  if (value.length < minLength) return problem('must not be empty')
  if (pattern === undefined || new RegExp(pattern, 'u').test(value)) return []
  return problem(`"${value}" must have a form such as ${examples.join(', ')}`)
}

function checkObject(schema: ObjectSchema, value: Readonly<Record<string, unknown>>, path: Path): Problem[] {
  const { properties, required = [] } = schema
  if (!properties) return []
  const missing = required
    .filter((name) => value[name] === undefined)
    .map((name) => ({ path, reason: `${name} is missing` }))
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (member === undefined) return []
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known) return checkSchema(known, member, [...path, name])
    const similar = suggestion(name, Object.keys(properties))
    return [{ path: [...path, name], reason: `there is no such member${similar}` }]
  })
  return [...missing, ...members]
}

/** The problems of the choice that has the type of the value; of all together, if there is none. */
function checkChoice(choices: readonly Schema[], value: unknown, path: Path): Problem[] {
  const results = choices.map((choice) => checkSchema(choice, value, path))
  if (results.some((problems) => problems.length === 0)) return []
  const fits = choices.findIndex((choice) => typesOf(choice).includes(typeOf(value)))
  if (fits >= 0) return results[fits] ?? []
  const types = choices.flatMap((choice) =>
    'enum' in choice ? choice.enum.map(String) : typesOf(choice).map(article),
  )
  return [{ path, reason: `must be ${types.join(' or ')}, not ${nameOf(value)}` }]
}

type Type = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null' | 'undefined'

function typeOf(value: unknown): Type {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value as Type
}

function typesOf(schema: Schema): Type[] {
  if ('anyOf' in schema) return schema.anyOf.flatMap(typesOf)
  return 'enum' in schema ? schema.enum.map(typeOf) : [schema.type]
}

function nameOf(value: unknown): string {
  const type = typeOf(value)
  return type === 'null' || type === 'undefined' ? type : article(type)
}

function article(type: Type): string {
  if (type === 'string') return 'a text'
  return type === 'boolean' ? 'true or false' : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
}

function rangeOf({ minimum, maximum }: { readonly minimum?: number; readonly maximum?: number }): string {
  if (minimum === undefined) return `at most ${maximum}`
  return maximum === undefined ? `at least ${minimum}` : `from ${minimum} to ${maximum}`
}
