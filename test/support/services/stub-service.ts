/** Another service on loopback, such as an app view: a did:web with a document, its responses by method, received calls. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface ServiceCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Undefined if it did not arrive completely. */
  readonly body: Buffer | undefined
}

type Respond = (res: ServerResponse, req: IncomingMessage) => void

export class StubService {
  readonly calls: ServiceCall[] = []
  connections = 0
  /** DIDs whose documents were requested. */
  lookUps = 0
  /** The response to the next calls. */
  respond: Respond = json({ served: true })
  /** Called when the headers of a call have arrived. The body is not read when it returns false. */
  onCall: (req: IncomingMessage, res: ServerResponse) => boolean = () => true
  readonly #server = createServer(async (req, res) => {
    if (req.url === '/.well-known/did.json') return this.#describe(res)
    if (!this.onCall(req, res)) return
    const { method = '', url: path = '', headers } = req
    this.calls.push({ method, path, headers, body: await buffer(req).catch(() => undefined) })
    this.respond(res, req)
  })

  static async start(): Promise<StubService> {
    const service = new StubService()
    service.#server.on('connection', () => service.connections++)
    await new Promise<void>((resolve) => service.#server.listen(0, 'localhost', resolve))
    return service
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  get did(): string {
    return `did:web:${encodeURIComponent(new URL(this.url).host)}`
  }

  get lastCall(): ServiceCall {
    const call = this.calls.at(-1)
    if (!call) throw new Error('the service was not called')
    return call
  }

  /** Forgets received requests and settings. */
  reset(): void {
    this.calls.length = 0
    this.respond = json({ served: true })
    this.onCall = () => true
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #describe(res: ServerResponse): void {
    this.lookUps++
    const service = [{ id: '#stub', type: 'Stub', serviceEndpoint: this.url }]
    res.end(JSON.stringify({ id: this.did, service }))
  }
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Respond {
  return (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
  }
}
