/** A service that reports links of the network to servers which name their accounts. It lies as asked. */
import { type WebSocket, WebSocketServer } from 'ws'
import { clearHeartbeat, setHeartbeat } from '../../../server/util/deadlines.ts'
import { ServiceHost, sendJson } from './service-host.ts'
import type { Wire } from './wire.ts'

/** A record that refers to an account or to a record. */
export interface ReportedLink {
  readonly source: string
  readonly uri: string
  /** DID or URI. */
  readonly subject: string
  readonly rev: string
}

const pingMs = 30_000

export class LinkService {
  readonly host: ServiceHost
  /** The first rule that a server has broken. */
  broken: string | undefined
  readonly #streams = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  readonly #wanted = new Map<WebSocket, ReadonlySet<string>>()

  constructor(wire: Wire) {
    this.host = new ServiceHost(
      'links',
      wire,
      (_, res) => sendJson(res, 404, { error: 'NotFound' }),
      (req, socket, head) => {
        const wanted = new URL(req.url ?? '', this.host.url).searchParams.getAll('wantedSubjectDids')
        this.#streams.handleUpgrade(req, socket, head, (client) => this.#join(client, wanted))
      },
    )
  }

  /** The DIDs whose links are wanted. */
  get wanted(): ReadonlySet<string> {
    return new Set([...this.#wanted.values()].flatMap((dids) => [...dids]))
  }

  /** Sends a link to the servers that want it. */
  report({ source, uri, subject, rev }: ReportedLink): void {
    const did = /did:[^/]+/.exec(subject)?.[0] ?? ''
    const link = { operation: 'create', source, source_record: uri, source_rev: rev, subject }
    const message = JSON.stringify({ kind: 'link', origin: 'live', link })
    for (const [client, dids] of this.#wanted) if (dids.has(did)) client.send(message)
  }

  /** Sends a message to all servers. */
  send(message: string): void {
    for (const client of this.#wanted.keys()) client.send(message)
  }

  /** Ends all connections. */
  disconnect(): void {
    for (const client of this.#wanted.keys()) client.terminate()
  }

  heal(): void {
    this.host.start()
  }

  #join(client: WebSocket, dids: readonly string[]): void {
    this.#want(client, dids)
    let isAlive = true
    const timer = setHeartbeat(() => {
      // The link may have been cut when the server closed the connection.
      if (!isAlive) return client.terminate()
      isAlive = false
      client.ping()
    }, pingMs)
    client.on('pong', () => {
      isAlive = true
    })
    client.on('error', () => {})
    client.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data))
      if (type !== 'options_update') this.broken ??= `the message ${type}`
      this.#want(client, payload.wantedSubjectDids)
    })
    client.on('close', () => {
      clearHeartbeat(timer)
      this.#wanted.delete(client)
    })
  }

  #want(client: WebSocket, dids: readonly string[]): void {
    if (dids.length === 0) this.broken ??= 'the links of everyone are wanted'
    this.#wanted.set(client, new Set(dids))
  }
}
