/** The real server on its own port and data directory. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, defaultConfig } from '../../../server/platform/config/config.ts'
import { listOutbox, type OutboxMessage } from '../../../server/platform/mail/outbox.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../../server/server.ts'
import type { Files } from '../../../server/store/files/files.ts'
import { createLogger } from '../../../server/util/log.ts'
import { createLogTail } from '../../../server/util/log-tail.ts'
import { writeEmptyStore } from '../store/empty-store.ts'
import { adminPassword, ServerClient } from './client.ts'
import { day, TestClock } from './clock.ts'
import { passwords } from './passwords.ts'

export { type Account, type Answer, type AppSession, adminAuth, adminPassword, refusal } from './client.ts'

/** The settings of a test server, with replacements. */
export function testConfig(overrides: Partial<Config> & Pick<Config, 'dataDir'>): Config {
  return defaultConfig({
    port: 0,
    hosts: ['127.0.0.1'],
    publicUrl: 'https://pds.test',
    inviteRequired: 'off',
    // Tests do not depend on the disk of the machine.
    diskReserve: 1,
    adminPassword,
    rateLimits: false,
    logLevel: 'fatal',
    ...overrides,
  })
}

export class TestServer extends ServerClient {
  readonly clock = new TestClock()
  readonly config: Config
  /** Lines of the log, if the settings ask for more than fatal errors. */
  readonly logged: string[] = []
  readonly #files: Files | undefined
  readonly #options: ServerOptions
  #running: RunningServer | undefined

  protected constructor(config: Config, files?: Files, options: ServerOptions = {}) {
    super()
    this.config = config
    this.#files = files
    this.#options = options
  }

  static async start(
    overrides: Partial<Config> = {},
    files?: Files,
    options: ServerOptions = {},
  ): Promise<TestServer> {
    const dataDir = overrides.dataDir ?? (await mkdtemp(join(tmpdir(), 'pds-test-')))
    if (overrides.dataDir === undefined && files === undefined) await writeEmptyStore(dataDir)
    const server = new TestServer(testConfig({ ...overrides, dataDir }), files, options)
    await server.open()
    return server
  }

  async open(): Promise<void> {
    const { logLevel } = this.config
    const capture = { write: (line: string) => void this.logged.push(line) }
    const logTail = createLogTail(capture)
    const log = createLogger(logLevel, logLevel === 'fatal' ? undefined : logTail)
    const files = this.#files
    const defaults = { now: this.clock.now, log, logTail, passwords, files }
    this.#running = await startServer(this.config, { ...defaults, ...this.#options })
  }

  /** Lets time pass while the server runs. `clock.advance` by more than a week makes the clock implausible. */
  async elapse(ms: number): Promise<void> {
    for (let rest = ms; rest > 0; rest -= 6 * day) {
      this.clock.advance(Math.min(rest, 6 * day))
      await this.running.services.clock.check()
    }
  }

  /** Closes the server and starts it again on the same data. */
  async restart(): Promise<void> {
    await this.running.close()
    await this.open()
  }

  /** Starts another server on a copy of the data, at the same time. */
  async copy(): Promise<TestServer> {
    await this.running.close()
    const dataDir = await mkdtemp(join(tmpdir(), 'pds-test-'))
    await cp(this.config.dataDir, dataDir, { recursive: true })
    await this.open()
    const copy = new TestServer({ ...this.config, dataDir }, this.#files, this.#options)
    copy.clock.advance(this.clock.now().getTime() - copy.clock.now().getTime())
    await copy.open()
    return copy
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

  /** The listener of proxies and tunnels, for `proxyPort: 0`. What connects to it is the proxy, and names its clients. */
  get proxyUrl(): string {
    const { proxyPort } = this.running
    if (proxyPort === undefined) throw new Error('the test server has no port for proxies')
    return `http://127.0.0.1:${proxyPort}`
  }

  /** The messages sent to an address, newest last. */
  async mailsTo(email: string): Promise<OutboxMessage[]> {
    await this.running.services.background.idle()
    const messages = await listOutbox(this.config.dataDir, this.#files)
    return messages.filter((message) => message.to === email).reverse()
  }
}
