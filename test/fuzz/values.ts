/** Valid and invalid inputs, generated from lexicons, as JSON texts: JSON.stringify cannot produce every input. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc, { type Arbitrary } from 'fast-check'

/** Definitions of inputs and parameters in lexicons. */
export interface Definition {
  readonly type: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly knownValues?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly ref?: string
  readonly refs?: readonly string[]
  readonly items?: Definition
  readonly required?: readonly string[]
  readonly nullable?: readonly string[]
  readonly properties?: Readonly<Record<string, Definition>>
}

interface Document {
  readonly id: string
  readonly defs: Readonly<
    Record<
      string,
      Definition & {
        parameters?: Definition
        input?: { schema?: Definition }
        output?: { schema?: Definition }
        message?: { schema?: Definition }
      }
    >
  >
}

const folder = join(import.meta.dirname, '../../lexicons')
const documents = new Map(
  globSync('{com,app,chat}/**/*.json', { cwd: folder }).map((file) => {
    const document: Document = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    return [document.id, document] as const
  }),
)

interface Declared {
  readonly parameters: Definition
  readonly input: Definition | undefined
  /** The output, or the messages of a subscription. */
  readonly output: Definition | undefined
}

/** Returns the parameters, the input and the output that the lexicon of a method declares. */
export function declared(nsid: string): Declared {
  const main = documents.get(nsid)?.defs.main
  return {
    parameters: main?.parameters ?? { type: 'params' },
    input: main?.input?.schema,
    output: (main?.output ?? main?.message)?.schema,
  }
}

/** Generates JSON texts that conform to a definition in the lexicon of a method. */
export function valuesOf(definition: Definition, nsid: string, known: Known): Arbitrary<string> {
  return valid(definition, { known, home: nsid, name: '', depth: 0 })
}

export function resolve(ref: string, from: string): { definition: Definition; home: string; name: string } {
  const [id, name = 'main'] = ref.startsWith('#') ? [from, ref.slice(1)] : ref.split('#')
  const definition = documents.get(id ?? '')?.defs[name]
  if (!definition) throw new Error(`lexicon definition not found: ${ref}`)
  return { definition, home: id ?? '', name: name === 'main' ? (id ?? '') : `${id}#${name}` }
}

/**
 * Values that pass more checks than random ones, such as DIDs of existing accounts: JSON texts by property name, by format, or
 * for `any` string.
 */
export type Known = Readonly<Record<string, readonly string[]>>

const formats: Known = {
  did: ['did:plc:ewvi7nxzyoun6zhxrhs64oiz', 'did:web:unknown.example', 'did:web:localhost%3A1'],
  handle: ['unknown.test', 'UPPER.test', 'xn--80ak6aa92e.test'],
  'at-identifier': ['did:web:unknown.example', 'unknown.test'],
  'at-uri': ['at://did:web:unknown.example/com.test.note/one', 'at://unknown.test'],
  datetime: ['2030-01-01T00:00:00Z', '1985-04-12T23:20:50.123456789+14:00', '9999-12-31T23:59:59.999Z'],
  cid: ['bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'],
  nsid: ['com.test.note', 'com.core.server.createAccount', 'chat.bsky.convo.getLog', 'app.bsky.feed.post'],
  tid: ['3jzfcijpj2z2a', '2222222222222'],
  'record-key': ['one', 'self', '3jzfcijpj2z2a', '~.-_:'],
  uri: ['https://example.com/', 'at://x', 'data:,'],
  language: ['en', 'de-AT', 'i-klingon'],
}

export interface Request {
  /** `undefined` sends no body. */
  readonly body: string | undefined
  readonly query: string
}

