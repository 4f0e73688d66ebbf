/** A service of the network on the wire: an HTTP server whose process ends and starts again. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createHttpServer } from '../../../server/platform/xrpc/listen.ts'
import { currentProcess, type Process, type Wire } from './wire.ts'

export type Respond = (req: IncomingMessage, res: ServerResponse) => void

export type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => void

export class ServiceHost {
  /** Its node of the wire. */
  readonly name: string
  readonly #wire: Wire
  readonly #respond: Respond
  readonly #upgrade: Upgrade | undefined
  #process: Process

  constructor(name: string, wire: Wire, respond: Respond, upgrade?: Upgrade) {
    this.name = name
    this.#wire = wire
    this.#respond = respond
    this.#upgrade = upgrade
    this.#process = { node: name, isDead: true }
    this.start()
  }

  get url(): string {
    return `http://${this.name}.localhost`
  }

  get did(): string {
    return `did:web:${this.name}.localhost`
  }

  get process(): Process {
    return this.#process
  }

  /** Starts a process unless one runs. */
  start(): void {
    if (!this.#process.isDead) return
    const process: Process = { node: this.name, isDead: false }
    this.#process = process
    const { server } = createHttpServer((req, res) =>
      currentProcess.run(process, () => this.#respond(req, res)),
    )
    const upgrade = this.#upgrade
    if (upgrade) server.removeAllListeners('upgrade').on('upgrade', upgrade)
    this.#wire.listen(`${this.name}.localhost`, process, (socket) => void server.emit('connection', socket))
  }

  /** Ends its process: connections are reset, and new ones are refused. */
  kill(): void {
    this.#wire.end(this.#process)
  }
}

/** @returns undefined if the connection ends before the request was read */
export async function readBody(req: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  try {
    for await (const part of req) parts.push(part)
  } catch {
    return undefined
  }
  return Buffer.concat(parts)
}

export function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
