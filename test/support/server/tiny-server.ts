/** The real HTTP and XRPC layers over methods of a test, without accounts, store and configuration. */

import { type AnsweringOptions, createAnswering } from '../../../server/platform/xrpc/answer.ts'
import { createApp, type HttpOptions } from '../../../server/platform/xrpc/http.ts'
import { listen, type Timeouts } from '../../../server/platform/xrpc/listen.ts'
import { methodFactory } from '../../../server/platform/xrpc/method.ts'
import { createRouter, type RouterOptions } from '../../../server/platform/xrpc/router.ts'
import { createStreams, type StreamsOptions } from '../../../server/platform/xrpc/streams.ts'
import { subscriptionFactory } from '../../../server/platform/xrpc/subscription.ts'
import { protocolError } from '../../../server/platform/xrpc/xrpc-errors.ts'

interface Words {
  none: undefined
  /** `Authorization: Bearer NAME` authenticates as NAME. */
  user: { did: string }
}
type Word = keyof Words

export const method = methodFactory<Words, object>()
export const subscription = subscriptionFactory<Words, object>()
export type TinyMethod = ReturnType<typeof method>

type Options = Partial<
  HttpOptions & AnsweringOptions & RouterOptions<Word, object> & StreamsOptions<Word, object>
> & {
  hosts?: readonly string[]
  timeouts?: Timeouts
}

/** The principal of `Bearer NAME`. */
export function userPrincipal(authorization: string) {
  const did = authorization.replace('Bearer ', '')
  return { account: did, credentials: { did } }
}

export interface TinyServer {
  readonly port: number
  readonly url: string
  /** Errors that were reported as unexpected. */
  readonly failures: unknown[]
  /** Resolves when every call so far has ended, with its client connected or not. */
  settled(): Promise<unknown>
  /** @param path as it goes on the wire, without a body unless `init` has one */
  fetch(path: string, init?: RequestInit): Promise<Fetched>
  close(graceMs?: number): Promise<void>
}

export interface Fetched {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed JSON; undefined when the body is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export async function serve(methods: readonly TinyMethod[], options: Options = {}): Promise<TinyServer> {
  const failures: unknown[] = []
  const calls: Promise<void>[] = []
  const shared = {
    services: {},
    authorize({ headers }, { auth }) {
      if (auth === 'none') return { account: undefined, credentials: undefined }
      if (headers.authorization === undefined) throw protocolError('AuthMissing')
      return userPrincipal(headers.authorization)
    },
    onFailure: (error) => failures.push(error),
  } satisfies Partial<AnsweringOptions & RouterOptions<Word, object>>
  const streams = createStreams<Word, object>({
    ...shared,
    subscriptions: [],
    ...options,
  })
  const route = createRouter<Word, object>({
    ...shared,
    methods,
    streams,
    answering: createAnswering({
      ...shared,
      watchReads: () => async () => {},
      rateLimits: false,
      ...options,
    }),
    ...options,
  })
  const app = createApp({
    dispatch(name, ...request) {
      const call = route({ called: name, nsid: name }, ...request)
      calls.push(call)
      return call
    },
    hostnames: [],
    health: () => ({ version: '0.0.0', healthy: true }),
    ...options,
  })
  const listener = await listen(app, options.hosts ?? ['127.0.0.1'], 0, options.timeouts)
  const url = `http://127.0.0.1:${listener.port}`
  return {
    port: listener.port,
    url,
    failures,
    settled: () => Promise.all(calls),
    fetch: async (path, init) => {
      const answer = await fetch(url + path, init)
      const text = await answer.text()
      const { status, headers } = answer
      return { status, headers, text, body: text === '' ? undefined : JSON.parse(text) }
    },
    async close(graceMs) {
      await streams.close()
      await listener.close(graceMs)
    },
  }
}

/** The options of `fetch` that send a value as JSON. */
export function json(value: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}
