/** Reads the parameters and the body of a request, and checks them by the lexicon of its method. */
import type { IncomingMessage } from 'node:http'
import { readJson } from '../../platform/xrpc/body.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { checkSchema } from '../worlds/check.ts'
import { formatPath } from '../worlds/errors.ts'
import type { Schema } from '../worlds/schema-types.ts'

/** The part of a lexicon that inputs use. */
export interface LexiconMethod {
  readonly type: string
  readonly parameters?: LexiconObject
  readonly input?: { readonly schema?: LexiconObject }
}

interface LexiconObject {
  readonly required?: readonly string[]
  readonly properties: Readonly<Record<string, LexiconValue>>
}

interface LexiconValue {
  readonly type: string
  readonly enum?: readonly string[]
  readonly minLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

export type Values = Readonly<Record<string, unknown>>

/** Bytes of a body. A world is larger. */
const maxBytes = 100_000
const maxWorldBytes = 20_000_000

/** @param inPath parameters in the path @throws XrpcError that names what is wrong */
export function readParams(
  { parameters }: LexiconMethod,
  query: URLSearchParams,
  inPath: Readonly<Record<string, string>>,
): Values {
  const properties = parameters?.properties ?? {}
  const names = [...query.keys()]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw protocolError('InvalidRequest', `${twice} is given twice`)
  const given = Object.entries({ ...Object.fromEntries(query), ...inPath })
  const values = Object.fromEntries(given.map(([name, text]) => [name, parseText(text, properties[name])]))
  check({ ...parameters, properties }, values)
  return values
}

/** Texts of a URL that are no value of the type stay texts, which the check refuses. */
function parseText(text: string, definition: LexiconValue | undefined): unknown {
  if (definition?.type === 'integer' && /^\d{1,16}$/.test(text)) return Number(text)
  if (definition?.type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true'
  return text
}

/** @throws XrpcError that names what is wrong */
export async function readBody({ input }: LexiconMethod, req: IncomingMessage): Promise<Values> {
  const type = req.headers['content-type']
  // A form of a page of another site can have other types, but not this one.
  if (type !== undefined && !/^application\/json *(?:;|$)/i.test(type)) {
    req.resume()
    const message = `The body must be JSON (Content-Type: application/json), not ${type}`
    throw new XrpcError('UnsupportedMediaType', message, { status: 415 })
  }
  const body = (await readJson(req, input && !input.schema ? maxWorldBytes : maxBytes)) ?? {}
  if (!isObject(body)) throw protocolError('InvalidRequest', 'The body must be a JSON object')
  if (!input || input.schema) check(input?.schema ?? { properties: {} }, body)
  return body
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function check(lexicon: LexiconObject, values: Values): void {
  const problems = checkSchema(schemaOf(lexicon), values).map(({ path, reason }) =>
    path.length === 0 ? reason : `${formatPath(path)}: ${reason}`,
  )
  if (problems.length > 0) throw protocolError('InvalidRequest', problems.join('; '))
}

function schemaOf({ required = [], properties }: LexiconObject): Schema {
  const members = Object.entries(properties).map(([name, value]) => [name, valueSchema(value)])
  return { type: 'object', required, properties: Object.fromEntries(members) }
}

function valueSchema(value: LexiconValue): Schema {
  if (value.enum) return { enum: value.enum }
  switch (value.type) {
    case 'string':
      return { type: 'string', minLength: value.minLength ?? 0 }
    case 'integer': {
      const { minimum, maximum } = value
      return {
        type: 'integer',
        ...(minimum !== undefined && { minimum }),
        ...(maximum !== undefined && { maximum }),
      }
    }
    case 'boolean':
      return { type: 'boolean' }
    default:
      throw new TypeError(`Inputs have no values of type ${value.type}`)
  }
}
