/** The sources of a restore: the backups of this computer, a place, or a file. */
import { basename } from 'node:path'
import { bringBack, findChain } from '../../server/operation/replicas/bring-back.ts'
import {
  type Credentials,
  changeCredentials,
  loadCredentials,
} from '../../server/operation/replicas/credentials.ts'
import { fetchAhead } from '../../server/operation/replicas/fetch-ahead.ts'
import { listBackups } from '../../server/operation/replicas/local/list.ts'
import { localTarget } from '../../server/operation/replicas/local/target.ts'
import { openPlace } from '../../server/operation/replicas/places/open.ts'
import { ReplicaKey } from '../../server/operation/replicas/replica-key.ts'
import { replicaPages } from '../../server/operation/replicas/replica-pages.ts'
import { readPoints } from '../../server/operation/replicas/restore-points.ts'
import { createSealer } from '../../server/operation/replicas/sealer.ts'
import type { Target } from '../../server/operation/replicas/send.ts'
import { schema } from '../../server/schema/schema.ts'
import { keptBlobs } from '../../server/store/backups/restore.ts'
import type { PageSource } from '../../server/store/backups/salvage.ts'
import { runInWorker } from '../../server/store/backups/tasks.ts'
import { members, oneOf, optional, text } from '../ground/arguments.ts'
import type { Restored, RestorePoint, RestorePreview, RestoreSource } from '../ground/bridge.ts'
import { toPlain } from '../ground/plain.ts'
import { t } from '../ground/strings.ts'
import { describeOwn, findBackup, toPoint } from './backups.ts'
import { knownPlaces } from './copies.ts'
import { FieldProblem, isPlaceInput, type NamedPlace, namePlace } from './copy-places.ts'
import type { RestoresDeps } from './restore-deps.ts'

const secret = text(1000)
const sources = [
  members({ from: oneOf('backups') }),
  members({ from: oneOf('place'), url: text(2000) }),
  members({ from: oneOf('otherPlace'), place: isPlaceInput, key: secret }),
  members({ from: oneOf('file'), passphrase: optional(secret) }),
]

export function isRestoreSource(value: unknown): value is RestoreSource {
  return sources.some((accepts) => accepts(value))
}

/** Its methods throw errors with sentences for people. */
export interface Origin {
  /** Newest first. */
  points(): Promise<readonly RestorePoint[]>
  preview(at: string | undefined, signal: AbortSignal): Promise<RestorePreview>
  /** @param loss as it was previewed */
  restore(at: string | undefined, loss: string | undefined): Promise<Restored>
}

const now = () => new Date()

export function ofBackups({ dataDir, server }: RestoresDeps): Origin {
  return {
    points: async () => (await listBackups(dataDir)).map(toPoint),
    async preview(at = '') {
      const backup = await findBackup(dataDir, at)
      const content = toPlain(await describeOwn(dataDir, backup))
      return { ...content, createdAt: at, loss: backup.isPartial ? backup.proof?.problem : undefined }
    },
    async restore(at = '') {
      const backup = await findBackup(dataDir, at)
      // Checked before the server is stopped.
      await describeOwn(dataDir, backup)
      return server.whileStopped(async () => {
        const result = await bringBack({ target: localTarget(dataDir), dataDir, base: backup.name, now })
        return { at, missingMedia: result.missing.length, replaced: result.replaced ?? '' }
      })
    },
  }
}

export function ofFile({ dataDir: dir, server }: RestoresDeps, file: string, passphrase?: string): Origin {
  const options = { passphrase, schema, blobFolders: keptBlobs(dir) }
  const preview = async () => toPlain(await runInWorker({ kind: 'describe', dir, file, options }))
  return {
    points: async () => [],
    preview,
    async restore() {
      // Checked before the server is stopped.
      const { createdAt: at, missingBlobs: missingMedia } = await preview()
      return server.whileStopped(async () => {
        const replaced = await runInWorker({ kind: 'restore', dir, file, passphrase, schema, at: now() })
        return { at, missingMedia, replaced: replaced ?? '' }
      })
    },
  }
}

export type PlaceSource = Extract<RestoreSource, { readonly from: 'place' | 'otherPlace' }>

