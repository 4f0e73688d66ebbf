/** A method with what the router derives from its lexicon once: verb, projections, rate limits. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readJson } from './body.ts'
import { protocolError } from './errors.ts'
import type { Chunks, Method } from './method.ts'
import { type Projection, projection } from './project.ts'
import { type CheckLimits, limiter } from './rate-limit.ts'
import { sendChunks, sendJson, sendNothing } from './send.ts'
import { validated } from './validate.ts'

export interface Prepared<Word, Services> {
  readonly method: Method<Word, Services>
  readonly verb: 'GET' | 'POST'
  readonly projectInput: Projection
  readonly projectOutput: Projection
  readonly checkLimits: CheckLimits | undefined
}

export function prepare<Word, Services>(
  method: Method<Word, Services>,
  rateLimits: boolean,
): Prepared<Word, Services> {
  const { schema } = method
  return {
    method,
    verb: schema.type === 'query' ? 'GET' : 'POST',
    projectInput: projection(schema.type === 'procedure' ? schema.input.schema : undefined),
    projectOutput: projection(schema.output.schema),
    checkLimits: rateLimits && method.limits.length > 0 ? limiter(method.nsid, method.limits) : undefined,
  }
}

/** Reads and validates the body. Undefined for methods without input. */
export async function readInput<Word, Services>(
  { method, projectInput }: Prepared<Word, Services>,
  req: IncomingMessage,
): Promise<unknown> {
  const { schema } = method
  if (schema.type !== 'procedure' || !schema.input.schema) return undefined
  const body = await readJson(req, method.maxBody)
  if (body === undefined)
    throw protocolError('InvalidRequest', 'A JSON body is expected (Content-Type: application/json)')
  return validated(schema.input.schema, projectInput(body))
}

/** Sends the output of a handler. Returns a promise only if it is streamed. */
export function sendOutput<Word, Services>(
  { method, projectOutput }: Prepared<Word, Services>,
  output: unknown,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> | undefined {
  const { encoding } = method.schema.output
  if (encoding === undefined) sendNothing(res)
  else if (encoding === 'application/json') sendJson(req, res, 200, projectOutput(output))
  else return sendChunks(res, encoding, output as Chunks)
}
