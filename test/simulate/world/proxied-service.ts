/** A service that servers forward calls to, as an app view: it checks the token of each call, and answers, fails or lies. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setDeadline } from '../../../server/util/deadlines.ts'
import type { Truth } from '../model/time-span.ts'
import { readBody, ServiceHost, sendJson } from './service-host.ts'
import { ServiceTokens } from './service-token.ts'
import type { World } from './world.ts'

/** What a client gets for each answer. */
export const outcomes = {
  well: '200',
  slow: '200',
  nonsense: '200',
  picture: '200',
  errs: '400 SimulatedError',
  overloaded: '502 Overloaded',
  redirects: '502 UpstreamFailure',
  'web page': '502 UpstreamFailure',
  endless: '502 UpstreamFailure',
  cuts: '502 UpstreamFailure',
  'wrong length': '502 UpstreamFailure',
  silent: '502 UpstreamFailure',
} as const

export type ServiceMood = keyof typeof outcomes

/** A call that a client makes, recognized by a header. */
export interface Attempt {
  readonly did: string
  readonly nsid: string
  /** Whether the service may get it; undefined while the answer is not known. */
  permitted: Truth | undefined
  received: number
}

export const attemptHeader = 'x-atproto-attempt'

const slowMs = 5000
/** More than a server passes on. */
const endless = { chunk: Buffer.alloc(1_000_000, ' '), count: 11 }

const json = { 'content-type': 'application/json' }

/** @param body what a service answers that is well */
const answers: Readonly<Record<ServiceMood, (res: ServerResponse, body: object) => unknown>> = {
  well: (res, body) => sendJson(res, 200, body),
  slow: (res, body) => setDeadline(() => sendJson(res, 200, body), slowMs),
  errs: (res) => sendJson(res, 400, { error: 'SimulatedError' }),
  overloaded: (res) => sendJson(res, 503, { error: 'Overloaded' }),
  redirects: (res) => res.writeHead(302, { location: 'http://one.localhost/' }).end(),
  'web page': (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  picture: (res) => res.writeHead(200, { 'content-type': 'image/png' }).end('png'),
  nonsense: (res) => res.writeHead(200, json).end('{"feed":'),
  silent: () => {},
  cuts: (res) => res.destroy(),
  'wrong length': (res) =>
    res.writeHead(200, { ...json, 'content-length': 1000 }).write('{', () => res.destroy()),
  endless(res) {
    res.writeHead(200, json)
    for (let left = endless.count; left > 0; left--) res.write(endless.chunk)
  },
}

export class ProxiedService {
  readonly host: ServiceHost
  mood: ServiceMood = 'well'
  /** The first rule that a server has broken. */
  broken: string | undefined
  readonly #tokens: ServiceTokens
  readonly #attempts: Attempt[] = []

  constructor(name: string, world: World) {
    this.#tokens = new ServiceTokens(world)
    this.host = new ServiceHost(name, world.wire, (req, res) => void this.#respond(req, res))
  }

  get did(): string {
    return this.host.did
  }

  /** Announces a call. @returns its number, for the header */
  expect(attempt: Attempt): string {
    return String(this.#attempts.push(attempt) - 1)
  }

  heal(): void {
    this.mood = 'well'
    this.host.start()
  }

  async #respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.url === '/.well-known/did.json') {
      const service = [{ id: '#chat', type: 'Chat', serviceEndpoint: this.host.url }]
      return sendJson(res, 200, { id: this.did, service })
    }
    const nsid = req.url?.split('?')[0]?.replace('/xrpc/', '') ?? ''
    const number = String(req.headers[attemptHeader])
    try {
      await this.#note(req, nsid, this.#attempts[Number(number)])
    } catch (error) {
      this.broken ??= `${nsid}: ${(error as Error).message}`
    }
    // Nothing else is logged.
    if (await readBody(req)) this.#answer(res, number)
  }

  /** @throws Error with the rule that the call breaks */
  async #note(req: IncomingMessage, nsid: string, attempt: Attempt | undefined): Promise<void> {
    const { iss } = await this.#tokens.check(req.headers.authorization, { audience: this.did, lxm: nsid })
    if (!attempt) throw new Error(`a call of ${iss} that no client has made`)
    if (iss !== attempt.did) throw new Error(`the call of ${attempt.did} has a token of ${iss}`)
    if (nsid !== attempt.nsid) throw new Error(`the call of ${attempt.nsid} arrives as ${nsid}`)
    if (attempt.permitted === 'no') throw new Error(`a call of ${iss} that is not permitted`)
    if (++attempt.received > 1 && req.method === 'POST') throw new Error(`a call of ${iss} arrives twice`)
    if (Object.values(req.headers).some((value) => String(value).startsWith('DPoP')))
      throw new Error('the credentials of the client are forwarded')
  }

  #answer(res: ServerResponse, number: string): void {
    const did = this.#attempts[Number(number)]?.did
    answers[this.mood](res, { attempt: number, did, handle: 'simulated.test', feed: [], posts: [] })
  }
}
