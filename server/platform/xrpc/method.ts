/**
 * A method consists of its lexicon, an auth word that determines who may call it, and a handler. `methodFactory` binds the
 * types that depend on the server: the credentials of each auth word and the services of handlers.
 *
 * `router.ts` has everything around a handler, `http.ts` the entry on express, `streams.ts` subscriptions.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { l } from '@atproto/lex-schema'
import type { RateLimit } from './rate-limit.ts'
import { type ProtocolErrorName, XrpcError } from './xrpc-errors.ts'

export type MethodSchema = l.Query | l.Procedure

/** The namespace that `lexicons/generated` exports for a method, with the schema as `main`. */
export interface Lexicon<S = MethodSchema> {
  readonly main: S
}

export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** A request body that is not JSON. It arrives while the handler reads it. */
export interface BinaryInput {
  /** Media type in lower case, without parameters. */
  readonly encoding: string
  /** Bytes of the body, if the client sent its length and did not compress it. */
  readonly length: number | undefined
  /**
   * Credentials and session are checked again after the last chunk, so a handler that reads to the end commits only what the
   * caller may still do. Throws an XrpcError then, beyond `maxBody` (`PayloadTooLarge`), and when the connection closes early.
   */
  readonly body: AsyncIterable<Uint8Array>
}

/** A response body that is not JSON. */
export interface BinaryOutput {
  /** The Content-Type. */
  readonly encoding: string
  /** 200 by default. */
  readonly status?: 200 | 206 | 304 | 416
  /** Further headers; Content-Length is added for bytes. */
  readonly headers?: Readonly<Record<string, string | number>>
  /** Not read for HEAD. A stream is destroyed when the client disconnects. */
  readonly body?: Uint8Array | Chunks
}

type PayloadOf<P, Binary> = P extends l.Payload ? l.InferPayloadBody<P, Binary> : undefined
export type InputOf<S extends MethodSchema> = S extends l.Procedure
  ? PayloadOf<S['input'], BinaryInput>
  : undefined
/** A method without an output returns an empty body. */
export type OutputOf<S extends MethodSchema> =
  S['output'] extends l.Payload<undefined> ? void : PayloadOf<S['output'], BinaryOutput>
export type ParamsOf<S extends MethodSchema> = l.InferOutput<S['parameters']>
type DeclaredError<S extends MethodSchema> = S['errors'] extends readonly string[]
  ? S['errors'][number]
  : never

/** The caller, as the connection shows it. */
export interface Caller {
  /** IP address of the client; see `client-address.ts`. */
  readonly address: string
  /** Whether the client is on this machine and no proxy forwarded it: a program, or a page in a browser. Programs have no limits per address. */
  readonly isLocal: boolean
  /** Whether the request came by the listener of proxies, or a trusted proxy forwarded it. */
  readonly isForwarded: boolean
  /** The key of limits per address; see `sourceOf`. */
  readonly source: string
  /** The network of the address, in which one owner may have many sources; the source itself if it is no address. */
  readonly network: string
  /** `User-Agent`, first 200 characters. */
  readonly client: string | undefined
  /** Whether a page of another origin sent the request; see `page-origin.ts`. */
  readonly isForeignPage: boolean
  /** Whether the owner lets this foreign page read as programs do. */
  readonly isTrustedPage: boolean
  /** The origin under which the client reaches this server; see `origin.ts`. */
  readonly origin: string
  /** The HTTP method. */
  readonly method: string
  /** The path of the URL, without the query. */
  readonly path: string
}

/** The arguments of a handler, besides the services. */
export interface Call<S extends MethodSchema, Credentials> {
  readonly input: InputOf<S>
  readonly params: ParamsOf<S>
  readonly auth: Credentials
  readonly caller: Caller
  /** Headers of the request. */
  readonly headers: IncomingHttpHeaders
  /** Creates an error of this method's lexicon or of the protocol; the handler throws it. */
  readonly fail: (name: DeclaredError<S> | ProtocolErrorName, message?: string) => XrpcError
}

