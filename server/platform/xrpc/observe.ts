/**
 * Observes requests, for the inspector and for tests: collects what the protocol layer learns of a request until its response has
 * ended. While `observe` is undefined, requests cost nothing more.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { realElapsed } from '../../util/deadlines.ts'
import { parseJson } from '../../util/json.ts'
import { isJson } from './body.ts'
import type { Caller, Observation, Principal } from './method.ts'
import { upgradeOf } from './upgrade.ts'

/** A request whose response has ended, with all its secrets. */
export interface Observed {
  readonly caller: Caller | undefined
  readonly principal: Principal | undefined
  /** The value of a JSON body. */
  readonly input: unknown
  /** NSID of the method as it is defined, or the path of a form endpoint. */
  readonly name: string
  readonly req: IncomingMessage
  /** HTTP status; 101 for a stream, undefined if the client disconnected before the response was complete. */
  readonly status: number | undefined
  readonly ms: number
  /** Bytes of the response body. */
  readonly sentBytes: number
  /** The body of an error response, if it is small. */
  readonly errorBody: string | undefined
}

export interface Observing {
  /** Called with each request, once its response has ended; undefined: requests are not observed. */
  observe: ((request: Observed) => void) | undefined
}

/** Longer error bodies are left out. */
const maxErrorBytes = 4096

/** Begins the observation of a request. */
export function beginObservation(
  req: IncomingMessage,
  res: ServerResponse,
  name: string,
  observe: (request: Observed) => void,
): Observation {
  const startedAt = realElapsed()
  const body = watchBody(res)
  const observation: Observation = {
    streamFailed: (error) => report(101, JSON.stringify(error)),
  }
  function report(status: number | undefined, errorBody: string | undefined): void {
    const { caller, principal, input } = observation
    observe({
      ...{ name, req, status, errorBody, caller, principal, input },
      ms: realElapsed() - startedAt,
      sentBytes: body.size(),
    })
  }
  res.once('close', () => {
    // The connection of an accepted stream is detached from its response.
    const isStream = !res.headersSent && upgradeOf(req) !== undefined
    report(isStream ? 101 : res.writableFinished ? res.statusCode : undefined, body.error())
  })
  return observation
}

interface WatchedBody {
  size(): number
  /** The body of an error response; undefined for another response, and for a body that is too long or compressed. */
  error(): string | undefined
}

/** Counts the bytes of a response, and keeps those of an error. */
function watchBody(res: ServerResponse): WatchedBody {
  const chunks: Uint8Array[] = []
  let size = 0
  const note = (chunk: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    size += bytes.length
    if (res.statusCode >= 400 && size <= maxErrorBytes) chunks.push(bytes)
  }
  const { write, end } = res
  res.write = (...args: unknown[]) => {
    note(args[0])
    return Reflect.apply(write, res, args)
  }
  res.end = (...args: unknown[]) => {
    note(args[0])
    return Reflect.apply(end, res, args)
  }
  return {
    size: () => size,
    error() {
      if (res.statusCode < 400 || size > maxErrorBytes) return undefined
      return res.getHeader('content-encoding') === undefined ? Buffer.concat(chunks).toString() : undefined
    },
  }
}

/** Longer bodies are passed on without a copy. */
const maxCopiedBytes = 150_000

/** Passes a body on, and sets it as input of the observation if it is JSON. */
export async function* observedJson(
  req: IncomingMessage,
  body: AsyncIterable<Uint8Array>,
  observation: Observation,
): AsyncIterable<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = isJson(req.headers['content-type']) ? 0 : Number.POSITIVE_INFINITY
  for await (const chunk of body) {
    size += chunk.length
    if (size <= maxCopiedBytes) chunks.push(chunk)
    yield chunk
  }
  if (size <= maxCopiedBytes) observation.input = parseJson(Buffer.concat(chunks))
}
