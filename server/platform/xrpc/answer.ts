/** What all calls share, of methods and of form endpoints: their callers, the limit of all calls, durability of responses, errors. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { type CallerOptions, createCallerReader } from './caller.ts'
import type { Caller, Observation } from './method.ts'
import { beginObservation, type Observing } from './observe.ts'
import { limiter, type RateLimit } from './rate-limit.ts'
import { sendError } from './send.ts'
import { createSources, type Sources } from './sources.ts'
import { protocolError, XrpcError } from './xrpc-errors.ts'

export interface AnsweringOptions extends CallerOptions {
  /** Called with each call, before anything of it is checked. */
  readonly onCall?: (caller: Caller, headers: IncomingHttpHeaders) => void
  /**
   * Called when a call begins. The returned function resolves once everything that the call may have read is durable: no
   * response is sent earlier.
   */
  readonly watchReads: () => () => Promise<void>
  readonly rateLimits: boolean
  /** Requests are not observed when absent. */
  readonly observing?: Observing
  /** Reports unexpected errors; clients only see InternalServerError. */
  readonly onFailure: (error: unknown, name: string) => void
  /** Maps errors of lower layers, such as a full disk, to XRPC errors. */
  readonly translate?: (error: unknown) => XrpcError | undefined
}

/** @param settled see `AnsweringOptions.watchReads` @param observation undefined unless requests are observed */
type Work = (
  caller: Caller,
  settled: () => Promise<void>,
  observation: Observation | undefined,
) => Promise<void>

export interface Answering {
  /** The keys of the limits of all callers. */
  readonly sources: Sources
  readonly rateLimits: boolean
  /**
   * Answers a request by `work`, which sends the response. Its error is sent once the state that it reveals is durable.
   * @param name of the method or endpoint, for reports
   * @param send sends errors in the form of another protocol
   */
  answer(
    req: IncomingMessage,
    res: ServerResponse,
    name: string,
    work: Work,
    send?: typeof sendError,
  ): Promise<void>
}

/** Limit of all calls per source. Local programs are exempt: they all share one address. */
const overallLimit: RateLimit = { points: 3000, seconds: 5 * 60, per: 'address' }

const notObserving: Observing = { observe: undefined }

/** A query that read data which a failed write then took back is answered again from the data on disk. */
const maxAttempts = 3

export function createAnswering(options: AnsweringOptions): Answering {
  const { rateLimits, observing = notObserving } = options
  const sources = createSources()
  const readCaller = createCallerReader(options, sources)
  const checkOverall = rateLimits ? limiter([overallLimit], undefined) : undefined

  function admit(req: IncomingMessage, res: ServerResponse): Caller {
    const caller = readCaller(req)
    options.onCall?.(caller, req.headers)
    if (checkOverall && (!caller.isLocal || caller.isForeignPage)) {
      checkOverall({ input: undefined, address: caller.source, account: undefined }, res)
    }
    return caller
  }

  return {
    sources,
    rateLimits,

    async answer(req, res, name, work, send = sendError) {
      const { observe } = observing
      const observation = observe && beginObservation(req, res, name, observe)
      for (let attempt = 1; ; attempt++) {
        const settled = options.watchReads()
        try {
          const caller = admit(req, res)
          if (observation) observation.caller = caller
          return await work(caller, settled, observation)
        } catch (thrown) {
          // Error responses reveal state too: wait until it is durable.
          const unsettled = await settled().then(
            () => undefined,
            (error: unknown) => ({ error }),
          )
          if (unsettled && attempt < maxAttempts && req.method === 'GET' && !res.headersSent) continue
          const error = unsettled ? unsettled.error : thrown
          const known = error instanceof XrpcError ? error : options.translate?.(error)
          if (!known) options.onFailure(error, name)
          if (!res.headersSent) send(req, res, known ?? protocolError('InternalServerError'))
          return
        }
      }
    },
  }
}
