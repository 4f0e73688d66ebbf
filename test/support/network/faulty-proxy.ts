/** A reverse proxy on loopback before a server, which fails calls on request. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * - `before`: the connection ends before the call arrives.
 * - `after`: the call is answered, but the connection ends before the response arrives.
 * - `midway`: the connection ends within the response.
 */
export type Fault = 'before' | 'after' | 'midway'

export class FaultyProxy {
  /** URL of the server. */
  target = ''
  /** Methods whose next call fails. */
  readonly faults = new Map<string, Fault>()
  /** Responds in the place of the server. */
  readonly replacements = new Map<string, (res: ServerResponse, req: IncomingMessage) => void>()
  /** NSIDs of all calls. */
  readonly calls: string[] = []
  readonly #waiting = new Set<() => void>()
  readonly #server = createServer((req, res) => this.#forward(req, res))

  static async start(): Promise<FaultyProxy> {
    const proxy = new FaultyProxy()
    await new Promise<void>((resolve) => proxy.#server.listen(0, 'localhost', resolve))
    return proxy
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  /** Resolves when a method is called once more, or `times` more. */
  async called(nsid: string, times = 1): Promise<void> {
    const count = () => this.calls.filter((called) => called === nsid).length
    const last = count() + times
    await new Promise<void>((resolve) => {
      const check = () => {
        if (count() < last) return
        this.#waiting.delete(check)
        resolve()
      }
      this.#waiting.add(check)
    })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #forward(req: IncomingMessage, res: ServerResponse): void {
    const nsid = /^\/xrpc\/([\w.]+)/.exec(req.url ?? '')?.[1] ?? ''
    this.calls.push(nsid)
    for (const check of this.#waiting) check()
    const replace = this.replacements.get(nsid)
    if (replace) return void replace(res, req)
    const fault = this.faults.get(nsid)
    this.faults.delete(nsid)
    if (fault === 'before') return void req.socket.destroy()
    const { method, headers } = req
    const forwarded = request(this.target + req.url, { method, headers }, (response) => {
      if (fault === 'after') {
        response.resume().once('end', () => req.socket.destroy())
        return
      }
      res.writeHead(response.statusCode ?? 502, response.headers)
      if (fault === undefined) response.pipe(res)
      else
        response.once('data', (chunk: Buffer) => res.write(chunk.subarray(0, 1), () => req.socket.destroy()))
    })
    forwarded.on('error', () => req.socket.destroy())
    req.pipe(forwarded)
  }
}
