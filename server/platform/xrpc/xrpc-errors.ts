/**
 * Errors of the protocol: `{ "error": name, "message"?: text }`. The name determines the HTTP status.
 * A method adds its own names by declaring them in its lexicon.
 */

/** Names that any method may return, and their HTTP status. */
export const protocolErrors = {
  InvalidRequest: 400,
  InvalidToken: 400,
  ExpiredToken: 400,
  AuthenticationRequired: 401,
  AuthMissing: 401,
  Forbidden: 403,
  /** A session with limited permissions. The name is that of the network's servers. */
  ScopeMissingError: 403,
  /** For paths outside `/xrpc/`. */
  PathNotFound: 404,
  AccountNotFound: 403,
  PayloadTooLarge: 413,
  RateLimitExceeded: 429,
  InternalServerError: 500,
  MethodNotImplemented: 501,
  /** Another service, to which the call was forwarded, failed. */
  UpstreamFailure: 502,
  NotEnoughResources: 503,
} as const

export type ProtocolErrorName = keyof typeof protocolErrors

/** Names declared by lexicons whose status is not the usual 400. */
const declaredStatus: Record<string, number> = {
  AccountTakedown: 401,
  AccountSuspended: 401,
  AccountDeactivated: 401,
  AuthFactorTokenRequired: 401,
  BadJwtAudience: 401,
  BadJwtLexiconMethod: 401,
  BadJwtType: 401,
}

const statusByName: ReadonlyMap<string, number> = new Map(
  Object.entries({ ...protocolErrors, ...declaredStatus }),
)

/** An error response. Name and message are sent to the client as they are. */
export class XrpcError extends Error {
  override readonly name: string
  readonly status: number
  /** Seconds after which the client may retry, when known. */
  readonly retryAfter: number | undefined
  /** Further headers of the response. */
  readonly headers: Readonly<Record<string, string>> | undefined

  /** @param details the status replaces the one of the name; `retryAfter` is in seconds */
  constructor(
    name: string,
    message?: string,
    details: {
      status?: number
      retryAfter?: number | undefined
      headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(message)
    this.name = name
    this.status = details.status ?? statusByName.get(name) ?? 400
    this.retryAfter = details.retryAfter
    this.headers = details.headers
  }

  /** The response body. */
  toJSON(): { error: string; message?: string } {
    return this.message ? { error: this.name, message: this.message } : { error: this.name }
  }
}

/** Creates one of the protocol's own errors; handlers use the `fail` of their call instead. */
export function protocolError(name: ProtocolErrorName, message?: string): XrpcError {
  return new XrpcError(name, message)
}
