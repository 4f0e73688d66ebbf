/**
 * The servers whose event streams are read: from the settings, and added by the owner. Read this first. Each is read
 * on its own (`upstream.ts`). The first one loads the code.
 *
 * On the way of an event: one connection and its transactions (`stream.ts`), events that concern this server (`remote/filter/filter.ts`),
 * their verification (`examine.ts`) and order (`event-buffer.ts`), events that must wait (`retry-queue.ts`).
 */
import type { Config } from '../../platform/config/config.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import * as table from '../tables/upstreams.ts'
import { findServer } from './find-server.ts'
import type { readUpstream, UpstreamDeps, UpstreamReader, UpstreamState } from './upstream.ts'

export interface Upstream extends UpstreamState {
  /** Origin. */
  readonly url: string
  /** Whether a setting names it. */
  readonly isConfigured: boolean
  readonly addedAt: Date
  readonly lastEventAt: Date | undefined
}

export interface Upstreams {
  list(): Upstream[]
  /** @throws XrpcError `InvalidUpstream`, `UpstreamUnreachable`, `NotAServer`, `OwnServer`, `AlreadyAdded` */
  add(address: string): Promise<Upstream>
  /** Keeps the stored records. @throws XrpcError `UpstreamNotFound`, `SetByConfiguration` */
  remove(url: string): Promise<void>
  /** Connects at once. @throws XrpcError `UpstreamNotFound` */
  retry(url: string): Upstream
  /** Connects to upstreams whose pause is over, also if the computer slept meanwhile, and tries events that are due. */
  resumeDue(): void
  /** Connects at once after a sleep of the computer, except where a server was cut off. Back-off begins anew. */
  wake(): void
  /** Begins to read. */
  start(): Promise<void>
  /** Resolves when nothing is being stored any more. */
  close(): Promise<void>
}

type Deps = UpstreamDeps & {
  readonly config: Pick<Config, 'upstreams'>
  readonly serverDid: string
  /** Identifies the running server; in its health response. */
  readonly instance: string
}

export function createUpstreams(deps: Deps): Upstreams {
  const { config, store, log, now } = deps
  const readers = new Map<string, UpstreamReader>()

  function startReading(read: typeof readUpstream, row: table.Upstream): UpstreamReader {
    const reader = read(deps, row)
    readers.set(row.url, reader)
    return reader
  }

  async function configure(): Promise<void> {
    const configured = table.all(store).filter(({ isConfigured }) => isConfigured)
    if (configured.length === 0 && config.upstreams.length === 0) return
    await store.transact((tx) => table.configure(tx, config.upstreams, now().getTime()))
  }

  /** @throws XrpcError `UpstreamNotFound` */
  function existing(url: string): { readonly row: table.Upstream; readonly reader: UpstreamReader } {
    const row = table.findByUrl(store, url)
    const reader = readers.get(url)
    if (!row || !reader) throw new XrpcError('UpstreamNotFound', 'This server does not follow that server.')
    return { row, reader }
  }

  return {
    list: () =>
      table.all(store).flatMap((row) => {
        const reader = readers.get(row.url)
        return reader ? [upstreamOf(row, reader)] : []
      }),
    async add(address) {
      const url = await findServer(deps, address)
      const { readUpstream } = await import('./upstream.ts')
      await store.transact((tx) => {
        if (table.findByUrl(tx, url))
          throw new XrpcError('AlreadyAdded', 'This server follows that server already.')
        table.add(tx, { url, isConfigured: false }, now().getTime())
      })
      const row = table.findByUrl(store, url)
      if (!row) throw new XrpcError('UpstreamNotFound', 'The server was removed in the meantime.')
      return upstreamOf(row, startReading(readUpstream, row))
    },
    async remove(url) {
      const { row, reader } = existing(url)
      if (row.isConfigured) {
        throw new XrpcError('SetByConfiguration', 'A setting names this server. Remove it there.')
      }
      readers.delete(url)
      await reader.close()
      await store.transact((tx) => table.remove(tx, url))
    },
    retry(url) {
      const { row, reader } = existing(url)
      reader.retry()
      return upstreamOf(row, reader)
    },
    resumeDue() {
      for (const reader of readers.values()) reader.resumeDue()
    },
    wake() {
      for (const reader of readers.values()) reader.wake()
    },
    async start() {
      await configure().catch((error: unknown) => {
        log.error({ err: error }, 'upstreams of the settings could not be stored')
      })
      const rows = table.all(store)
      if (rows.length === 0) return
      const { readUpstream } = await import('./upstream.ts')
      for (const row of rows) startReading(readUpstream, row)
    },
    async close() {
      await Promise.all([...readers.values()].map((reader) => reader.close()))
    },
  }
}

function upstreamOf(row: table.Upstream, reader: UpstreamReader): Upstream {
  return {
    url: row.url,
    isConfigured: row.isConfigured === 1,
    addedAt: new Date(row.addedAt),
    lastEventAt: row.lastEventAt === null ? undefined : new Date(row.lastEventAt),
    ...reader.state(),
  }
}