/** Unusual and malformed JSON texts. */
export const garbage: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      'null',
      'true',
      'false',
      '0',
      '-0',
      '-1',
      '1.5',
      '1e400',
      '-1e400',
      '1e-400',
      '9007199254740993',
      '1e21',
    ],
    ...['2147483648', '0.1', '123456789012345678901234567890', '""', '" "', '"\\u0000"', '"a\\u0000b"'],
    ...[
      '"\\ud800"',
      '"\\udc00\\ud800"',
      '"\ufeff"',
      '"\u202e"',
      '"\\u2028"',
      '"💥"',
      '"e\u0301"',
      '"\\u0007"',
    ],
    ...['[]', '{}', '[[]]', '[null]', '[{}]', '{"":""}', '{"a":1,"a":2}', '{"length":1e9}', '{"toJSON":1}'],
    ...['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}', '{"__proto__":null}', '{"then":1}'],
    ...['{"$type":"x"}', '{"$type":1}', '{"$link":"x"}', '{"$bytes":"!"}', '{"$type":"blob","ref":1}'],
    ...[
      '{"$type":"com.core.admin.defs#repoRef"}',
      '"%00"',
      '"%s%n"',
      '"../../../../etc/passwd"',
      '"file:///etc"',
    ],
    ...[`"' OR '1'='1"`, `"'; DROP TABLE accounts; --"`, '"\\"; --"', '"*"', '"%"', '"_"', '"__proto__"'],
    ...[
      '"did:plc:"',
      '"did:web:"',
      '"did:web:..%2f.."',
      '"did:x:y"',
      '"at://"',
      '"a.b.c"',
      '"1970-01-01T00:00:00Z"',
    ],
    ...['"0000-01-01T00:00:00Z"', '"2030-13-45T99:99:99Z"', '"+275760-09-13T00:00:00.001Z"'],
  ),
  fc.integer({ min: 1, max: 200 }).map((size) => `"${'a'.repeat(2 ** (size % 15))}"`),
  fc.integer({ min: 50, max: 20_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 50, max: 10_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.integer({ min: 1, max: 5000 }).map((length) => `[${'0,'.repeat(length)}0]`),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.json(),
)

const keys = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', '$type', ''),
  fc.string({ unit: 'binary', maxLength: 10 }),
)

interface Place {
  readonly known: Known
  /** NSID of the document that references are relative to. */
  readonly home: string
  /** Name of the property. */
  readonly name: string
  readonly depth: number
}

/** Generates JSON texts that mostly conform to the definition. */
function valid(definition: Definition, place: Place): Arbitrary<string> {
  const usual = ofType(definition, place)
  const hints = place.known[place.name] ?? place.known[definition.format ?? '']
  return hints ? fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...hints) }, usual) : usual
}

function ofType(definition: Definition, place: Place): Arbitrary<string> {
  switch (definition.type) {
    case 'boolean':
      return fc.constantFrom('true', 'false')
    case 'integer': {
      const { minimum = -5, maximum = 2_000_000_000 } = definition
      const bounds = fc.constantFrom(minimum, maximum)
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), bounds).map(String)
    }
    case 'string':
      return string(definition, place.known)
    case 'array': {
      const item = valid(definition.items ?? { type: 'unknown' }, place)
      return fc.array(item, { maxLength: 5 }).map((items) => `[${items}]`)
    }
    case 'object':
    case 'params':
      return object(definition, place)
    case 'ref':
      return referred(definition.ref ?? '', place)
    case 'union':
      return fc.oneof(...(definition.refs ?? []).map((ref) => typed(ref, place)))
    default:
      return fc.oneof(
        fc.json(),
        fc.constantFrom('{}', '{"text":"hello"}', '{"subject":"did:web:unknown.example"}'),
      )
  }
}

function string({ format, enum: options, knownValues }: Definition, known: Known): Arbitrary<string> {
  if (options) return fc.constantFrom(...options).map((text) => JSON.stringify(text))
  const listed = [...(knownValues ?? []), ...(formats[format ?? ''] ?? [])].map((text) =>
    JSON.stringify(text),
  )
  const likely = format === undefined ? [...listed, ...(known.any ?? [])] : listed
  const other = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => JSON.stringify(text))
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom('"text"', ...likely) }, other)
}

