/**
 * The XRPC router: calls the method of `/xrpc/<nsid>`. In order: verb, credentials, parameters, body, rate limits of the method,
 * handler, durability, response.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { isValidNsid } from '@atproto/syntax'
import type { Answering } from './answer.ts'
import type { IncomingCall, MethodName } from './incoming.ts'
import {
  type AdmitPage,
  type Authorize,
  fail,
  type Method,
  type Observation,
  type Principal,
} from './method.ts'
import {
  discardOutput,
  openInput,
  type Prepared,
  prepare,
  readInput,
  readParamsOf,
  sendOutput,
} from './prepared.ts'
import type { Rename } from './project.ts'
import { createResponseCache, type Slot } from './response-cache.ts'
import { keepPrivate, sendJsonBody, setHeaders } from './send.ts'
import type { Streams } from './streams.ts'
import { asksForWebSocket } from './upgrade.ts'
import { protocolError, XrpcError } from './xrpc-errors.ts'

export interface RouterOptions<Word, Services> {
  readonly answering: Answering
  readonly methods: readonly Method<Word, Services>[]
  /** The subscriptions beside the methods. */
  readonly streams?: Streams
  /** Forwards calls to other services; none when absent. */
  readonly forward?: Forward | undefined
  readonly services: Services
  readonly authorize: Authorize<Word>
  /** Checks queries of pages of other sites; all are admitted when absent. */
  readonly admitPage?: AdmitPage<Word>
  /** Increases with every change of the tables. Responses are not cached when absent. */
  readonly versionOf?: (tables: readonly string[]) => number
  /** Returns further headers of the answer to a query. */
  readonly queryHeaders?: (nsid: string, headers: IncomingHttpHeaders) => Readonly<Record<string, string>>
  /** Maps requests, which may have aliases, to our names. */
  readonly ownNames?: Rename
  /** Maps responses to the names that a caller uses: for the method, and for the collection if the call has one. */
  readonly callerNames?: (called: string, collection?: string) => Rename | undefined
  /** Maps an error to the one for callers that use a name of the method; undefined: it stays. */
  readonly callerError?: (called: string, thrown: unknown) => XrpcError | undefined
}

export type Dispatch = (
  name: MethodName,
  query: string,
  req: IncomingMessage,
  res: ServerResponse,
) => Promise<void>

/**
 * Forwards a call to another service, and sends its response.
 * @param isKnown whether this server has the method
 * @returns false for a call that this server answers itself
 */
export type Forward = (call: IncomingCall, isKnown: boolean) => Promise<boolean>

interface AuthorizedCall<P> {
  readonly prepared: P
  readonly incoming: IncomingCall
  readonly settled: () => Promise<void>
  /** Identifies the caller again. */
  readonly authorize: () => Principal | Promise<Principal>
}