export function ofPlace(deps: RestoresDeps, source: PlaceSource): Origin {
  const { dataDir, window, server } = deps
  return {
    points: () =>
      withPlace(deps, source, async ({ target }) => {
        // Fails for a key of another copy, or if there is nothing to restore.
        await findChain(target)
        const { points } = await readPoints(target)
        return points.map((at) => ({ at: at.toISOString() }))
      }),
    preview: (at, signal) =>
      withPlace(
        deps,
        source,
        async ({ target }) => {
          const { file, media, ...fetched } = await fetchAhead({
            ...{ target, dataDir, at: timeOf(at), signal },
            onProgress(progress) {
              signal.throwIfAborted()
              window.send('restoreProgress', progress)
            },
          })
          const content = await runInWorker({ kind: 'describe', dir: dataDir, file, options: { schema } })
          // The others are marked as missing since an earlier loss.
          const missingBlobs = fetched.missingMedia + content.blobs - media
          return { ...toPlain({ ...content, createdAt: fetched.at }), missingBlobs, loss: fetched.loss }
        },
        signal,
      ),
    restore: (at, loss) =>
      withPlace(deps, source, async (place) => {
        const { target, own, key } = place
        if (own.key !== key && deps.file.get('copies').length > 0) throw new Error(t.copies.hasOwn)
        const until = timeOf(at)
        // Its problems are found before the server is stopped.
        await findChain(target, until)
        return server.whileStopped(async () => {
          const result = await bringBack({
            ...{ target, dataDir, at: until, now },
            async confirmLoss(text, of) {
              if (of === 'changes' && text !== loss) throw new Error(t.restore.changed)
              return true
            },
            onProgress: (progress) => window.send('restoreProgress', progress),
          })
          const { missing, replaced } = result
          if (source.from === 'otherPlace') await continueAt(deps, place, replaced && basename(replaced))
          return { at: result.at.toISOString(), missingMedia: missing.length, replaced: replaced ?? '' }
        })
      }),
  }
}

/** A place with all that is needed to read it. */
interface OpenedPlace extends NamedPlace {
  readonly target: Target
  readonly key: string
  /** The backups of this computer. */
  readonly own: Credentials
}

async function withPlace<T>(
  deps: RestoresDeps,
  source: PlaceSource,
  work: (place: OpenedPlace) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const place = await open(deps, source, signal)
  try {
    return await work(place)
  } finally {
    await place.target.sealer.end()
  }
}

async function open(deps: RestoresDeps, source: PlaceSource, signal?: AbortSignal): Promise<OpenedPlace> {
  const own = await loadCredentials(deps.copiesKeeper)
  const named = source.from === 'otherPlace' ? namePlace(source.place) : ownPlace(deps, own, source.url)
  const key = source.from === 'otherPlace' ? await parseKey(source.key) : own.replicaKey
  const { url, credentials } = named
  const place = await openPlace(url, { credentials, ...(signal && { signal }) })
  return { ...named, target: { place, sealer: createSealer(key) }, key: key.identity, own }
}

/** Pages of a place of this server, which is read when a salvage asks. A failure is reported, and yields no page. */
export function pagesOfPlace(
  deps: RestoresDeps,
  url: string,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): PageSource {
  const opened = async () => replicaPages((await open(deps, { from: 'place', url }, signal)).target)
  return {
    async *pages(numbers, scratch) {
      try {
        yield* (await opened()).pages(numbers, scratch)
      } catch (error) {
        onError(error)
      }
    },
    async newest(scratch) {
      try {
        return await (await opened()).newest?.(scratch)
      } catch (error) {
        onError(error)
        return undefined
      }
    },
  }
}

function ownPlace(deps: RestoresDeps, { places }: Credentials, url: string): NamedPlace {
  if (!knownPlaces(deps).includes(url)) throw new FieldProblem('address', t.copies.unknown)
  return { url, credentials: places?.[url] }
}

function parseKey(text: string): Promise<ReplicaKey> {
  return ReplicaKey.parse(text).catch((error: Error) => {
    throw new FieldProblem('key', error.message)
  })
}

/** Makes the server continue the copy at the place that it was restored from. @param replaced the folder that an undo puts back, with its key */
async function continueAt(
  { copiesKeeper, file, bus }: RestoresDeps,
  place: OpenedPlace,
  replaced: string | undefined,
): Promise<void> {
  const { url, credentials, key, own } = place
  const places = { ...own.places, ...(credentials && { [url]: credentials }) }
  await changeCredentials(copiesKeeper, { key, places }, replaced)
  file.set('copies', [...file.get('copies').filter((one) => one !== url), url])
  // The key came from the sheet.
  file.set('sheetKept', true)
  bus.emit('settings')
}

function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Error(t.copies.wrongTime)
  return time
}
