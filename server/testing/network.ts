/**
 * A network for tests: servers, a did:plc directory, an event stream and a mailbox in this process, in memory. The servers are the
 * ordinary ones. Read this first, then `host.ts` (one server) and `door/door.ts` (its address).
 */
import { createPasswordHasher } from '../identity/auth/passwords.ts'
import type { Config } from '../platform/config/config.ts'
import { restrictToLoopback } from '../platform/network/names.ts'
import { createLogger } from '../util/log.ts'
import { createSerializer } from '../util/serialize.ts'
import { replaceSources } from '../util/sources.ts'
import { createStops, type Stops } from '../util/stops.ts'
import { type AccountsState, createAccounts, type NetworkAccounts } from './accounts.ts'
import { createClock, type NetworkClock } from './clock.ts'
import { openControl } from './control/control.ts'
import { createDirectory, type DirectoryState } from './directory/directory.ts'
import type { DiskSnapshot } from './disk/memory-snapshot.ts'
import { type Door, openDoor } from './door/door.ts'
import { createFaults, type Fault, type FaultOptions } from './door/faults.ts'
import { createRequests, type NetworkRequest, type RequestFilter } from './door/requests.ts'
import { Host, plcOriginOf } from './host.ts'
import { createMail, type NetworkMail } from './mail.ts'
import {
  createSeededSources,
  type SeededSources,
  type SourcesState,
  switchSources,
} from './seed/seeded-sources.ts'
import type { NetworkEvent } from './stream/network-event.ts'
import { createEventStream, type EventStreamState } from './stream/stream.ts'

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
  /** Settings of the servers that differ from those of a network for tests. */
  readonly config?: Partial<Config>
}

/** A server of the network. */
export interface NetworkServer {
  /** URL without a trailing slash. */
  readonly url: string
  /** Handles on it end in `.` and this. */
  readonly domain: string
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
  readonly faults: {
    add(fault: FaultOptions): Fault & { remove(): boolean }
    list(): Fault[]
    clear(): void
  }
  /** The newest requests that the servers have received, oldest first. */
  requests(filter?: RequestFilter): NetworkRequest[]
  /** The events of all servers, from the first one or after `since`, until the signal aborts. */
  events(options?: { readonly since?: number; readonly signal?: AbortSignal }): AsyncIterable<NetworkEvent>
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
  const { seed = 1, servers: count = 1, port = 0, now: at = defaultStart, config } = options
  const hosts: Host[] = []
  const doors: Door[] = []
  const idle = async () => void (await Promise.all(hosts.map((host) => host.idle())))
  const begin = (from?: SourcesState) =>
    createSeededSources({ seed, start: new Date(at), runs: options.clock === 'real', settle: idle }, from)
  let sources = begin()
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
  const passwords = { ...createPasswordHasher({ cost: 4 }), close: async () => {} }
  for (const [index, door] of doors.entries()) {
    const host = new Host({
      ...{ index, door, passwords, now, plcUrl: control.url, log: createLogger('fatal') },
      others: doors.filter((other) => other !== door).map(({ url }) => url),
      ...(config && { config }),
      sources: () => sources,
      onStarted: ({ services }) => stream.attach(services),
    })
    await host.open()
    hosts.push(host)
    stops.defer(() => host.stop())
  }

  async function snapshot(): Promise<NetworkSnapshot> {
    await idle()
    return {
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

  return {
    url: (doors[0] as Door).url,
    servers: hosts.map((host, index) => serverOf(host, doors[index] as Door)),
    plc: { url: control.url },
    stream: { url: `${control.url.replace(/^http/, 'ws')}/subscribe` },
    devUrl: control.url,
    accounts,
    clock: createClock({ now, advance: (ms) => sources.advance(ms) }),
    mail: createMail(() => hosts, accounts),
    faults,
    requests: requests.list,
    events: stream.events,
    snapshot: () => serialize(snapshot),
    restore: (from) => serialize(() => restore(from)),
    reset: () => serialize(reset),
    idle,
    stop: () => stops.run(),
  }
}

function serverOf(host: Host, door: Door): NetworkServer {
  return {
    url: door.url,
    domain: host.domain,
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
