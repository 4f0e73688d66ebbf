/** What a network for tests offers to tests. */
import type { AccountChanges } from './account-changes.ts'
import type { AccountsState, NetworkAccounts } from './accounts.ts'
import type { NetworkClock } from './clock.ts'
import type { DirectoryState } from './directory/directory.ts'
import type { DiskSnapshot } from './disk/memory-snapshot.ts'
import type { Fault, FaultOptions } from './door/faults.ts'
import type { NetworkRequest, RequestFilter } from './door/requests.ts'
import type { NetworkMail } from './mail.ts'
import type { NetworkConfig } from './network-config.ts'
import type { NetworkOAuth } from './oauth.ts'
import type { SourcesState } from './seed/seeded-sources.ts'
import type { NetworkEvent } from './stream/network-event.ts'
import type { EventStreamState, EventsOptions } from './stream/stream.ts'
import type { WorldSource } from './world-loader.ts'
import type { LoadedWorld } from './worlds/worlds.ts'

export interface NetworkOptions {
  /**
   * Everything that leaves a trace follows from it: DIDs, keys, revisions, codes. 1 by default. The same calls, one after the other,
   * leave the same bytes. Calls at the same time are made in the order of their arrival, which can differ: it decides on their times, and
   * so on revisions and record keys, and on the random values of writes.
   */
  readonly seed?: number
  /** Number of servers, 1 by default. Each has 4 GiB, and refuses writes beyond them as with a full disk. They read each other's event streams. */
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
  readonly config?: NetworkConfig
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
  /** Lets requests wait without an answer, but for those of the network itself. @throws ServerNotRunning */
  pause(): void
  resume(): void
  /** Ends it as `kill -9` does. Connections are refused until it is started again. */
  kill(): void
  /** Starts it again on its data; resumes and closes it first if it runs. */
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
  readonly accounts: NetworkAccounts & AccountChanges
  readonly clock: NetworkClock
  readonly mail: NetworkMail
  readonly oauth: NetworkOAuth
  readonly faults: {
    add(fault: FaultOptions): Fault & { remove(): boolean }
    list(): Fault[]
    clear(): void
  }
  /**
   * The newest requests that the servers have received, but for those of the network itself, oldest first.
   * @throws NotInNetwork for a handle that no account has
   */
  requests(filter?: RequestFilter): NetworkRequest[]
  /** Calls a function with each further request, after its answer. @returns ends it */
  onRequest(observer: (request: NetworkRequest) => void): () => void
  /** The events of all servers, from the first one or after `since`, until the signal aborts. */
  events(options?: EventsOptions): AsyncIterable<NetworkEvent>
  /** Loads a world at the present. Its records have its times, events and the clock do not. @throws WorldError */
  world(source: WorldSource): Promise<LoadedWorld>
  snapshot(): Promise<NetworkSnapshot>
  /**
   * Returns to a snapshot: the servers start on what was on their disks. The same calls after each restore leave the same bytes; they
   * may differ from those of the calls that followed the snapshot itself. Calls of the network that have not ended reject with
   * NetworkRestored, and change nothing of the state after it. Requests of apps are cut; one that arrives later belongs to that state.
   * @throws NotInNetwork for a snapshot of another network, which \`NetworkOptions.from\` takes
   */
  restore(snapshot: NetworkSnapshot): Promise<void>
  /**
   * Returns to the state after the start, as `restore` does. Takes some milliseconds if the servers for it are ready: they start during the calls after the
   * reset before, each in about as long as by `restore`.
   */
  reset(): Promise<void>
  /** Resolves when the work that calls have started has ended. */
  idle(): Promise<void>
  stop(): Promise<void>
}
