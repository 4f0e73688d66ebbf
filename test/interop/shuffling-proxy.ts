/** Forwards requests to a server. Messages of its event stream arrive out of order, some of them twice. */
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import WebSocket, { WebSocketServer } from 'ws'

/** So many messages are mixed. */
const group = 4
/** Messages wait so long for others, in milliseconds. */
const delay = 50

export class ShufflingProxy {
  readonly #server: Server
  readonly #target: string
  /** Messages that were forwarded out of order or twice. */
  moved = 0

  private constructor(target: string) {
    this.#target = target
    this.#server = createServer((req, res) => {
      const { method, headers } = req
      const forwarded = request(target + req.url, { method, headers }, (response) => {
        res.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(res)
      })
      forwarded.on('error', () => res.destroy())
      req.pipe(forwarded)
    })
    const streams = new WebSocketServer({ noServer: true })
    this.#server.on('upgrade', (req, socket, head) =>
      streams.handleUpgrade(req, socket, head, (consumer) => this.#forward(consumer, req.url ?? '')),
    )
  }

  static async start(target: string): Promise<ShufflingProxy> {
    const proxy = new ShufflingProxy(target)
    proxy.#server.listen(0, 'localhost')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #forward(consumer: WebSocket, path: string): void {
    const source = new WebSocket(this.#target.replace('http', 'ws') + path)
    const waiting: Buffer[] = []
    let timer: NodeJS.Timeout | undefined
    const flush = () => {
      const messages = waiting.splice(0).reverse()
      if (messages.length > 1) this.moved += messages.length
      for (const message of messages) consumer.send(message)
      if (messages[0]) consumer.send(messages[0])
    }
    source.on('message', (data: Buffer) => {
      waiting.push(data)
      clearTimeout(timer)
      if (waiting.length >= group) flush()
      else timer = setTimeout(flush, delay)
    })
    for (const [socket, other] of [
      [source, consumer],
      [consumer, source],
    ] as const) {
      socket.on('error', () => {})
      socket.on('close', () => other.terminate())
    }
  }
}
