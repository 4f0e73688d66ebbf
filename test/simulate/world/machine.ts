/** A computer with a server: its disk stays, its processes come and go. */
import { createPasswordHasher } from '../../../server/identity/auth/passwords.ts'
import { type Config, defaultConfig } from '../../../server/platform/config/config.ts'
import { createHttpServer } from '../../../server/platform/xrpc/listen.ts'
import { type RunningServer, startServer } from '../../../server/server.ts'
import { createLogger } from '../../../server/util/log.ts'
import { type Fault, FaultyDisk } from '../../support/store/faulty-disk.ts'
import type { Snapshot } from '../model/snapshot.ts'
import type { Received } from './mail-server.ts'
import { identity, otherIdentity, PlaceHost } from './place-host.ts'
import { filesOf } from './process-files.ts'
import { type ServiceName, settingsOf } from './services.ts'
import { currentProcess, type Process, type Wire } from './wire.ts'

export interface MachineOptions {
  readonly name: string
  readonly wire: Wire
  readonly now: () => Date
  readonly disk: FaultyDisk
  /** Hosts of the servers whose event streams it reads. */
  readonly upstreams: readonly string[]
  /** What the mail server has. */
  readonly mail: () => readonly Received[]
}

export const adminPassword = 'admin'
export const dataDir = '/data'
export const outbox = `${dataDir}/outbox`
/** Small, so that checkpoints are frequent. */
const checkpointBytes = 48 * 1024
const passwords = { ...createPasswordHasher({ cost: 4, isInline: true }), close: async () => {} }
const kinds = ['webdav', 's3'] as const
const log = createLogger(process.env.SIMULATE_LOG === undefined ? 'fatal' : 'warn')

export class Machine {
  readonly name: string
  readonly host: string
  disk: FaultyDisk
  /** Where it may have continuous copies. */
  readonly places: readonly PlaceHost[]
  /** The model at the time of each backup, by its name. */
  readonly backups = new Map<string, Snapshot>()
  hasDailyBackups = false
  /** The services that its settings name. */
  readonly services = new Set<ServiceName>()
  /** How many faults of its disk there were. */
  faults = 0
  /** How many processes it has started. */
  starts = 0
  /** By how much its clock is ahead, in milliseconds. */
  skewMs = 0
  /** Whether its clock was set since the last check. */
  wasSet = false
  /** By how much it was ahead since the last check without that being implausible: what is due then may happen. */
  furthestMs = 0
  /** How often a move has changed accounts here. */
  moves = 0
  /** When each file of media was last uploaded, or found without a reference, in milliseconds; `Infinity` while a record refers to it. */
  readonly filesUsedAt = new Map<string, number>()
  readonly #options: MachineOptions
  #credentials: string | undefined
  #process: Process | undefined
  #running: RunningServer | undefined

  constructor(options: MachineOptions) {
    this.name = options.name
    this.host = hostOf(options.name)
    this.disk = options.disk
    this.#options = options
    this.places = kinds.map((kind) => new PlaceHost(options.name, kind, options.wire))
  }

  get url(): string {
    return `http://${this.host}`
  }

  /** Handles of its accounts end in this. */
  get domain(): string {
    return `${this.name}.test`
  }

  /** The time of its clock. */
  readonly now = (): Date => new Date(this.#options.now().getTime() + this.skewMs)

  /** Keeps the key of the copies, and the passwords of the places. */
  readonly keeper = {
    read: async () => this.#credentials ?? this.#credentialsWith(identity),
    write: async (text: string) => {
      this.#credentials = text
    },
  }

  #credentialsWith(key: string): string {
    const places = Object.fromEntries(this.places.map(({ url, credentials }) => [url, credentials]))
    return JSON.stringify({ key, places })
  }

  /** A new computer, on which the program has made another key. */
  replace(): void {
    this.disk = new FaultyDisk()
    this.backups.clear()
    this.#credentials = this.#credentialsWith(otherIdentity)
  }

  get isRunning(): boolean {
    return this.#running !== undefined && !this.disk.off
  }

