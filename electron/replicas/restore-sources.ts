/** The sources of a restore: the backups of this computer, a place, or a file. */
import { bringBack, findChain } from '../../server/operation/replicas/bring-back.ts'
import { keyOfData, loadCredentials } from '../../server/operation/replicas/credentials.ts'
import { fetchAhead } from '../../server/operation/replicas/fetch-ahead.ts'
import {
  type OpenedPlace,
  openTarget,
  type PlaceToRead,
  withPlace as withOpened,
} from '../../server/operation/replicas/from-place.ts'
import { listBackups } from '../../server/operation/replicas/local/list.ts'
import { localTarget } from '../../server/operation/replicas/local/target.ts'
import { ReplicaKey } from '../../server/operation/replicas/replica-key.ts'
import { replicaPages } from '../../server/operation/replicas/replica-pages.ts'
import { readPoints } from '../../server/operation/replicas/restore-points.ts'
import { schema } from '../../server/schema/schema.ts'
import { keptBlobs } from '../../server/store/backups/restore.ts'
import type { PageSource } from '../../server/store/backups/salvage.ts'
import { runInWorker } from '../../server/store/backups/tasks.ts'
import { readReplicaKey } from '../../server/store/files/replica-key-file.ts'
import { members, oneOf, optional, text } from '../ground/arguments.ts'
import type { Restored, RestorePoint, RestorePreview, RestoreSource } from '../ground/bridge.ts'
import { toPlain } from '../ground/plain.ts'
import { t } from '../ground/strings.ts'
import { describeOwn, findBackup, toPoint } from './backups.ts'
import { type CopiesDeps, knownPlaces } from './copies.ts'
import { FieldProblem, isPlaceInput, namePlace } from './copy-places.ts'

/** The parts of the desktop that a restore needs. */
export type RestoresDeps = Omit<CopiesDeps, 'secrets'>

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
      withPlace(deps, source, async ({ target, bringBack }, url) => {
        const used = await keyInUse(deps)
        if (used !== undefined && used !== target.sealer.fingerprint && deps.file.get('copies').length > 0)
          throw new Error(t.copies.hasOwn)
        const until = timeOf(at)
        // Its problems are found before the server is stopped.
        await findChain(target, until)
        return server.whileStopped(async () => {
          const {
            missing,
            replaced,
            at: reached,
          } = await bringBack({
            ...{ dataDir, at: until, now },
            async confirmLoss(text, of) {
              if (of === 'changes' && text !== loss) throw new Error(t.restore.changed)
              return true
            },
            onProgress: (progress) => window.send('restoreProgress', progress),
          })
          if (source.from === 'otherPlace') continueAt(deps, url)
          return { at: reached.toISOString(), missingMedia: missing.length, replaced: replaced ?? '' }
        })
      }),
  }
}

/** Returns the fingerprint of the key of the present data; undefined if there is none. */
async function keyInUse({ copiesKeeper, dataDir }: RestoresDeps): Promise<string | undefined> {
  return (await readReplicaKey(dataDir)) ?? (await keyOfData(copiesKeeper, dataDir))?.fingerprint
}

async function withPlace<T>(
  deps: RestoresDeps,
  source: PlaceSource,
  work: (opened: OpenedPlace, url: string) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const place = await placeOf(deps, source, signal)
  return withOpened(place, (opened) => work(opened, place.url))
}

async function placeOf(
  deps: RestoresDeps,
  source: PlaceSource,
  signal: AbortSignal | undefined,
): Promise<PlaceToRead> {
  const { copiesKeeper: keeper, dataDir } = deps
  if (source.from === 'otherPlace')
    return { ...namePlace(source.place), key: await parseKey(source.key), keeper, signal }
  const { url } = source
  if (!knownPlaces(deps).includes(url)) throw new FieldProblem('address', t.copies.unknown)
  const { replicaKey: key, places } = await loadCredentials(keeper, dataDir)
  return { url, credentials: places?.[url], key, keeper, signal }
}

/** Pages of a place of this server, which is read when a salvage asks. A failure is reported, and yields no page. */
export function pagesOfPlace(
  deps: RestoresDeps,
  url: string,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): PageSource {
  const opened = async () =>
    replicaPages(await openTarget(await placeOf(deps, { from: 'place', url }, signal)))
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

function parseKey(text: string): Promise<ReplicaKey> {
  return ReplicaKey.parse(text).catch((error: Error) => {
    throw new FieldProblem('key', error.message)
  })
}

/** Makes the server continue the copy at the place that it was restored from. */
function continueAt({ file, bus }: RestoresDeps, url: string): void {
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
