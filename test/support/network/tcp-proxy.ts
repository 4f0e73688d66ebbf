/** A port that stays while the server behind it comes and goes. */

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

export class TcpProxy {
  /** Port of the server; undefined: connections are refused. */
  target: number | undefined
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor() {
    this.#server = createServer((socket) => this.#forward(socket))
  }

  static async start(): Promise<TcpProxy> {
    const proxy = new TcpProxy()
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.#server.close()
    this.cut()
    await once(this.#server, 'close')
  }

  #forward(near: Socket): void {
    if (this.target === undefined) return void near.destroy()
    const far = connect(this.target, '127.0.0.1')
    for (const [socket, peer] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        this.#sockets.delete(socket)
        peer.destroySoon()
      })
      socket.pipe(peer)
    }
  }
}
