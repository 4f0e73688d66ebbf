/** Requests to the server that is measured, as any client sends them. */
import { deadlineSignal } from '../../util/deadlines.ts'
import { parseJson } from '../../util/json.ts'
import { Failed, Skipped } from './verdict.ts'

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
}

export interface Answer {
  /** The request, for reasons. */
  readonly asked: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The body if its content type is JSON and it is JSON; otherwise undefined. */
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own output
  readonly json: any
}

export interface Http {
  /** Sends a request to a path of the server, or to a URL. @throws Failed without an answer */
  send(target: string, ask?: Ask): Promise<Answer>
  /** Calls a method. @throws Skipped if the server does not have it, or limits the rate */
  call(nsid: string, ask?: Ask): Promise<Answer>
}

/** Milliseconds from the request to the end of the answer. */
const patienceMs = 15_000

/** @param url of the server, without a trailing slash */
export function createHttp(url: string): Http {
  async function send(target: string, ask: Ask = {}): Promise<Answer> {
    const address = new URL(target.startsWith('/') ? url + target : target)
    for (const [name, values] of Object.entries(ask.query ?? {}))
      for (const value of [values].flat()) address.searchParams.append(name, value)
    const { body, type } = bodyOf(ask)
    const method = ask.method ?? (body === undefined ? 'GET' : 'POST')
    const asked = `${method} ${target}`
    try {
      const response = await fetch(address, {
        method,
        redirect: 'manual',
        signal: deadlineSignal(patienceMs),
        headers: {
          ...(type !== undefined && { 'content-type': type }),
          ...(ask.token !== undefined && { authorization: `Bearer ${ask.token}` }),
          ...ask.headers,
        },
        ...(body !== undefined && { body }),
      })
      const bytes = Buffer.from(await response.arrayBuffer())
      return {
        asked,
        status: response.status,
        headers: response.headers,
        bytes,
        json: jsonOf(response, bytes),
      }
    } catch (error) {
      throw new Failed(`${asked} got no answer: ${reasonOf(error)}`)
    }
  }

  return {
    send,
    async call(nsid, ask) {
      const answer = await send(`/xrpc/${nsid}`, ask)
      if (isAbsent(answer)) throw new Skipped(`the server does not have ${nsid} (${answer.status})`)
      if (answer.status === 429) throw new Skipped(`the server limits the rate of ${nsid} (429)`)
      return answer
    },
  }
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

function jsonOf({ headers }: Response, bytes: Buffer): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\b/.test(headers.get('content-type') ?? '')) return undefined
  return parseJson(bytes)
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
