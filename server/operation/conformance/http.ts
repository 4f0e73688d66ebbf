/** Requests to the server that is measured, as any client sends them. */
import { guardedFetch, ResponseTooLarge } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import { isLoopbackHost } from '../../platform/xrpc/host.ts'
import { deadlineSignal } from '../../util/deadlines.ts'
import { parseJson } from '../../util/json.ts'
import { createSecrets, type Secrets } from './secrets.ts'
import { Failed, NoAnswer, Skipped } from './verdict.ts'

export interface Ask {
  /** POST if there is a body, otherwise GET by default. */
  readonly method?: string
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  /** JSON body. */
  readonly input?: unknown
  /** Form body. */
  readonly form?: Readonly<Record<string, string>>
  /** Body of another type. */
  readonly body?: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
  /** Access or refresh token. */
  readonly token?: string
  /** Whether its answer is awaited when the measurement ends early: it has the token that closes what the request opens. */
  readonly isAwaited?: boolean
}

export interface Answer {
  /** The request, for reasons. */
  readonly asked: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The body if its content type is JSON and it is JSON; otherwise undefined. That of an error has no secrets. */
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own output
  readonly json: any
}

export interface Http {
  /**
   * Sends a request to a path of the server, or to a URL that it names, which gets no credentials.
   * @throws NoAnswer, Failed or Skipped for one that is too large, or a URL that is not called
   */
  send(target: string, ask?: Ask): Promise<Answer>
  /** Calls a method. @throws Skipped if the server does not have it, or limits the rate */
  call(nsid: string, ask?: Ask): Promise<Answer>
}

/** Milliseconds from the request to the end of the answer. */
const patienceMs = 15_000

/** Bytes of an answer. Repositories are larger than everything else. */
const maxBytes = 8_000_000
const maxArchiveBytes = 64_000_000

interface HttpOptions {
  /** URLs that a person has named beside the server. */
  readonly named?: readonly string[]
  /** Passwords, which are hidden in errors of the server, as tokens are. */
  readonly secrets?: readonly (string | undefined)[]
  /** Called with each answer. */
  readonly onAnswer?: (answer: Answer) => void
  /** Called before each request. @throws Skipped when the measurement has lasted too long */
  readonly checkTime?: () => void
  /** Returns what ends requests early. */
  readonly ending?: () => AbortSignal | undefined
}

/** @param url of the server, without a trailing slash */
export function createHttp(url: string, options: HttpOptions = {}): Http {
  const { named = [], checkTime, ending, onAnswer } = options
  const { origin, host, protocol } = new URL(url)
  const secrets = createSecrets()
  for (const secret of options.secrets ?? []) secrets.add(secret)
  const trusted = [url, ...named].map((each) => new URL(each).origin)
  /** A server chooses the URLs that it names: those on the computer or in the network of the one who measures are not called. */
  const isTrusted = (address: URL) =>
    trusted.includes(address.origin) || (isLoopbackHost(host) && isLoopbackHost(address.host))

  async function send(target: string, ask: Ask = {}): Promise<Answer> {
    checkTime?.()
    const { body, type } = bodyOf(ask)
    const method = ask.method ?? (body === undefined ? 'GET' : 'POST')
    const asked = `${method} ${target}`
    try {
      const address = new URL(target.startsWith('/') ? url + target : target)
      for (const [name, values] of Object.entries(ask.query ?? {}))
        for (const value of [values].flat()) address.searchParams.append(name, value)
      const { authorization, ...others } = ask.headers ?? {}
      const credentials = ask.token === undefined ? authorization : `Bearer ${ask.token}`
      secrets.add(credentials?.split(' ')[1])
      const headers = {
        ...(type !== undefined && { 'content-type': type }),
        ...(credentials !== undefined && address.origin === origin && { authorization: credentials }),
        ...others,
      }
      const ended = ending?.()
      ended?.throwIfAborted()
      const signals = [deadlineSignal(patienceMs), ...(ended && !ask.isAwaited ? [ended] : [])]
      const signal = AbortSignal.any(signals)
      const request = { method, headers, signal, ...(body !== undefined && { body }) }
      const answer = await (isTrusted(address) ? fetchWhole : fetchGuarded)(address, request)
      const whole = { asked, ...answer, json: jsonOf(answer, secrets) }
      onAnswer?.(whole)
      return whole
    } catch (error) {
      if (error instanceof TooLarge)
        throw new (error.isArchive ? Skipped : Failed)(`${asked} answered ${error.message}`)
      if (error instanceof OutboundRefused)
        // A server at a private address may name others there.
        throw new (protocol === 'https:' ? Failed : Skipped)(`${asked} is not sent: ${error.message}`)
      throw new NoAnswer(`${asked} got no answer: ${reasonOf(error)}`)
    }
  }

  return {
    send,
    async call(nsid, ask) {
      const answer = await send(`/xrpc/${nsid}`, ask)
      if (isAbsent(answer)) throw new Skipped(`the server does not have ${nsid} (${answer.status})`)
      expectUnlimited(answer)
      return answer
    },
  }
}

