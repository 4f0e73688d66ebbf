/**
 * A network for tests: servers, a did:plc directory, an event stream and a mailbox in this process, in memory. The servers are the
 * ordinary ones. Read this first, then `host.ts` (one server) and `door/door.ts` (its address).
 */
import { createPasswordHasher } from '../identity/auth/passwords.ts'
import type { Config } from '../platform/config/config.ts'
import { restrictToLoopback } from '../platform/network/names.ts'
import type { RunningServer } from '../server.ts'
import { createLogger } from '../util/log.ts'
import { createSerializer } from '../util/serialize.ts'
import { replaceSources } from '../util/sources.ts'
import { createStops, type Stops } from '../util/stops.ts'
import { type AccountsState, createAccounts, type NetworkAccounts } from './accounts.ts'
import { createClock, type NetworkClock } from './clock.ts'
import { openControl } from './control/control.ts'
import { answerDev } from './control/dev-answer.ts'
import { createDirectory, type DirectoryState } from './directory/directory.ts'
import type { DiskSnapshot } from './disk/memory-snapshot.ts'
import { type Door, openDoor } from './door/door.ts'
import { createFaults, type Fault, type FaultOptions } from './door/faults.ts'
import { createRequests, type NetworkRequest, type RequestFilter } from './door/requests.ts'
import { adminPassword, Host, plcOriginOf } from './host.ts'
import { createMail, type NetworkMail } from './mail.ts'
import { createOAuth, type NetworkOAuth } from './oauth.ts'
import {
  createSeededSources,
  type SeededSources,
  type SourcesState,
  switchSources,
} from './seed/seeded-sources.ts'
import type { NetworkEvent } from './stream/network-event.ts'
import { createEventStream, type EventStreamState, type EventsOptions } from './stream/stream.ts'
import type { WorldSource } from './world-loader.ts'
import type { LoadedWorld } from './worlds/worlds.ts'

export interface NetworkOptions {
  /** Everything that leaves a trace follows from it: DIDs, keys, revisions, codes. 1 by default. */
  readonly seed?: number
  /** Number of servers, 1 by default. They read each other's event streams. */
  readonly servers?: number
  /** Port of the first server, the next ones follow, then the directory. Free ports by default. */
  readonly port?: number
  /** Time at which the clock begins; 2026-01-01T00:00:00Z by default. */
  readonly now?: Date | string
  /** `logical`, the default: it advances by a millisecond with each call, and by `clock.advance`. `real`: it also runs. */
  readonly clock?: 'logical' | 'real'
  /**
   * Accounts and records to begin with: a world, the path of its file, or `sample` or `friends`. It ends at `now`, and the clock passes
   * through its times while it is loaded.
   */
  readonly world?: WorldSource | undefined
  /** Continues there, in the place of an empty network or a world. It is of a network with the same number of servers. */
  readonly from?: NetworkSnapshot | undefined
  /** Settings of the servers that differ from those of a network for tests. */
  readonly config?: Partial<Config>
}

/** A server of the network. */
export interface NetworkServer {
  /** URL without a trailing slash. */
  readonly url: string
  /** Handles on it end in `.` and this. */
  readonly domain: string
  /** For HTTP Basic, as the user `admin`. */
  readonly adminPassword: string
  /** Whether it was started and not killed since. */
  readonly isRunning: boolean
  /** Whether requests wait. */
  readonly isPaused: boolean
  /** Lets requests wait without an answer. */
  pause(): void
  resume(): void
  /** Ends it as `kill -9` does. Connections are refused until it is started again. */
  kill(): void
  /** Starts it again on its data; closes it first if it runs. */
  restart(): Promise<void>
}

/** What `snapshot` returns; it can be restored any number of times, in the network that made it. */
export interface NetworkSnapshot {
  /** URLs of the servers. */
  readonly urls: readonly string[]
  readonly disks: readonly DiskSnapshot[]
  readonly directory: DirectoryState
  readonly accounts: AccountsState
  readonly stream: EventStreamState
  readonly sources: SourcesState
}

