/** How the server is restored from the backups of this computer, from a place and from a file: first the preview, then the restore. */
import { bringBack, findChain } from '../server/operation/replicas/bring-back.ts'
import { changeCredentials } from '../server/operation/replicas/credentials.ts'
import { fetchAhead } from '../server/operation/replicas/fetch-ahead.ts'
import { localTarget } from '../server/operation/replicas/local/target.ts'
import { keptBlobs } from '../server/platform/store/backups/restore.ts'
import { runInWorker } from '../server/platform/store/backups/tasks.ts'
import { schema } from '../server/platform/store/schema.ts'
import { describeOwn, findBackup } from './backups.ts'
import type { Restored, RestorePreview } from './bridge.ts'
import { toPlain } from './plain.ts'
import type { RestoresDeps } from './restore.ts'
import { type PlaceSource, type ReadablePlace, readableOf, withTarget } from './restore-sources.ts'
import { t } from './strings.ts'

export interface Origin {
  preview(at: string | undefined, signal: AbortSignal): Promise<RestorePreview>
  /** @param loss as it was previewed */
  restore(at: string | undefined, loss: string | undefined): Promise<Restored>
}

const now = () => new Date()

export function ofBackups({ dataDir, server }: RestoresDeps): Origin {
  return {
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
  const preview = async () =>
    toPlain(
      await runInWorker({
        ...{ kind: 'describe', dir, file },
        options: { passphrase, schema, blobFolders: keptBlobs(dir) },
      }),
    )
  return {
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

export function ofPlace(deps: RestoresDeps, source: PlaceSource): Origin {
  const { dataDir, window, server } = deps
  async function readable(): Promise<ReadablePlace> {
    const place = await readableOf(deps, source)
    if ('problems' in place) throw new Error(Object.values(place.problems)[0])
    return place
  }
  return {
    preview: async (at, signal) =>
      withTarget(await readable(), signal, async (target) => {
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
      }),
    async restore(at, loss) {
      const place = await readable()
      const isOther = place.own.key !== place.key.identity
      if (isOther && deps.file.get('copies').length > 0) throw new Error(t.copies.hasOwn)
      return withTarget(place, undefined, async (target) => {
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
          if (source.from === 'otherPlace') await continueAt(deps, place)
          const { missing, replaced = '' } = result
          return { at: result.at.toISOString(), missingMedia: missing.length, replaced }
        })
      })
    },
  }
}

/** Makes the server continue the copy at the place that it was restored from. */
async function continueAt({ copiesKeeper, file, bus }: RestoresDeps, place: ReadablePlace): Promise<void> {
  const { url, credentials, key, own } = place
  const places = { ...own.places, ...(credentials && { [url]: credentials }) }
  await changeCredentials(copiesKeeper, { key: key.identity, places })
  file.set('copies', [...file.get('copies').filter((one) => one !== url), url])
  // The key came from the sheet.
  file.set('sheetKept', true)
  bus.emit('settings')
}

/** @throws Error with a sentence for people */
function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Error(t.copies.wrongTime)
  return time
}
