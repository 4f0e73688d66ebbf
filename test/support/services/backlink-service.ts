/**
 * A service that indexes the links of a network, on loopback: the live stream and the lists. It is as strict as
 * the public ones, and follows the test's instructions, also dishonest ones.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** A record that refers to a subject. */
export interface ServiceLink {
  /** URI of the record. */
  readonly record: string
  /** Collection and path. */
  readonly source: string
  /** DID or URI. */
  readonly subject: string
  readonly rev?: string | undefined
}

/** Requests that the service has received. */
export interface ServiceCall {
  /** Path and query, or `options_update`. */
  readonly name: string
  /** The whole URL or message. */
  readonly text: string
  readonly userAgent: string | undefined
}

type Respond = (res: ServerResponse, req: IncomingMessage) => unknown

interface Options {
  /** Milliseconds between pings. */
  readonly pingMs?: number
}

const maxDids = 10_000
const maxUpdateBytes = 1_000_000
/** Bytes that a client may leave unread. */
const maxUnreadBytes = 8_000_000

export class BacklinkService {
  /** Requests, connections and messages of clients, in order. */
  readonly calls: ServiceCall[] = []
  /** Links of the lists, the oldest first. The stream reports only what `report` is called with. */
  readonly links: ServiceLink[] = []
  /** Whether no pings are sent. */
  isSilent = false
  /** Pings that clients have answered. */
  pongs = 0
  /** Why clients were dropped. */
  readonly drops: string[] = []
  /** Respond to the next lists in the place of the service. */
  readonly replacements: Respond[] = []
  /** Status that refuses connections to the stream; undefined: they are accepted. */
  refusal: number | undefined
  readonly #pingMs: number
  readonly #streams = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  readonly #wanted = new Map<WebSocket, ReadonlySet<string>>()
  readonly #waiting = new Set<() => void>()
  readonly #server = createServer((req, res) => this.#answer(req, res))

  private constructor({ pingMs = 30_000 }: Options) {
    this.#pingMs = pingMs
  }

  static async start(options: Options = {}): Promise<BacklinkService> {
    const service = new BacklinkService(options)
    service.#server.on('upgrade', (req, socket, head) => {
      const url = service.#note(req)
      const { refusal } = service
      if (refusal !== undefined) socket.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`)
      else service.#streams.handleUpgrade(req, socket, head, (stream) => service.#join(stream, url))
    })
    service.#server.listen(0, '127.0.0.1')
    await once(service.#server, 'listening')
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Connections to the stream. */
  get clients(): WebSocket[] {
    return [...this.#wanted.keys()]
  }

  /** The DIDs that clients want now. */
  get wanted(): string[] {
    return [...this.#wanted.values()].flatMap((dids) => [...dids])
  }

  /** The message that reports a link. */
  static message({ record, source, subject, rev = '3l2222222222a' }: ServiceLink): string {
    const link = { operation: 'create', source, source_record: record, source_rev: rev, subject }
    return JSON.stringify({ kind: 'link', origin: 'live', link })
  }

  /** Sends links to the clients that want them. */
  report(...links: readonly ServiceLink[]): void {
    for (const link of links) {
      const did = /did:[^/]+/.exec(link.subject)?.[0] ?? ''
      for (const [client, dids] of this.#wanted) {
        if (dids.size === 0 || dids.has(did)) client.send(BacklinkService.message(link))
        if (client.bufferedAmount > maxUnreadBytes) this.#drop(client, 'reads too slowly')
      }
    }
  }

  /** Sends a message to all clients. */
  send(message: string | Uint8Array): void {
    for (const client of this.clients) client.send(message)
  }

  /** Ends all connections to the stream. */
  disconnect(): void {
    for (const client of this.clients) client.terminate()
  }

  /** Resolves when the service is in a state; checked whenever a client does something. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  async close(): Promise<void> {
    this.disconnect()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(client: WebSocket, url: URL): void {
    this.#wanted.set(client, new Set(url.searchParams.getAll('wantedSubjectDids')))
    let expected: string | undefined
    let pings = 0
    const timer = setInterval(() => {
      if (expected !== undefined || this.isSilent) return
      expected = `ping ${++pings}`
      client.ping(expected)
    }, this.#pingMs)
    client.on('error', () => {})
    client.on('pong', (data) => {
      if (String(data) !== expected) this.#drop(client, 'unsolicited pong')
      expected = undefined
      this.pongs++
      this.#check()
    })
    client.on('message', (data, isBinary) => this.#update(client, isBinary ? '' : String(data)))
    client.on('close', () => {
      clearInterval(timer)
      this.#wanted.delete(client)
      this.#check()
    })
    this.#check()
  }

  #update(client: WebSocket, text: string): void {
    this.calls.push({ name: 'options_update', text, userAgent: undefined })
    const dids = text.length > maxUpdateBytes ? undefined : didsOf(text)
    if (dids) this.#wanted.set(client, new Set(dids))
    else this.#drop(client, 'malformed options_update')
    this.#check()
  }

  #drop(client: WebSocket, reason: string): void {
    this.drops.push(reason)
    client.terminate()
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    const { pathname, searchParams } = this.#note(req)
    const query = Object.fromEntries(searchParams)
    const name = pathname.replace('/xrpc/', '')
    if (!req.headers['user-agent']) json(res, 403, { error: 'UserAgentRequired' })
    else if (name === 'blue.microcosm.links.getBacklinks') {
      const replacement = this.replacements.shift()
      if (replacement) replacement(res, req)
      else this.#list(query, res)
    } else json(res, 404, { error: 'NotFound' })
  }

  #list({ subject, source, did, cursor, limit = '16' }: Record<string, string>, res: ServerResponse): void {
    const size = Number(limit)
    if (!subject || !source || !(size >= 1 && size <= 100)) {
      json(res, 400, { error: 'InvalidRequest' })
      return
    }
    const all = this.links
      .filter((link) => link.subject === subject && link.source === source)
      .map(({ record }) => record.split('/'))
      .map(([, , author, collection, rkey]) => ({ did: author, collection, rkey }))
      .filter((record) => did === undefined || record.did === did)
      .toReversed()
    const start = Number(cursor ?? 0)
    const records = all.slice(start, start + size)
    const next = start + size < all.length ? String(start + size) : null
    json(res, 200, { total: all.length, records, cursor: next })
  }

  #note({ url: target = '', headers }: IncomingMessage): URL {
    const url = new URL(target, this.url)
    this.calls.push({
      name: url.pathname,
      text: decodeURIComponent(target),
      userAgent: headers['user-agent'],
    })
    this.#check()
    return url
  }

  #check(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}

/** Returns the DIDs of an update; undefined if it is malformed. */
function didsOf(text: string): string[] | undefined {
  try {
    const { type, payload } = JSON.parse(text)
    const { wantedSubjectDids: dids, ...others } = payload
    const isValid =
      type === 'options_update' &&
      Object.keys(others).length === 0 &&
      Array.isArray(dids) &&
      dids.length <= maxDids &&
      dids.every((did) => typeof did === 'string' && did.startsWith('did:'))
    return isValid ? dids : undefined
  } catch {
    return undefined
  }
}

function json(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
