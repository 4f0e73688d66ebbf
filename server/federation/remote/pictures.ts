/**
 * Pictures of people on other servers, which views show: fetched from their servers when a client asks for them, and cached as files.
 * The content of a CID never changes, so cached pictures stay valid.
 */
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { OutboundFailed } from '../../platform/network/client.ts'
import type { Platform } from '../../platform/platform.ts'
import { detectMediaType, signatureBytes } from '../../repository/blobs/media-type.ts'
import { type Received, receive } from '../../repository/blobs/receive.ts'
import type { Blob } from '../../repository/tables/blobs.ts'
import { exists } from '../../store/files/blob-files.ts'
import type { Files } from '../../store/files/files.ts'
import { cacheName, isBlobName } from '../../store/files/layout.ts'
import { upToEntries } from '../../util/entry-limit.ts'
import { createLimit } from '../../util/limit.ts'
import type { Requester } from '../../util/requester.ts'
import { createSharedLookup, TooManyLookups } from '../../util/shared-lookup.ts'
import { isWaiting } from '../../util/wait.ts'
import { namesBlob } from '../tables/remote-records.ts'
import type { Hosts } from './hosts.ts'
import type { Identify } from './repository-origin.ts'

export interface Pictures {
  /**
   * Returns a picture that a stored record of someone on another server names. Concurrent calls for one picture share a request.
   * Resolves with undefined if it is missing, or fetching fails.
   */
  find(did: string, cid: string, requester: Requester): Promise<Blob | undefined>
  /** Reads a part of a picture. */
  read(cid: string, start: number, end: number): AsyncIterable<Uint8Array>
}

interface Deps extends Pick<Platform, 'store' | 'log' | 'now' | 'signal'> {
  readonly files: Files
  readonly dataDir: string
  readonly actors: { readonly identify: Identify }
  readonly hosts: Hosts
  /** Whether requests to other servers are allowed. */
  readonly isOn: () => boolean
  /** Called when a request is refused because its requester has too many under way. */
  readonly onRefused?: (() => void) | undefined
}

/** Other files are not for pages, or can contain scripts. */
const types: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/avif',
])

/** Bytes of a picture. */
const maxBytes = 5_000_000
/** Bytes of all pictures in the cache; the least recently used ones go first. */
const maxCacheBytes = 200_000_000
/** Milliseconds in which a server must have sent a picture. */
const timeoutMs = 20_000
/** Milliseconds after which a picture is requested again that could not be fetched. */
const failureMs = 10 * 60_000
/** Milliseconds for which requests to a silent server are paused. */
const silenceMs = 60_000
/** Requests that run at once, and requests that run or wait: a page of a feed can show a hundred pictures. */
const maxRunning = 4
const places = { perRequester: 100, perKind: 200 }

export function createPictures(deps: Deps): Pictures {
  const { store, files, dataDir, actors, hosts, isOn, log, now } = deps
  const folder = join(dataDir, cacheName)
  const pathOf = (cid: string) => join(folder, cid)
  const limit = createLimit({ total: maxRunning, perKey: 2 })
  const fetches = createSharedLookup<Blob | undefined>({
    now,
    missingMs: failureMs,
    entries: 5_000,
    places,
    onRefused: deps.onRefused,
  })
  /** When servers did not respond. */
  const silences = new LRUCache<string, number>(upToEntries(5_000))
  const cache = new LRUCache<string, Blob>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ size }) => size,
    dispose: (_, cid, reason) => void (reason === 'evict' && files.remove(pathOf(cid)).catch(() => {})),
  })
  let loaded: Promise<void> | undefined

  /** Finds the files of earlier processes, the least recently used first. */
  async function load(): Promise<void> {
    const found: { readonly cid: string; readonly size: number; readonly at: Date }[] = []
    for (const name of await files.list(folder)) {
      const path = pathOf(name)
      if (isBlobName(name))
        found.push({ cid: name, size: await files.size(path), at: await files.changedAt(path) })
      else await files.remove(path)
    }
    for (const { cid, size } of found.sort((a, b) => a.at.getTime() - b.at.getTime())) {
      const mimeType = await typeOf(cid)
      if (mimeType !== undefined && size > 0) cache.set(cid, { cid, mimeType, size })
      else await files.remove(pathOf(cid))
    }
  }

  async function typeOf(cid: string): Promise<string | undefined> {
    for await (const head of files.chunks(pathOf(cid), 0, signatureBytes))
      return detectMediaType(Buffer.from(head))
    return undefined
  }

  const isSilent = (host: string) =>
    isWaiting((silences.get(host) ?? 0) + silenceMs, now().getTime(), silenceMs)

  async function download(did: string, cid: string): Promise<Blob> {
    const { host } = await actors.identify(did)
    return limit(host, async () => {
      if (isSilent(host)) throw new Error(`${host} has not responded`)
      const query = new URLSearchParams({ did, cid }).toString()
      const received = await receiveFrom(host, query).catch((error: unknown) => {
        if (error instanceof OutboundFailed) silences.set(host, now().getTime())
        throw error
      })
      try {
        return await keep(received, cid)
      } finally {
        await files.remove(received.path).catch(() => {})
      }
    })
  }

  async function receiveFrom(host: string, query: string): Promise<Received> {
    const { body } = await hosts.at(host).download('com.core.sync.getBlob', maxBytes, { query, timeoutMs })
    return receive(files, folder, body)
  }

  async function keep({ path, cid: actual, size, detected }: Received, cid: string): Promise<Blob> {
    if (actual !== cid) throw new Error(`The content has the CID ${actual} instead of ${cid}`)
    if (detected === undefined || !types.has(detected))
      throw new Error(`${cid} is not a picture of a known kind`)
    await files.rename(path, pathOf(cid))
    const picture = { cid, mimeType: detected, size }
    cache.set(cid, picture)
    return picture
  }

  /** Fetches a picture unless that is useless now. */
  async function fetchOnce(did: string, cid: string, requester: Requester): Promise<Blob | undefined> {
    if (!isOn()) return undefined
    const fetchIt = () =>
      download(did, cid).catch((error: unknown) => {
        log.debug({ err: error, did, cid }, 'picture not fetched')
        return undefined
      })
    return fetches.get(`${did} ${cid}`, fetchIt, { requester }).catch((error: unknown) => {
      if (error instanceof TooManyLookups) return undefined
      throw error
    })
  }

  /** Returns a cached picture if its file is there. */
  async function findCached(cid: string): Promise<Blob | undefined> {
    loaded ??= load().catch((error: unknown) => log.warn({ err: error }, 'reading of cached pictures failed'))
    await loaded
    const picture = cache.get(cid)
    if (!picture || (await exists(files, pathOf(cid)))) return picture
    cache.delete(cid)
    return undefined
  }

  return {
    async find(did, cid, requester) {
      if (!isBlobName(cid) || !namesBlob(store, did, cid)) return undefined
      return (await findCached(cid)) ?? fetchOnce(did, cid, requester)
    },
    read: (cid, start, end) => files.chunks(pathOf(cid), start, end),
  }
}