  get running(): RunningServer {
    if (!this.#running) throw new Error(`${this.name} does not run`)
    return this.#running
  }

  /** Whether the server will read a repository of another one within some time. */
  isReadingLater(ms: number): boolean {
    const { store } = this.running.services
    return (
      store.get('SELECT 1 FROM repository_queue WHERE due_at <= ?', [this.now().getTime() + ms]) !== undefined
    )
  }

  /** Whether events of another server wait until their authors can be looked up. */
  get hasWaitingEvents(): boolean {
    return this.running.services.store.get('SELECT 1 FROM upstream_queue') !== undefined
  }

  /** @throws the error of the start, after which no process runs */
  async start(): Promise<void> {
    this.#end()
    this.disk.restart()
    const process: Process = { node: this.name, isDead: false }
    this.#process = process
    this.starts++
    try {
      const running = await this.#serve(process)
      if (process.isDead) abandon(running)
      else this.#running = running
    } catch (error) {
      this.#end()
      throw error
    }
  }

  /** Starts a second process on the same disk. @throws the error of its start */
  async startSecond(): Promise<void> {
    abandon(await this.#serve({ node: this.name, isDead: false }))
  }

  /** Starts a process. */
  #serve(process: Process): Promise<RunningServer> {
    const { wire } = this.#options
    return currentProcess.run(process, () =>
      startServer(this.#settings(), {
        ...{ passwords, log, checkpointBytes, now: this.now, inlineJobs: true },
        files: filesOf(process, this.disk.files),
        copiesKeeper: this.keeper,
        listen: async (app) => {
          const http = createHttpServer((req, res) => currentProcess.run(process, () => app(req, res)))
          wire.listen(this.host, process, (socket) => void http.server.emit('connection', socket))
          return { port: 80, close: async () => wire.close(process) }
        },
      }),
    )
  }

  #settings(): Config {
    return defaultConfig({
      dataDir,
      port: 80,
      publicUrl: this.url,
      userDomains: [`.${this.domain}`],
      inviteRequired: 'off',
      adminPassword,
      plcUrl: 'http://plc.localhost',
      upstreams: this.#options.upstreams.map((host) => `http://${host}`),
      rateLimits: false,
      allowPrivateTargets: true,
      dailyBackups: this.hasDailyBackups,
      diskReserve: 1,
      logLevel: 'fatal',
      ...settingsOf(this.services),
      copies: this.places.filter(({ isUsed }) => isUsed).map(({ url }) => url),
      // Otherwise the system is asked.
      copiesMetered: true,
    })
  }

  /** Ends the process as `kill -9` does: the system keeps written bytes. */
  kill(): void {
    this.disk.kill()
    this.#end()
  }

  /** Ends the process; bytes that were not synced are lost. */
  cutPower(): void {
    this.disk.cutPower()
    this.#end()
  }

  /** After a fault of the disk that has ended the process. */
  noticeDeath(): void {
    if (this.disk.off) this.#end()
  }

  /** Stops the server in order. */
  async stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    try {
      await running?.close()
    } catch (error) {
      // A fault of the disk may have ended the process meanwhile.
      if (!this.disk.hasFault) throw error
    } finally {
      this.#end()
    }
  }

  /** Lets a fault happen at one of the next operations of the disk. */
  failSoon(after: number, fault: Fault): void {
    this.faults++
    this.disk.failAt(this.disk.operations + 1 + after, fault)
  }

  /** Returns the newest code for a purpose that was mailed to an address, in the outbox or by the mail server. */
  codeTo(email: string, purpose: string): string | undefined {
    const kept = this.#kept().findLast((mail) => mail.to.includes(email) && mail.purpose === purpose)
    const sent = this.#options.mail().findLast((mail) => mail.to === email && mail.purpose === purpose)
    const isLater = sent && (!kept || sent.at + this.skewMs >= kept.at)
    return isLater ? sent.code : kept?.code
  }

  /** How often a code is in the outbox, and how often the mail server has said that it has it. */
  copiesOf(code: string): { readonly kept: number; readonly sent: number } {
    const isIt = (mail: { readonly code: string | undefined }) => mail.code === code
    return {
      kept: this.#kept().filter(isIt).length,
      sent: this.#options.mail().filter((mail) => isIt(mail) && mail.isAcknowledged).length,
    }
  }

  /** The messages in the outbox. */
  #kept() {
    return this.disk
      .names(outbox)
      .filter((name) => name.endsWith('.eml'))
      .map((name) => {
        const message = this.disk.content(`${outbox}/${name}`).toString()
        const header = (name: string) => new RegExp(`^${name}: (.+?)\\r?$`, 'im').exec(message)?.[1]
        const at = Date.parse(name.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z.*/, '$1-$2-$3T$4:$5:$6.$7Z'))
        return { at, to: header('To') ?? '', purpose: header('X-PDS-Purpose'), code: header('X-PDS-Code') }
      })
  }

  #end(): void {
    if (this.#process) this.#options.wire.end(this.#process)
    this.#process = undefined
    abandon(this.#running)
    this.#running = undefined
  }
}

/** Frees the memory of a server whose process has ended: nothing of it reaches the disk or the network. */
function abandon(running: RunningServer | undefined): void {
  running?.close().catch(() => {})
}

export function hostOf(name: string): string {
  return `${name}.localhost`
}
