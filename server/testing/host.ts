/** A server of a network for tests: the ordinary server behind a door, on a disk in memory. */

import { defaultConfig } from '../platform/config/config.ts'
import { type RunningServer, type ServerOptions, startServer } from '../server.ts'
import type { Files } from '../store/files/files.ts'
import { createMemoryFiles, type MemoryFiles } from './disk/memory-files.ts'
import type { DiskSnapshot } from './disk/memory-snapshot.ts'
import type { Door, Place } from './door/door.ts'
import { ServerNotRunning } from './errors.ts'
import type { NetworkConfig } from './network-config.ts'
import type { SeededSources } from './seed/seeded-sources.ts'

/** A start replays the journal: a short one makes a restore three times as fast, and a checkpoint costs little in memory. */
const checkpointBytes = 128 * 1024

/** What the servers of a network share. */
export interface HostOptions extends Required<Pick<ServerOptions, 'passwords' | 'log'>> {
  readonly now: () => Date
  /** Position in the network. */
  readonly index: number
  readonly door: Door
  readonly plcUrl: string
  /** The other servers, whose event streams it reads. */
  readonly others: readonly string[]
  readonly config?: NetworkConfig
  /** The present sources of the network. */
  readonly sources: () => SeededSources
  /** Called with each server that has started. @returns called when it ends */
  readonly onStarted: (running: RunningServer) => () => void
}

/** A server that has started and gets no requests yet. */
export interface Prepared {
  readonly running: RunningServer
  readonly disk: Disk
  readonly place: Place
}

export class Host {
  readonly #options: HostOptions
  #disk: Disk
  #running: RunningServer | undefined
  #onEnd = () => {}

  /** @param from the disk to continue; an empty one by default */
  constructor(options: HostOptions, from?: DiskSnapshot) {
    this.#options = options
    this.#disk = new Disk(options.now, from)
  }

  /** @throws ServerNotRunning */
  get running(): RunningServer {
    if (!this.#running) throw new ServerNotRunning(this.#options.index)
    return this.#running
  }

  /** Whether it was started and not killed since. */
  get isRunning(): boolean {
    return this.#running !== undefined
  }

  get url(): string {
    return this.#options.door.url
  }

  /** Password of the administrator. */
  get adminPassword(): string {
    return this.#options.config?.adminPassword ?? 'admin'
  }

  /** Domain under which its accounts have their handles. */
  get domain(): string {
    return domainOf(this.#options.index)
  }

  /**
   * Ends the process as `kill -9` does: connections are cut, what is on disk stays, nothing more is written.
   * @param from the disk of the next start; the present one by default
   */
  kill(from = this.#disk.snapshot()): void {
    const running = this.#leave()
    this.#disk.hasFailed = true
    this.#disk = new Disk(this.#options.now, from)
    this.#options.door.cut()
    // Its memory is freed when its parts have noticed.
    running?.close().catch(() => {})
  }

  /** Lets requests wait. @throws ServerNotRunning */
  pause(): void {
    if (!this.#running) throw new ServerNotRunning(this.#options.index)
    this.#options.door.pause()
  }

  /** Starts it again on its disk; resumes and closes it first if it runs. */
  async restart(): Promise<void> {
    const disk = this.#disk
    this.#options.door.resume()
    await this.stop()
    // Killed while it stopped.
    if (this.#disk === disk) await this.open()
  }

  async snapshot(): Promise<DiskSnapshot> {
    await this.idle()
    return this.#disk.snapshot()
  }

  /** Resolves when the work that calls have started has ended. */
  async idle(): Promise<void> {
    await this.#running?.services.background.idle()
  }

  async stop(): Promise<void> {
    await this.#leave()?.close()
  }

  /** Starts it on its disk. */
  async open(): Promise<void> {
    const disk = this.#disk
    const place = this.#options.door.createPlace()
    place.attach()
    const started = await this.#start(disk, place, this.#options.sources())
    // Killed while it started.
    if (this.#disk !== disk) return void started.running.close().catch(() => {})
    this.adopt(started)
  }

  /** Starts a server on the disk of a snapshot, beside the one that runs. It does nothing by itself until its clock begins. */
  prepare(from: DiskSnapshot, sources: SeededSources): Promise<Prepared> {
    return this.#start(new Disk(sources.now, from), this.#options.door.createPlace(), sources)
  }

  /** Lets a server that has started get the requests. Call it after `kill` or `stop`. */
  adopt({ running, disk, place }: Prepared): void {
    place.attach()
    this.#disk = disk
    this.#running = running
    this.#onEnd = this.#options.onStarted(running)
  }

  async #start(disk: Disk, place: Place, sources: SeededSources): Promise<Prepared> {
    const { door, index, plcUrl, others, config, passwords, log } = this.#options
    const settings = defaultConfig({
      dataDir: dataDirOf(index),
      port: door.port,
      publicUrl: door.url,
      userDomains: [`.${this.domain}`],
      inviteRequired: 'off',
      adminPassword: this.adminPassword,
      plcUrl,
      upstreams: [...others],
      rateLimits: false,
      allowPrivateTargets: true,
      dailyBackups: false,
      diskReserve: 1,
      logLevel: 'fatal',
      ...config,
    })
    const { files } = disk
    const { listen } = place
    const options = {
      passwords,
      log,
      checkpointBytes,
      files,
      listen,
      now: sources.now,
      plcOrigin: plcOriginOf(index),
      observe: door.note,
    }
    const running = await sources.within('start', () =>
      startServer(settings, { ...options, isForTests: true, inspector: 'on' }),
    )
    return { running, disk, place }
  }

  #leave(): RunningServer | undefined {
    const running = this.#running
    this.#running = undefined
    this.#onEnd()
    this.#onEnd = () => {}
    return running
  }
}

/** A disk that a process can lose. */
export class Disk {
  /** Whether all operations fail, because the process has ended. */
  hasFailed = false
  readonly files: Files
  readonly #memory: MemoryFiles

  constructor(now: () => Date, from?: DiskSnapshot) {
    this.#memory = createMemoryFiles({ now, from })
    const guarded = Object.entries(this.#memory).map(([name, work]) => [
      name,
      (...args: unknown[]) => {
        if (this.hasFailed) throw new Error('The process of this server has ended.')
        return (work as (...args: unknown[]) => unknown)(...args)
      },
    ])
    this.files = { ...(Object.fromEntries(guarded) as unknown as Files), isForTests: true }
  }

  snapshot(): DiskSnapshot {
    return this.#memory.snapshot()
  }
}

/** The data folder of a server on its disk in memory. */
export function dataDirOf(index: number): string {
  return `/network-for-tests/${index + 1}`
}

/** Handles on the first server end in `.test`, on the others in `.two.test`, `.three.test`… */
export function domainOf(index: number): string {
  const names = ['', 'two.', 'three.', 'four.', 'five.', 'six.', 'seven.', 'eight.', 'nine.']
  return `${names[index] ?? `n${index + 1}.`}test`
}

/** The address in did:plc operations, which is the same in each run. The directory shows the real one. */
export function plcOriginOf(index: number): string {
  return `http://pds${index + 1}.test`
}