export interface Network {
  /** URL of the first server. */
  readonly url: string
  readonly servers: readonly NetworkServer[]
  readonly plc: { readonly url: string }
  readonly stream: { readonly url: string }
  /** URL of the directory, the stream and `/dev`. */
  readonly devUrl: string
  readonly accounts: NetworkAccounts
  readonly clock: NetworkClock
  readonly mail: NetworkMail
  readonly oauth: NetworkOAuth
  readonly faults: {
    add(fault: FaultOptions): Fault & { remove(): boolean }
    list(): Fault[]
    clear(): void
  }
  /** The newest requests that the servers have received, oldest first. */
  requests(filter?: RequestFilter): NetworkRequest[]
  /** Calls a function with each further request, after its answer. @returns ends it */
  onRequest(observer: (request: NetworkRequest) => void): () => void
  /** The events of all servers, from the first one or after `since`, until the signal aborts. */
  events(options?: EventsOptions): AsyncIterable<NetworkEvent>
  /** Loads a world at the present. Its records have its times, events and the clock do not. @throws WorldError */
  world(source: WorldSource): Promise<LoadedWorld>
  snapshot(): Promise<NetworkSnapshot>
  restore(snapshot: NetworkSnapshot): Promise<void>
  /** Returns to the state after the start. */
  reset(): Promise<void>
  /** Resolves when the work that calls have started has ended. */
  idle(): Promise<void>
  stop(): Promise<void>
}

export const defaultStart = '2026-01-01T00:00:00.000Z'

/**
 * Starts a network. One can run in a process at a time, because its time and its random values are those of the process.
 * @throws the system's error if a port is in use
 */
export async function startNetwork(options: NetworkOptions = {}): Promise<Network> {
  const stops = createStops()
  try {
    return await createNetwork(options, stops)
  } catch (error) {
    await stops.run()
    throw error
  }
}

