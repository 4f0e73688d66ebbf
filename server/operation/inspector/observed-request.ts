/** A request as it is shown: who sent it, what it asked for, and how it was answered, without its secrets. */
import type { DidString, HandleString } from '@atproto/syntax'
import { findGrant } from '../../identity/tables/oauth.ts'
import * as sessions from '../../identity/tables/sessions.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Observed } from '../../platform/xrpc/observe.ts'
import { windowOrigin } from '../../platform/xrpc/page-origin.ts'
import { findByDid } from '../../store/tables/accounts.ts'
import { isObject, isString, parseJson } from '../../util/json.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import { type Param, redactJson, redactQuery, redactText } from './redact.ts'

export interface ObservedRequest {
  /** When its response ended. */
  readonly at: DatetimeString
  readonly microseconds: number
  /** The HTTP method. */
  readonly verb: string
  /** The path of the URL, with the method as the client named it. */
  readonly path: string
  /** The method as this server names it, or the path of an endpoint of OAuth. */
  readonly name: string
  readonly params: Param[]
  /** 101 for a stream; undefined if the client disconnected before the response was complete. */
  readonly status: number | undefined
  /** The name of the error. */
  readonly error: string | undefined
  /** The account whose credentials the request had. */
  readonly did: DidString | undefined
  readonly handle: HandleString | undefined
  readonly openedWith: 'password' | 'appPassword' | 'oauth' | undefined
  /** The name of the app password, or the client id of the OAuth app. */
  readonly app: string | undefined
  /** `User-Agent`. */
  readonly client: string | undefined
  /** The origin of the page that sent it. */
  readonly origin: string | undefined
  /** Whether the interface of this server sent it. */
  readonly isOwnPage: boolean
  /** The scheme of its credentials. */
  readonly scheme: string | undefined
  readonly inputType: string | undefined
  readonly inputBytes: number | undefined
  /** The input as JSON text; undefined for another type. */
  readonly input: string | undefined
  readonly isInputCut: boolean
  /** Bytes of the response body. */
  readonly outputBytes: number
  /** The body of the error response as JSON text. */
  readonly errorBody: string | undefined
}

/** Returns the request without its secrets. */
export function describe(seen: Observed, { store, now }: Pick<Platform, 'store' | 'now'>): ObservedRequest {
  const { name, req, status, ms, sentBytes } = seen
  const [path = '', query = ''] = splitOnce(seen.req.url ?? '', '?')
  const input = seen.input === undefined ? undefined : redactJson(seen.input, name)
  return {
    at: iso(now()),
    microseconds: Math.round(ms * 1000),
    verb: req.method ?? '',
    path: redactText(path.slice(0, 500)),
    name: redactText(name.slice(0, 500)),
    params: redactQuery(query, name),
    status,
    ...errorOf(seen),
    ...senderOf(seen, store),
    ...inputHeadersOf(req.headers),
    input: input?.text,
    isInputCut: input?.isCut ?? false,
    outputBytes: sentBytes,
  }
}

function errorOf({ name, errorBody }: Observed): Pick<ObservedRequest, 'error' | 'errorBody'> {
  const body = errorBody === undefined ? undefined : parseJson(Buffer.from(errorBody))
  if (!isObject(body)) return { error: undefined, errorBody: undefined }
  const error = isString(body.error) ? redactText(body.error.slice(0, 100)) : undefined
  return { error, errorBody: redactJson(body, name).text }
}

type Sender = 'did' | 'handle' | 'openedWith' | 'app' | 'client' | 'origin' | 'isOwnPage' | 'scheme'

function senderOf(
  { req, caller, principal }: Observed,
  store: Platform['store'],
): Pick<ObservedRequest, Sender> {
  const { authorization, origin, 'sec-fetch-site': site, 'user-agent': client } = req.headers
  const session = principal?.session === undefined ? undefined : sessions.findOpen(store, principal.session)
  const clientId = session && findGrant(store, session.sessionId)?.clientId
  const account = principal?.account as DidString | undefined
  return {
    did: account,
    handle: session?.handle ?? (account && findByDid(store, account)?.handle),
    openedWith:
      session && (clientId ? 'oauth' : session.appPasswordName === null ? 'password' : 'appPassword'),
    app: clientId ?? session?.appPasswordName ?? undefined,
    client: client && redactText(client.slice(0, 200)),
    origin: origin && redactText(origin.slice(0, 200)),
    isOwnPage:
      site === 'same-origin' ||
      origin === windowOrigin ||
      (origin !== undefined && origin === caller?.origin),
    scheme: /^(bearer|dpop|basic) /i.exec(authorization ?? '')?.[1]?.toLowerCase(),
  }
}

function inputHeadersOf({
  'content-type': type,
  'content-length': length,
}: Observed['req']['headers']): Pick<ObservedRequest, 'inputType' | 'inputBytes'> {
  return {
    inputType: type && redactText(type.slice(0, 100)),
    inputBytes: length === undefined ? undefined : Number(length),
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