export interface MethodDefinition<S extends MethodSchema, Word, Credentials, Services> {
  /** Who may call it. */
  readonly auth: Word
  /** Whether deactivated, suspended and taken-down accounts are refused. */
  readonly active?: boolean
  readonly limits?: readonly RateLimit<InputOf<S>, Services>[]
  /** Largest body in bytes; 150 kB when absent. A function for a limit that is a setting. */
  readonly maxBody?: number | ((services: Services) => number)
  /** Tables that responses depend on, besides the account, its parameters and origin: they are cached until one changes. */
  readonly reads?: readonly string[]
  readonly handler: (call: Services & Call<S, Credentials>) => Promise<OutputOf<S>> | OutputOf<S>
}

/** A method ready for the router, its types erased. */
export interface Method<Word = string, Services = unknown> {
  readonly nsid: string
  readonly schema: MethodSchema
  readonly auth: Word
  readonly active: boolean
  readonly limits: readonly RateLimit<unknown, Services>[]
  readonly maxBody: number | ((services: Services) => number)
  readonly reads: readonly string[] | undefined
  readonly handler: (call: Services & Call<MethodSchema, unknown>) => unknown
}

const defaultMaxBody = 150_000

/**
 * Binds auth words and services, and returns `method()`.
 * @typeParam Words maps each auth word to the credentials that it yields.
 */
export function methodFactory<Words, Services>() {
  return function method<S extends MethodSchema, Word extends keyof Words & string>(
    lexicon: Lexicon<S>,
    definition: MethodDefinition<S, Word, Words[Word], Services>,
  ): Method<keyof Words & string, Services> {
    const { main: schema } = lexicon
    return {
      nsid: schema.nsid,
      schema,
      auth: definition.auth,
      active: definition.active ?? false,
      limits: (definition.limits ?? []) as readonly RateLimit<unknown, Services>[],
      maxBody: definition.maxBody ?? defaultMaxBody,
      reads: definition.reads,
      handler: definition.handler as Method<Word, Services>['handler'],
    }
  }
}

export function fail(name: string, message?: string): XrpcError {
  return new XrpcError(name, message)
}

/** The caller and its connection. */
export interface Principal {
  /** The account, for limits per account. */
  readonly account: string | undefined
  /** Id of the session, of callers that have one. */
  readonly session?: string
  /** Passed to the handler as `auth`. */
  readonly credentials: unknown
  /**
   * Calls `end` once when the credentials end, possibly before it returns. Absent if they never end.
   * @returns a function that stops watching
   */
  readonly watch?: (end: (error: XrpcError) => void) => () => void
  /** Whether the credentials count still, without another look at them. Absent: they are checked as at first. */
  readonly isCurrent?: () => boolean
  /** Called when a call that the credentials permit is refused all the same, such as for its input. */
  readonly onRefusal?: () => void
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request under way that is observed; see `observe.ts`. The protocol layer sets what it learns. */
export interface Observation {
  caller?: Caller
  /** Who sent it; present only if its credentials are valid. */
  principal?: Principal
  /** The value of a JSON body, before it is validated. */
  input?: unknown
  /** Reports that a stream ended with an error, after its connection was reported. */
  streamFailed(error: XrpcError): void
}

/** The part of a request that proves who sent it. */
export interface Proof {
  readonly headers: IncomingHttpHeaders
  readonly caller: Caller
  /** Gets the caller as soon as it is known, for one that is refused, too. */
  readonly observation?: Observation | undefined
}

/**
 * Checks a reading call of a page of another site, before its credentials. Throws an XrpcError to refuse it.
 * @returns who was admitted by credentials that the method itself does not check
 */
export type AdmitPage<Word> = (
  proof: Proof,
  method: Pick<Method<Word>, 'nsid' | 'auth'>,
) => Promise<Principal | undefined>

/** A method, and who answers its call. */
export interface CalledMethod<Word> extends Pick<Method<Word>, 'nsid' | 'auth' | 'active'> {
  /** DID, # and id of the service that the call is forwarded to. Absent: this server answers, or the app view in its place. */
  readonly service?: string | undefined
}

/** Identifies the caller. Throws an XrpcError when it may not call the method. */
export type Authorize<Word> = (proof: Proof, method: CalledMethod<Word>) => Principal | Promise<Principal>
