/** A relay that answers what it has of a server, by the published lexicons (com.atproto.sync.getHostStatus, getRepoStatus). */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RepoAnswer {
  readonly active: boolean
  readonly status?: string
  readonly rev?: string
}

export class FakeRelay {
  /** Undefined: it does not know the host. */
  host: { readonly seq?: unknown; readonly status?: string } | undefined
  readonly repos = new Map<string, RepoAnswer>()
  /** Replaces every answer. */
  respond: ((res: ServerResponse) => void) | undefined
  /** Methods and their parameters so far. */
  readonly asked: string[] = []
  readonly #server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://relay')
    const method = pathname.replace('/xrpc/com.atproto.sync.', '')
    this.asked.push(`${method} ${[...searchParams.values()].join()}`)
    if (this.respond) return this.respond(res)
    if (method === 'getHostStatus') {
      const hostname = searchParams.get('hostname')
      return this.host
        ? send(res, 200, { hostname, ...this.host })
        : send(res, 400, { error: 'HostNotFound' })
    }
    const did = searchParams.get('did') ?? ''
    const repo = this.repos.get(did)
    return repo ? send(res, 200, { did, ...repo }) : send(res, 400, { error: 'RepoNotFound' })
  })

  static async start(): Promise<FakeRelay> {
    const relay = new FakeRelay()
    await new Promise<void>((resolve) => relay.#server.listen(0, 'localhost', resolve))
    return relay
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  reset(): void {
    this.host = undefined
    this.respond = undefined
    this.repos.clear()
    this.asked.length = 0
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

export function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' })
  res.end(JSON.stringify(body))
}