/** @throws Skipped for an answer of a rate limit, which says nothing of the request */
export function expectUnlimited({ asked, status }: Answer): void {
  if (status === 429) throw new Skipped(`the server limits the rate: ${asked} answered 429`)
}

/** Whether two answers are the same, so that nothing follows from the difference of their requests. */
export function isSame(one: Answer, other: Answer): boolean {
  return one.status === other.status && one.bytes.equals(other.bytes)
}

/** Whether an answer says that the server lacks the method: an absent record has another status. */
export function isAbsent({ status, json }: Answer): boolean {
  return status === 501 || (status === 404 && !/NotFound$/.test(json?.error ?? ''))
}

function bodyOf({ input, form, body, headers }: Ask): {
  body?: string | Uint8Array<ArrayBuffer>
  type?: string
} {
  if (input !== undefined) return { body: JSON.stringify(input), type: 'application/json' }
  if (form) return { body: String(new URLSearchParams(form)), type: 'application/x-www-form-urlencoded' }
  if (body === undefined) return {}
  const bytes = Uint8Array.from(typeof body === 'string' ? Buffer.from(body) : body)
  return headers && 'content-type' in headers ? { body: bytes } : { body: bytes, type: 'application/json' }
}

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly signal: AbortSignal
}

type Received = Pick<Answer, 'status' | 'headers' | 'bytes'>

class TooLarge extends Error {
  readonly isArchive: boolean

  constructor(bytes: number, isArchive = false) {
    super(`more than ${bytes / 1_000_000} MB`)
    this.isArchive = isArchive
  }
}

/** Sends a request without a body again if the server had closed the kept connection: it may have answered the one before with a close. */
async function fetchWhole(address: URL, request: Sent): Promise<Received> {
  return fetchOnce(address, request).catch((error: Error) => {
    const code = (error.cause as NodeJS.ErrnoException | undefined)?.code ?? ''
    if (request.body !== undefined || !closings.includes(code)) throw error
    return fetchOnce(address, request)
  })
}

const closings = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

async function fetchOnce(address: URL, request: Sent): Promise<Received> {
  const response = await fetch(address, { ...request, redirect: 'manual' })
  const { status, headers, body } = response
  const isArchive = headers.get('content-type') === 'application/vnd.ipld.car'
  const limit = isArchive ? maxArchiveBytes : maxBytes
  const chunks: Uint8Array[] = []
  let size = 0
  // Compressed bytes are counted as what they become. Throwing out of the loop ends the connection.
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > limit) throw new TooLarge(limit, isArchive)
    chunks.push(chunk)
  }
  return { status, headers, bytes: Buffer.concat(chunks) }
}

/** @throws OutboundRefused unless the address is public */
async function fetchGuarded(address: URL, { method, ...request }: Sent): Promise<Received> {
  const { status, headers, body } = await guardedFetch(String(address), {
    ...{ ...request, method: method as 'GET', timeoutMs: patienceMs, maxBytes },
  }).catch((error: unknown) => {
    throw error instanceof ResponseTooLarge ? new TooLarge(maxBytes) : error
  })
  const pairs = Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
  return { status, headers: new Headers(pairs), bytes: body }
}

function jsonOf({ status, headers, bytes }: Received, secrets: Secrets): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\b/.test(headers.get('content-type') ?? '')) return undefined
  return status < 400 ? parseJson(bytes) : secrets.parse(bytes)
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
