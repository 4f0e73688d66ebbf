/** A minimal client on one kept-alive connection, so that little of its own time is measured. */
import { Agent, request } from 'node:http'

export interface Answer {
  readonly headers: Record<string, string>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  readonly json: any
}

export class Client implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

  get(path: string, token?: string): Promise<Answer> {
    return this.#send('GET', path, token)
  }

  /** Posts JSON to a method of com.core.server; with no input the body is empty. */
  call(method: string, input?: unknown, token?: string): Promise<Answer> {
    return this.post(`/xrpc/com.core.server.${method}`, input, token)
  }

  post(path: string, input?: unknown, token?: string): Promise<Answer> {
    return this.#send('POST', path, token, input)
  }

  #send(method: string, path: string, token?: string, input?: unknown): Promise<Answer> {
    const body = input === undefined ? undefined : JSON.stringify(input)
    const headers = {
      ...(token !== undefined && { authorization: token.includes(' ') ? token : `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    }
    return new Promise((resolve, reject) => {
      const sent = request(this.#origin + path, { method, headers, agent: this.#agent }, (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('error', reject)
        res.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (res.statusCode !== 200) return reject(new Error(`${method} ${path}: ${res.statusCode} ${text}`))
          resolve({
            headers: res.headers as Record<string, string>,
            text,
            json: text === '' ? undefined : JSON.parse(text),
          })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
