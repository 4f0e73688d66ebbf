/** A reverse proxy with TLS in front of a test server, with the faults of wrong configurations. */
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificates, key } from './certificates.ts'

export interface ProxyFaults {
  /** Its treatment of X-Forwarded-For; a good proxy appends the address of its client. */
  readonly forwardedFor?: 'none' | 'as sent' | 'a name'
  /** Host that the server gets instead of the public name. */
  readonly host?: string
  /** Refuses larger bodies, in bytes. */
  readonly maxBody?: number
  /** Drops the headers of an upgrade. */
  readonly noUpgrade?: boolean
  /** Answers everything with this status and no call of the server. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export class ReverseProxy {
  faults: ProxyFaults = {}
  /** Where requests go. */
  upstreamPort = 0
  readonly #server = createServer({ key, cert: certificates.valid }, (req, res) => {
    const { status, headers, maxBody = Number.POSITIVE_INFINITY } = this.faults
    const refusal = status ?? (Number(req.headers['content-length']) > maxBody ? 413 : undefined)
    if (refusal !== undefined) {
      // As nginx: the rest of the body is read for a while, so that the client sees the answer.
      req.resume()
      res.writeHead(refusal, headers).end('<html>')
      return
    }
    const upstream = this.#forward(req, {}, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    upstream.on('error', () => res.writeHead(502).end())
    req.pipe(upstream)
  })

  /** @param port any free one by default */
  static async start(port = 0): Promise<ReverseProxy> {
    const proxy = new ReverseProxy()
    const server = proxy.#server
    server.on('upgrade', (req, socket) => {
      const headers = proxy.faults.noUpgrade ? { connection: 'close', upgrade: undefined } : {}
      const upstream = proxy.#forward(req, headers, (answer) => {
        socket.end(`HTTP/1.1 ${answer.statusCode} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
      })
      upstream.on('upgrade', (answer, other, head) => {
        const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`)
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
        socket.write(head)
        other.pipe(socket).pipe(other)
        for (const end of [socket, other]) end.on('error', () => [socket, other].map((one) => one.destroy()))
      })
      upstream.on('error', () => socket.destroy())
      upstream.end()
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Presents another certificate to new connections. */
  present(cert: string): void {
    this.#server.setSecureContext({ key, cert })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #forward(
    req: IncomingMessage,
    more: Record<string, string | undefined>,
    onResponse: (answer: IncomingMessage) => void,
  ) {
    const { forwardedFor, host } = this.faults
    const sent = req.headers['x-forwarded-for']
    const appended = [sent, '198.51.100.7'].filter(Boolean).join(', ')
    const chain = { none: undefined, 'as sent': sent, 'a name': 'unknown', appended }[
      forwardedFor ?? 'appended'
    ]
    const headers = Object.entries({
      ...req.headers,
      ...(host && { host }),
      'x-forwarded-for': chain,
      ...more,
    }).filter(([, value]) => value !== undefined)
    return request(
      {
        host: '127.0.0.1',
        port: this.upstreamPort,
        method: req.method,
        path: req.url,
        headers: Object.fromEntries(headers),
      },
      onResponse,
    )
  }
}