function object(
  { properties = {}, required = [], nullable = [] }: Definition,
  place: Place,
): Arbitrary<string> {
  const members = Object.entries(properties).map(([name, definition]) => {
    const value = valid(definition, { ...place, name })
    const orNull = nullable.includes(name) ? fc.oneof(value, fc.constant('null')) : value
    const member = orNull.map((text) => `${JSON.stringify(name)}:${text}`)
    return required.includes(name) ? member : fc.option(member, { nil: undefined, freq: 1 })
  })
  return fc.tuple(...members).map((texts) => `{${texts.filter((text) => text !== undefined)}}`)
}

function referred(ref: string, place: Place): Arbitrary<string> {
  if (place.depth > 5) return fc.constant('{}')
  const { definition, home } = resolve(ref, place.home)
  return valid(definition, { ...place, home, depth: place.depth + 1 })
}

/** Adds the `$type` of a union member. */
function typed(ref: string, place: Place): Arbitrary<string> {
  const type = `"$type":${JSON.stringify(resolve(ref, place.home).name)}`
  return referred(ref, place).map((text) => text.replace(/^\{/, text === '{}' ? `{${type}` : `{${type},`))
}

/** Breaks a text in one place: a value, a key or the syntax. */
function broken(text: Arbitrary<string>): Arbitrary<string> {
  const places = /("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)/g
  return fc
    .tuple(
      text,
      fc.nat(),
      garbage,
      keys,
      fc.constantFrom('value', 'value', 'value', 'key', 'cut', 'extra', 'bytes', 'all'),
    )
    .map(([whole, at, wrong, key, how]) => {
      const found = [...whole.matchAll(places)]
      const place = found[at % Math.max(1, found.length)]
      switch (how) {
        case 'value':
          return place ? splice(whole, place.index, place[0].length, wrong) : wrong
        case 'key':
          return place
            ? splice(whole, place.index, place[0].length, JSON.stringify(key))
            : `{${JSON.stringify(key)}:1}`
        case 'extra':
          return whole.replace('{', `{${JSON.stringify(key)}:${wrong}${whole === '{}' ? '' : ','}`)
        case 'cut':
          return whole.slice(0, at % (whole.length + 1))
        case 'bytes':
          return splice(whole, at % (whole.length + 1), 1, '\u0000')
        default:
          return wrong
      }
    })
}

function splice(text: string, at: number, length: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + length)
}

/** Converts a JSON object to a query string. Arrays repeat the parameter. Any other text, and a long one, is the query itself. */
export function queryOf(text: string): string {
  try {
    // Values are cut anyway, and to write one that is nested thousands of levels deep takes milliseconds.
    const given: unknown = text.length < 10_000 ? JSON.parse(text) : undefined
    if (typeof given === 'object' && given !== null) return parametersOf(given).toString()
  } catch {
    // Not JSON, or too deep.
  }
  return encodeURI(text.slice(0, 2000).toWellFormed()).replaceAll('#', '&')
}

function parametersOf(given: object): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    for (const one of [value].flat()) {
      const written = typeof one === 'string' ? one : JSON.stringify(one)
      query.append(name.slice(0, 200), written.slice(0, 2000))
    }
  }
  return query
}

/** Generates requests of a method: some valid, most broken in one place, some garbage. */
export function requests(nsid: string, known: Known): Arbitrary<Request> {
  const { parameters, input } = declared(nsid)
  const some = (definition: Definition) => {
    const good = valid(definition, { known, home: nsid, name: '', depth: 0 })
    return fc.oneof(
      { weight: 2, arbitrary: good },
      { weight: 4, arbitrary: broken(good) },
      { weight: 1, arbitrary: garbage },
    )
  }
  const queries = fc.oneof(
    { weight: 8, arbitrary: some(parameters).map(queryOf) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%ff=%ff', '&&&', '=', '?', 'a=%00', '__proto__=1', '[]=1', '%zz'),
    },
  )
  const none = fc.constant(undefined)
  return fc.record({
    body: input ? fc.oneof({ weight: 20, arbitrary: some(input) }, none) : fc.oneof(none, garbage),
    query: queries,
  })
}
