/** The real server as a process of its own, which can be killed. Its addresses stay when it starts again. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../../server/platform/config/config.ts'
import { ServerProcess } from '../../crash/process.ts'
import { TcpProxy } from '../network/tcp-proxy.ts'
import { type Answer, adminAuth, TestServer, testConfig } from './server.ts'

const script = join(import.meta.dirname, 'peer-process.ts')

/** Every desktop server has this address: it is not where others reach it. */
const publicUrl = 'http://localhost:2583'

export class PeerServer extends TestServer {
  readonly #settings: Partial<Config>
  /** Addresses under which other servers reach it. */
  readonly addresses: readonly [TcpProxy, TcpProxy]
  #process: ServerProcess | undefined
  /** Resolves when the server runs. */
  #running = Promise.withResolvers<void>()

  private constructor(settings: Partial<Config>, dataDir: string, addresses: readonly [TcpProxy, TcpProxy]) {
    super(testConfig({ ...settings, dataDir }))
    this.#settings = settings
    this.addresses = addresses
  }

  static override async start(settings: Partial<Config> = {}): Promise<PeerServer> {
    const dataDir = await mkdtemp(join(tmpdir(), 'pds-peer-'))
    const addresses = await Promise.all([TcpProxy.start(), TcpProxy.start()])
    const server = new PeerServer({ publicUrl, logLevel: 'error', ...settings }, dataDir, addresses)
    await server.open()
    return server
  }

  override async open(): Promise<void> {
    this.#process = new ServerProcess(this.config.dataDir, script, JSON.stringify(this.#settings))
    const url = new URL(await this.#process.serving())
    for (const address of this.addresses) address.target = Number(url.port)
    this.#running.resolve()
  }

  /** Ends the process at once. */
  async kill(): Promise<void> {
    this.#running = Promise.withResolvers()
    for (const address of this.addresses) {
      address.target = undefined
      address.cut()
    }
    await this.#process?.kill()
    this.#process = undefined
  }

  /** Kills the process and starts it again on its data. */
  override async restart(): Promise<void> {
    await this.kill()
    await this.open()
  }

  override async close(): Promise<void> {
    await this.kill()
    await Promise.all(this.addresses.map((address) => address.close()))
    await rm(this.config.dataDir, { recursive: true, force: true })
  }

  override get url(): string {
    return this.addresses[0].url
  }

  /** Reads the event stream of another server. */
  async follow(url: string): Promise<void> {
    const { status, body } = await this.post('com.core.admin.addUpstream', { url }, adminAuth)
    if (status !== 200) throw new Error(JSON.stringify(body))
  }

  /** Repeats a call until there is a response: the server may be killed meanwhile. */
  async insist(call: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await call().catch((error: unknown) => {
        if (!(error instanceof TypeError)) throw error
      })
      if (answer) return answer
      await this.#running.promise
    }
  }

  /** The standard error of the process. */
  get errors(): string {
    return this.#process?.stderr ?? ''
  }
}