async function createNetwork(options: NetworkOptions, stops: Stops): Promise<Network> {
  const { seed = 1, servers: count = 1, port = 0, now: at = defaultStart, config, from } = options
  const end = new Date(at)
  const loader = options.world === undefined || from ? undefined : await import('./world-loader.ts')
  const world = await loader?.openWorld(options.world ?? '')
  const hosts: Host[] = []
  const doors: Door[] = []
  const idle = async () => void (await Promise.all(hosts.map((host) => host.idle())))
  const start = (world && loader?.beginOf(world, end)) ?? end
  const begin = (state?: SourcesState) =>
    createSeededSources({ seed, start, runs: options.clock === 'real', settle: idle }, state)
  let sources = begin(from?.sources)
  const switched = switchSources(sources)
  stops.defer(replaceSources(switched))
  stops.defer(restrictToLoopback())
  const now = () => sources.now()
  const faults = createFaults()
  const requests = createRequests()
  const accounts = createAccounts(() => hosts)
  const directory = createDirectory({ now, endpointOf: (named) => addressOf(doors, named) })
  const stream = createEventStream({ now })
  const control = await openControl({ port: port === 0 ? 0 : port + count, directory, stream })
  stops.defer(() => control.close())
  for (let index = 0; index < count; index++) {
    const door = await openDoor({
      ...{ server: index, port: port === 0 ? 0 : port + index, faults, requests, now },
      isAccount: (did, named) => did === named || accounts.didOf(named) === did,
      around: (req, call) => {
        const isWrite = req.method === 'POST'
        if (isWrite) sources.tick()
        sources.within(isWrite ? 'write' : 'read', call)
      },
    })
    doors.push(door)
    stops.defer(() => door.close())
  }
  if (from) {
    directory.restore(from.directory)
    accounts.restore(from.accounts)
    stream.restore(movedStream(from, doors))
  }
  const passwords = { ...createPasswordHasher({ cost: 4 }), close: async () => {} }
  for (const [index, door] of doors.entries()) {
    const options = {
      ...{ index, door, passwords, now, plcUrl: control.url, log: createLogger('fatal') },
      others: doors.filter((other) => other !== door).map(({ url }) => url),
      ...(config && { config }),
      sources: () => sources,
      onStarted: ({ services }: RunningServer) => stream.attach(services),
    }
    const host = new Host(options, from?.disks[index])
    await host.open()
    hosts.push(host)
    stops.defer(() => host.stop())
  }

  async function snapshot(): Promise<NetworkSnapshot> {
    await idle()
    return {
      urls: doors.map(({ url }) => url),
      disks: await Promise.all(hosts.map((host) => host.snapshot())),
      directory: directory.snapshot(),
      accounts: accounts.snapshot(),
      stream: stream.snapshot(),
      sources: sources.snapshot(),
    }
  }
  /** Gives everything but the servers the state of a snapshot. */
  function putBack(from: NetworkSnapshot, next: SeededSources): void {
    sources.close()
    sources = next
    switched.use(next)
    directory.restore(from.directory)
    stream.restore(from.stream)
    accounts.restore(from.accounts)
    faults.clear()
    requests.clear()
    for (const door of doors) door.resume()
  }

  async function restore(from: NetworkSnapshot): Promise<void> {
    if (from.disks.length !== hosts.length) throw new Error('The snapshot has another number of servers.')
    for (const [index, host] of hosts.entries()) host.kill(from.disks[index])
    putBack(from, begin(from.sources))
    for (const host of hosts) await host.open()
  }

  // A world has hundreds of times. Between two of them, each periodic job runs once at most.
  const passUntil = (at: Date) => sources.set(at, 1)
  if (world) await loader?.fillNetwork(world, { hosts, accounts, now, passUntil }, end)
  async function loadNow(source: WorldSource, readsFiles: boolean): Promise<LoadedWorld> {
    const { openWorld, fillNetwork } = await import('./world-loader.ts')
    return fillNetwork(await openWorld(source), { hosts, accounts, now, readsFiles }, now())
  }
  const first = await snapshot()
  const serialize = createSerializer()
  let spare: ReturnType<typeof prepare> | undefined
  stops.defer(async () => void (await (await spare)?.server.running.close()))

  /** Starts a server on the first snapshot, for the next reset. Its clock stands still until then. */
  async function prepare(host: Host, disk: DiskSnapshot) {
    const next = begin(first.sources)
    return { next, server: await host.prepare(disk, next) }
  }

  /** Several servers would find each other before their turn, and a clock that runs would not wait. */
  const [only, another] = hosts
  const canPrepare = only !== undefined && another === undefined && options.clock !== 'real'
  async function reset(): Promise<void> {
    const ready = await spare
    spare = undefined
    if (only && ready) {
      only.kill()
      putBack(first, ready.next)
      only.replace(ready.server)
    } else await restore(first)
    if (canPrepare) spare = prepare(only, first.disks[0] as DiskSnapshot)
  }

  const network: Network = {
    url: (doors[0] as Door).url,
    servers: hosts.map((host, index) => serverOf(host, doors[index] as Door)),
    plc: { url: control.url },
    stream: { url: `${control.url.replace(/^http/, 'ws')}/subscribe` },
    devUrl: control.url,
    accounts,
    clock: createClock({ now, advance: (ms) => sources.advance(ms) }),
    mail: createMail(() => hosts, accounts),
    oauth: createOAuth(accounts, () => doors.map(({ url }) => url)),
    faults,
    requests: requests.list,
    onRequest: requests.observe,
    events: stream.events,
    world: (source) => loadNow(source, true),
    snapshot: () => serialize(snapshot),
    restore: (from) => serialize(() => restore(from)),
    reset: () => serialize(reset),
    idle,
    stop: () => stops.run(),
  }
  control.use(answerDev({ ...network, accounts, faults, world: (sent) => loadNow(sent, false) }))
  return network
}

function serverOf(host: Host, door: Door): NetworkServer {
  return {
    url: door.url,
    domain: host.domain,
    adminPassword,
    get isRunning() {
      return host.isRunning
    },
    get isPaused() {
      return door.isPaused
    },
    pause: () => door.pause(),
    resume: () => door.resume(),
    kill: () => host.kill(),
    restart: () => host.restart(),
  }
}

/** Identities name a fixed address at first, because the ports of a network differ from run to run, and its DIDs must not. */
function addressOf(doors: readonly Door[], endpoint: string): string {
  return doors.find((_, index) => endpoint === plcOriginOf(index))?.url ?? endpoint
}

/** Returns the stream of a snapshot of another network, whose servers may have had other ports. */
function movedStream({ stream, urls }: NetworkSnapshot, doors: readonly Door[]): EventStreamState {
  const moved = [...stream.positions].map(
    ([origin, seq]) => [doors[urls.indexOf(origin)]?.url ?? origin, seq] as const,
  )
  return { ...stream, positions: new Map(moved) }
}