export function createRouter<Word extends string, Services>(
  options: RouterOptions<Word, Services>,
): Dispatch {
  const { services, answering } = options
  const { sources, rateLimits } = answering
  type HandlerArgs = Services & Parameters<Method<Word, Services>['handler']>[0]
  const table = new Map(options.methods.map((method) => [method.nsid, prepare(method, services, rateLimits)]))
  const responses = createResponseCache()

  async function call(
    prepared: Prepared<Word, Services>,
    incoming: IncomingCall,
    settled: () => Promise<void>,
  ): Promise<void> {
    const { method } = prepared
    const { caller, req, res, observation } = incoming
    if (!verbFits(prepared.verb, req.method)) {
      res.setHeader('allow', prepared.verb === 'GET' ? 'GET, HEAD' : 'POST')
      throw protocolError('InvalidRequest', `${method.nsid} is called with ${prepared.verb}`)
    }
    const { headers } = req
    if (headers.authorization !== undefined || method.auth !== 'none' || prepared.verb === 'POST')
      keepPrivate(res)
    if (caller.isForeignPage && !caller.isTrustedPage && prepared.verb === 'GET')
      await options.admitPage?.({ headers, caller }, method)
    const authorize = () => options.authorize({ headers, caller, observation }, method)
    const principal = await authorize()
    if (observation) observation.principal = principal
    setHeaders(res, principal.headers)
    try {
      await callAs(principal, { prepared, incoming, settled, authorize })
    } catch (error) {
      if (error instanceof XrpcError && error.status === 403) principal.onRefusal?.()
      throw error
    }
  }

  async function callAs(
    principal: Principal,
    { prepared, incoming, settled, authorize }: AuthorizedCall<Prepared<Word, Services>>,
  ): Promise<void> {
    const { method, inputKind } = prepared
    const { name, query, caller, req, res, observation } = incoming
    const { headers } = req
    if (prepared.verb === 'GET') setHeaders(res, options.queryHeaders?.(method.nsid, headers))
    if (principal.account !== undefined && caller.isLocal && caller.isForeignPage) sources.prove(headers)
    const version = method.reads && options.versionOf?.(method.reads)
    const slot =
      version === undefined ? undefined : slotOf({ name, query, caller }, principal.account, version)
    const cached = slot && responses.find(slot)
    if (cached) {
      prepared.checkLimits?.({ input: undefined, address: caller.source, account: principal.account }, res)
      await settled()
      return sendJsonBody(req, res, cached)
    }
    const params = readParamsOf(prepared, query, options.ownNames)
    // A body can take a minute to arrive, and the session may end meanwhile: credentials are checked again at its end.
    const again = () => (principal.isCurrent?.() ? principal : authorize())
    const input =
      inputKind === 'none' ? undefined : await inputOf(prepared, req, options.ownNames, again, observation)
    const { account, credentials: auth } = inputKind === 'json' ? await again() : principal
    prepared.checkLimits?.({ input, address: caller.source, account }, res)
    const args = { ...services, auth, params, input, caller, headers, fail } as HandlerArgs
    const output = await runHandler(method, args, name.called)
    await settled().catch((error: unknown) => {
      discardOutput(prepared, output)
      throw error
    })
    const rename = options.callerNames?.(name.called, collectionOf(params) ?? collectionOf(input))
    if (!slot) return sendOutput(prepared, output, req, res, rename)
    const body = { text: Buffer.from(JSON.stringify(prepared.projectOutput(output, rename))) }
    responses.keep(slot, body)
    return sendJsonBody(req, res, body)
  }

  async function runHandler(method: Method<Word, Services>, args: HandlerArgs, called: string) {
    try {
      return await method.handler(args)
    } catch (error) {
      throw options.callerError?.(called, error) ?? error
    }
  }

  async function dispatch(incoming: IncomingCall, settled: () => Promise<void>): Promise<void> {
    const { called, nsid } = incoming.name
    const prepared = table.get(nsid)
    const isKnown = prepared !== undefined || options.streams?.has(nsid) === true
    if (!asksForWebSocket(incoming.req) && (await options.forward?.(incoming, isKnown))) return
    if (prepared) await call(prepared, incoming, settled)
    else if (options.streams?.has(nsid)) await options.streams.open(incoming, options.callerNames?.(called))
    else if (isValidNsid(nsid))
      throw protocolError('MethodNotImplemented', `This server does not answer ${called}`)
    else throw protocolError('InvalidRequest', 'The path must be /xrpc/ and the NSID of a method')
  }

  return (name, query, req, res) =>
    answering.answer(req, res, name.nsid, (caller, settled, observation) =>
      dispatch({ name, query, caller, req, res, observation }, settled),
    )
}

/** Reads a JSON body; a binary one is read by the handler. */
function inputOf<Word, Services>(
  prepared: Prepared<Word, Services>,
  req: IncomingMessage,
  ownNames: Rename | undefined,
  authorize: () => unknown,
  observation: Observation | undefined,
): unknown {
  if (prepared.inputKind === 'json') return readInput(prepared, req, ownNames, observation)
  return prepared.inputKind === 'binary' ? openInput(prepared, req, authorize) : undefined
}

/** The cached response of a call: $types and image URLs depend on the name and the origin that the client uses. */
function slotOf(
  { name, query, caller }: Pick<IncomingCall, 'name' | 'query' | 'caller'>,
  account: string | undefined,
  version: number,
): Slot {
  // Handlers may refuse pages of other sites a response that they send to programs, and other computers one for this computer.
  const sender = `${caller.isLocal ? 'local ' : ''}${caller.isForeignPage ? 'page' : 'program'}`
  return { key: `${account ?? ''} ${sender} ${caller.origin} ${name.called}?${query}`, version }
}

/** The collection that parameters or an input name; of several writes, that of the first. */
function collectionOf(values: unknown): string | undefined {
  if (typeof values !== 'object' || values === null) return undefined
  if ('collection' in values && typeof values.collection === 'string') return values.collection
  return 'writes' in values && Array.isArray(values.writes) ? collectionOf(values.writes[0]) : undefined
}

function verbFits(verb: 'GET' | 'POST', used: string | undefined): boolean {
  return used === verb || (verb === 'GET' && used === 'HEAD')
}
