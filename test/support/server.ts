/** The real server on a port and a data directory of its own, and a small client that shows whole answers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, defaultConfig } from '../../server/config.ts'
import { createLogger } from '../../server/log.ts'
import { listOutbox, type OutboxMessage } from '../../server/mail/outbox.ts'
import { type RunningServer, startServer } from '../../server/server.ts'
import { TestClock } from './clock.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; undefined when the body is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export interface Account {
  readonly did: string
  readonly handle: string
  readonly email: string
  readonly password: string
  readonly accessJwt: string
  readonly refreshJwt: string
}

type Auth = { accessJwt: string } | string | undefined

export const adminPassword = 'the admin password of tests'
export const adminAuth = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`

export class TestServer {
  readonly clock = new TestClock()
  readonly config: Config
  #running: RunningServer | undefined

  private constructor(config: Config) {
    this.config = config
  }

  static async start(overrides: Partial<Config> = {}): Promise<TestServer> {
    const dataDir = await mkdtemp(join(tmpdir(), 'pds-test-'))
    const server = new TestServer(
      defaultConfig({
        dataDir,
        port: 0,
        hosts: ['127.0.0.1'],
        publicUrl: 'https://pds.test',
        adminPassword,
        rateLimits: false,
        logLevel: 'fatal',
        ...overrides,
      }),
    )
    await server.open()
    return server
  }

  async open(): Promise<void> {
    const log = createLogger(this.config.logLevel)
    this.#running = await startServer(this.config, { now: this.clock.now, log, passwordCost: 4 })
  }

  /** Closes the server and starts it again on the same data. */
  async restart(): Promise<void> {
    await this.running.close()
    await this.open()
  }

  async close(): Promise<void> {
    await this.#running?.close()
    this.#running = undefined
    await rm(this.config.dataDir, { recursive: true, force: true })
  }

  get running(): RunningServer {
    if (!this.#running) throw new Error('the test server is closed')
    return this.#running
  }

  get url(): string {
    return this.running.url
  }

  get(nsid: string, params: Record<string, string | string[]> = {}, auth?: Auth): Promise<Answer> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(params)) {
      for (const one of [value].flat()) query.append(name, one)
    }
    const search = query.size > 0 ? `?${query}` : ''
    return this.fetch(`/xrpc/${nsid}${search}`, { headers: authorization(auth) })
  }

  /** @param input sent as JSON; nothing is sent when it is undefined */
  post(nsid: string, input?: unknown, auth?: Auth): Promise<Answer> {
    if (input === undefined)
      return this.fetch(`/xrpc/${nsid}`, { method: 'POST', headers: authorization(auth) })
    const headers = { ...authorization(auth), 'content-type': 'application/json' }
    return this.fetch(`/xrpc/${nsid}`, { method: 'POST', headers, body: JSON.stringify(input) })
  }

  async fetch(path: string, init?: RequestInit): Promise<Answer> {
    const answer = await fetch(this.url + path, init)
    const text = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }

  /** Creates `<name>.test` with the password `<name>-password`. */
  async account(name: string, more: Record<string, unknown> = {}): Promise<Account> {
    const input = {
      handle: `${name}.test`,
      email: `${name}@mail.test`,
      password: `${name}-password`,
      ...more,
    }
    const answer = await this.post('com.core.server.createAccount', input)
    if (answer.status !== 200) throw new Error(`createAccount: ${JSON.stringify(answer.body)}`)
    return { ...input, ...answer.body }
  }

  /** What has been sent to an address, the newest last. */
  async mailsTo(email: string): Promise<OutboxMessage[]> {
    await this.running.services.background.idle()
    const messages = await listOutbox(this.config.dataDir)
    return messages.filter((message) => message.to === email).reverse()
  }

  /** The code of the newest message to an address. */
  async codeTo(email: string): Promise<string> {
    const code = (await this.mailsTo(email)).at(-1)?.code
    if (code === undefined) throw new Error(`no code was mailed to ${email}`)
    return code
  }
}

function authorization(auth: Auth): Record<string, string> {
  if (auth === undefined) return {}
  const value = typeof auth === 'string' ? auth : auth.accessJwt
  return { authorization: value.includes(' ') ? value : `Bearer ${value}` }
}
