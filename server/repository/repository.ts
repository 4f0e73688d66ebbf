/** Creates the parts that keep repositories: records, media, archives of other servers, exports, the event stream. */
import type { Platform } from '../platform/platform.ts'
import { warnOfWorker } from '../platform/platform.ts'
import { createRoom, type Room } from './blobs/blob-quota.ts'
import { type Blobs, createBlobs } from './blobs/blobs.ts'
import { createThumbnails, type Thumbnails } from './blobs/thumbnails/thumbnails.ts'
import { createVideos, type Videos } from './blobs/videos/videos.ts'
import { createEventBudget, type EventBudget } from './events/budget.ts'
import { createRelays, type Relays } from './events/relays.ts'
import { createEventStream, type EventStream } from './events/stream.ts'
import { createTidClock } from './format/tid.ts'
import { createBlobListener } from './records/blob-listener.ts'
import { createExports, type Exports } from './records/export.ts'
import type { ImportListener } from './records/import/finish.ts'
import { createImporter, type Importer } from './records/import/importer.ts'
import type { RecordListener } from './records/record-events.ts'
import { createRepositories, type Repositories } from './records/repositories.ts'
import { createRepositoryCounts, type RepositoryCounts } from './records/repository-counts.ts'
import { createStoredNames, type StoredNames } from './records/stored-names.ts'

export interface Repository {
  readonly repositories: Repositories
  readonly counts: RepositoryCounts
  readonly exports: Exports
  readonly importer: Importer
  readonly storedNames: StoredNames
  readonly blobs: Blobs
  readonly thumbnails: Thumbnails
  readonly videos: Videos
  readonly room: Room
  readonly eventStream: EventStream
  readonly budget: EventBudget
  readonly relays: Relays
}

export interface RepositoryOptions {
  /** Returns the listener of records that accounts here write. @param media the one that checks and deletes blobs */
  readonly listener: (media: RecordListener) => RecordListener
  /** What the wings do when an archive has been imported, in the order in which they are called. */
  readonly onImported: readonly ImportListener[]
}

export async function createRepository(platform: Platform, options: RepositoryOptions): Promise<Repository> {
  const { config, names, store, log, now, background, refusals } = platform
  const { dataDir } = config
  const shared = { ...platform, dataDir }
  const room = createRoom({ config, store })
  const thumbnails = createThumbnails({ ...shared, onUnloadable: warnOfWorker(platform) })
  const videos = createVideos({ ...shared, onUnloadable: warnOfWorker(platform) })
  const removeMade = async (cid: string) => {
    await thumbnails.remove(cid)
    await videos.remove(cid)
  }
  const blobs = createBlobs({ ...shared, room, removeMade })
  await blobs.removeTemporaries()
  const media = createBlobListener((did, cids) =>
    background.run('deletion of blobs', () => blobs.release(did, cids)),
  )
  const budget = createEventBudget({ config, now })
  const repositories = createRepositories({
    ...{ store, names, now, budget },
    nextTid: createTidClock(now),
    listener: options.listener(media),
  })
  const exports = createExports({ ...shared, repositories })
  await exports.removeTemporaries()
  const storedNames = createStoredNames({ store, names, repositories, log })
  const importer = createImporter({
    ...shared,
    repositories,
    storedNames,
    blobs,
    onImported: options.onImported,
    onUnloadable: warnOfWorker(platform),
  })
  await importer.recover()
  return {
    repositories,
    counts: createRepositoryCounts(store),
    exports,
    importer,
    storedNames,
    blobs,
    thumbnails,
    videos,
    room,
    eventStream: createEventStream({
      store,
      onFault: (error) => log.error({ err: error }, 'reading of new events failed'),
      onRefused: () => void refusals.consumers++,
    }),
    budget,
    relays: createRelays(platform),
  }
}
