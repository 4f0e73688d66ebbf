/** Endpoints outside of XRPC that take a form, and answer with JSON. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answering } from './answer.ts'
import { readFields } from './body.ts'
import type { Caller } from './method.ts'
import { limiter, type RateLimit } from './rate-limit.ts'
import { sendJson, setRetryAfter } from './send.ts'
import type { XrpcError } from './xrpc-errors.ts'

/** A call of an endpoint. */
export interface FormCall {
  readonly path: string
  readonly caller: Caller
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Reads the fields of the body, once. @throws XrpcError */
  readonly readFields: () => Promise<Record<string, unknown>>
}

export interface FormResponse {
  readonly status: number
  readonly body: unknown
}

/** Endpoints of one protocol. */
export interface FormEndpoints {
  /** Limits of all these endpoints together. */
  readonly limits: readonly RateLimit[]
  readonly maxBytes: number
  /** An error that is no `XrpcError` is answered as `InternalServerError`. */
  readonly handle: (call: FormCall) => Promise<FormResponse>
  /** Returns an error in the form of the protocol. */
  readonly errorResponse: (error: XrpcError) => FormResponse
}

/** Returns the function that answers a request for the endpoint at a path. */
export function createForms(
  { answer, rateLimits }: Answering,
  { limits, maxBytes, handle, errorResponse }: FormEndpoints,
): (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void> {
  const checkLimits = rateLimits ? limiter(limits, undefined) : undefined
  return (req, res, path) =>
    answer(
      req,
      res,
      path,
      async (caller, settled) => {
        checkLimits?.({ input: undefined, address: caller.source, account: undefined }, res)
        const { status, body } = await handle({
          ...{ path, caller, req, res },
          readFields: () => readFields(req, maxBytes),
        })
        await settled()
        sendJson(req, res, status, body)
      },
      (_req, _res, error) => {
        const { status, body } = errorResponse(error)
        setRetryAfter(res, error)
        sendJson(req, res, status, body)
      },
    )
}
