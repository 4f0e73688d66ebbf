/** A method with the values that the router derives from its lexicon once: verb, kind of input, projections, limits. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { l } from '@atproto/lex-schema'
import { openBody, readJson } from './body.ts'
import type { BinaryInput, BinaryOutput, Method, MethodSchema, Observation } from './method.ts'
import { type Projection, projection, type Rename } from './project.ts'
import { type CheckLimits, limiter } from './rate-limit.ts'
import { discard, sendBinary, sendJson, sendNothing } from './send.ts'
import { readParams, validated } from './validate.ts'
import { protocolError } from './xrpc-errors.ts'

type BodyKind = 'none' | 'json' | 'binary'

export interface Prepared<Word, Services> {
  readonly method: Method<Word, Services>
  readonly verb: 'GET' | 'POST'
  readonly inputKind: BodyKind
  readonly outputKind: BodyKind
  readonly input: l.Payload
  readonly maxBody: number
  readonly projectParams: Projection
  readonly projectInput: Projection
  readonly projectOutput: Projection
  /** The parameters of an empty query, once one was valid: most calls have no parameters. */
  defaultParams?: unknown
  readonly checkLimits: CheckLimits | undefined
}

export function prepare<Word, Services>(
  method: Method<Word, Services>,
  services: Services,
  rateLimits: boolean,
): Prepared<Word, Services> {
  const { schema, maxBody } = method
  const input = inputOf(schema)
  return {
    method,
    verb: schema.type === 'query' ? 'GET' : 'POST',
    inputKind: kindOf(input),
    outputKind: kindOf(schema.output),
    input,
    maxBody: typeof maxBody === 'number' ? maxBody : maxBody(services),
    projectParams: projection(schema.parameters),
    projectInput: projection(input.schema),
    projectOutput: projection(schema.output.schema),
    checkLimits: rateLimits && method.limits.length > 0 ? limiter(method.limits, services) : undefined,
  }
}

function inputOf(schema: MethodSchema): l.Payload {
  return schema.type === 'procedure' ? schema.input : l.payload()
}

function kindOf({ encoding }: l.Payload): BodyKind {
  if (encoding === undefined) return 'none'
  return encoding === 'application/json' ? 'json' : 'binary'
}

/** Reads and projects the parameters of a query string. @throws InvalidRequest */
export function readParamsOf<Word, Services>(
  prepared: Prepared<Word, Services>,
  query: string,
  rename?: Rename,
): unknown {
  const { method, projectParams } = prepared
  if (query !== '') return projectParams(readParams(method.schema.parameters, query), rename)
  prepared.defaultParams ??= readParams(method.schema.parameters, query)
  return projectParams(prepared.defaultParams, rename)
}

/**
 * Reads and validates a JSON body. A missing one counts as `{}` if no property is required.
 * @param rename maps its `$type`s to our names
 * @throws InvalidRequest, PayloadTooLarge
 */
export async function readInput<Word, Services>(
  { input: { schema }, maxBody, projectInput }: Prepared<Word, Services>,
  req: IncomingMessage,
  rename?: Rename,
  observation?: Observation,
): Promise<unknown> {
  const body = await readJson(req, maxBody)
  if (observation) observation.input = body
  if (body === undefined && !schema?.matches({}))
    throw protocolError('InvalidRequest', 'A JSON body is expected (Content-Type: application/json)')
  return schema && validated(schema, projectInput(body ?? {}, rename))
}

/**
 * Prepares a body that is not JSON for reading.
 * @param atEnd called after the last chunk; the reader gets its error
 * @throws InvalidRequest for a missing or undeclared Content-Type, PayloadTooLarge
 */
export function openInput<Word, Services>(
  { input, maxBody }: Prepared<Word, Services>,
  req: IncomingMessage,
  atEnd: () => unknown,
): BinaryInput {
  const encoding = mediaType(req.headers['content-type'])
  if (encoding === undefined || !input.matchesEncoding(encoding)) {
    const expected = input.encoding === '*/*' ? 'the type of the body' : input.encoding
    throw protocolError('InvalidRequest', `The Content-Type must be ${expected}`)
  }
  return { encoding, ...openBody(req, maxBody, atEnd) }
}

/** Returns `type/subtype` in lower case (RFC 9110 §8.3.1); undefined if malformed. */
function mediaType(header = ''): string | undefined {
  return /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;|$)/.exec(header)?.[1]?.toLowerCase()
}

/** Sends the output of a handler. Returns a promise only if it is streamed. */
export function sendOutput<Word, Services>(
  { outputKind, projectOutput }: Prepared<Word, Services>,
  output: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  rename?: Rename,
): Promise<void> | undefined {
  if (outputKind === 'none') sendNothing(res)
  else if (outputKind === 'json') sendJson(req, res, 200, projectOutput(output, rename))
  else return sendBinary(req, res, output as BinaryOutput)
  return undefined
}

/** Releases an output that is not sent. */
export function discardOutput<Word, Services>(
  { outputKind }: Prepared<Word, Services>,
  output: unknown,
): void {
  if (outputKind === 'binary') discard(output as BinaryOutput)
}
