/** A push service on loopback: a did:web with a document, and the calls that it received. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface PushCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface PushAnswer {
  /** HTTP status; 0 closes the connection without a response. */
  readonly status: number
  readonly headers?: Record<string, string>
}

export class PushService {
  /** Received calls, in order of arrival. */
  readonly calls: PushCall[] = []
  /** DIDs whose documents were requested. */
  lookUps = 0
  connections = 0
  /** The response to calls; undefined: none until `release`. */
  answer: PushAnswer | undefined = { status: 200 }
  /** Whether its DID document cannot be fetched. */
  isDown = false
  /** Runs before its DID document is sent. */
  onLookUp: () => unknown = () => {}
  /** Entries of its DID document. */
  services: { readonly id: string; readonly serviceEndpoint: string }[] = []
  readonly #server = createServer(async (req, res) => {
    if (req.url === '/.well-known/did.json') {
      await this.onLookUp()
      return this.#describe(res)
    }
    const { method = '', url: path = '', headers } = req
    const call = { method, path, headers, body: await buffer(req) }
    this.calls.push(call)
    this.#news.dispatchEvent(new Event('call'))
    if (this.answer) reply(res, this.answer)
    else this.#held.push(res)
  })
  readonly #news = new EventTarget()
  readonly #held: ServerResponse[] = []

  private constructor() {
    this.#server.on('connection', () => this.connections++)
  }

  static async start(): Promise<PushService> {
    const service = new PushService()
    await new Promise<void>((resolve) => service.#server.listen(0, 'localhost', resolve))
    service.services = [{ id: '#notif', serviceEndpoint: service.url }]
    return service
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  get did(): string {
    return `did:web:${encodeURIComponent(new URL(this.url).host)}`
  }

  /** The bodies of the received calls. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  get bodies(): any[] {
    return this.calls.map(({ body }) => JSON.parse(body.toString()))
  }

  /** Resolves when this many calls have arrived. */
  async called(times: number): Promise<void> {
    while (this.calls.length < times) {
      await new Promise((resolve) => this.#news.addEventListener('call', resolve, { once: true }))
    }
  }

  /** Responds with `answer` to waiting and further calls. */
  release(answer: PushAnswer = { status: 200 }): void {
    this.answer = answer
    for (const response of this.#held.splice(0)) reply(response, answer)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #describe(res: ServerResponse): void {
    this.lookUps++
    if (this.isDown) {
      reply(res, { status: 503 })
      return
    }
    const service = this.services.map((entry) => ({ type: 'PushService', ...entry }))
    res.end(JSON.stringify({ id: this.did, service }))
  }
}

function reply(response: ServerResponse, { status, headers = {} }: PushAnswer): void {
  if (status === 0) response.destroy()
  else response.writeHead(status, headers).end()
}
