/** A place as the source of a restore: one of this server, or another one with the key of its recovery sheet. */
import { fileURLToPath } from 'node:url'
import { schema } from '../../../schema/schema.ts'
import type { PageSource } from '../../../store/backups/salvage.ts'
import { runInWorker } from '../../../store/backups/tasks.ts'
import { readReplicaKey } from '../../../store/files/replica-key-file.ts'
import { systemTime as now } from '../../../util/timers.ts'
import { findChain } from '../bring-back.ts'
import { keepSheet, keyOfData, loadCredentials } from '../credentials.ts'
import { fetchAhead } from '../fetch-ahead.ts'
import { type OpenedPlace, openTarget, type PlaceToRead, withPlace as withOpened } from '../from-place.ts'
import { FieldProblem, namePlace, type PlaceInput } from '../places/describe.ts'
import { findFolderWithCopy } from '../places/own-folder.ts'
import { ReplicaKey } from '../replica-key.ts'
import { replicaPages } from '../replica-pages.ts'
import { readPoints } from '../restore-points.ts'
import type { Origin, OriginDeps } from './origins.ts'

export type PlaceSource =
  /** A place of this server, by its URL. */
  | { readonly from: 'place'; readonly url: string }
  /** A place that this computer does not know yet, with the key of the recovery sheet. */
  | { readonly from: 'otherPlace'; readonly place: PlaceInput; readonly key: string }

type PlaceDeps = Pick<OriginDeps, 'dataDir' | 'keeper' | 'places'>

/** Lists the states of a place to which the server can be restored, newest first. @throws FieldProblem, PlaceProblem */
export function pointsOfPlace(deps: PlaceDeps, source: PlaceSource): Promise<readonly Date[]> {
  return withPlace(deps, source, async ({ target }) => {
    // Fails for a key of another copy, or if there is nothing to restore.
    await findChain(target)
    return (await readPoints(target)).points
  })
}

export function ofPlace(deps: OriginDeps, source: PlaceSource): Origin {
  const { dataDir, whileStopped, onProgress } = deps
  return {
    preview: (at, signal) =>
      withPlace(
        deps,
        source,
        async ({ target }) => {
          const { file, media, ...fetched } = await fetchAhead({
            ...{ target, dataDir, at: timeOf(at), signal },
            onProgress(progress) {
              signal.throwIfAborted()
              onProgress(progress)
            },
          })
          const content = await runInWorker({ kind: 'describe', dir: dataDir, file, options: { schema } })
          // The others are marked as missing since an earlier loss.
          const missingBlobs = fetched.missingMedia + content.blobs - media
          return { ...content, createdAt: fetched.at.toISOString(), missingBlobs, loss: fetched.loss }
        },
        signal,
      ),
    restore: (at, loss) =>
      withPlace(deps, source, async ({ target, bringBack }, url) => {
        const used = await keyInUse(deps)
        if (used !== undefined && used !== target.sealer.fingerprint && deps.places().length > 0) {
          throw new Error(
            'This server makes copies of its own, with another key. Remove their places on the screen Backups first.',
          )
        }
        const until = timeOf(at)
        // Its problems are found before the server is stopped.
        await findChain(target, until)
        return whileStopped(async () => {
          const result = await bringBack({
            ...{ dataDir, at: until, now, onProgress },
            async confirmLoss(text, of) {
              if (of === 'changes' && text !== loss) throw new Error(changed)
              return true
            },
          })
          if (source.from === 'otherPlace') {
            await deps.addPlace(url)
            // The key came from the sheet.
            await keepSheet(deps.keeper, target.sealer.fingerprint)
          }
          const { at: reached, missing, replaced = '' } = result
          return { at: reached.toISOString(), missingMedia: missing.length, replaced }
        })
      }),
  }
}

const changed = 'What can be restored has changed meanwhile. Nothing was changed. Look at it again.'

/** Returns the fingerprint of the key of the present data; undefined if there is none. */
async function keyInUse({ keeper, dataDir }: PlaceDeps): Promise<string | undefined> {
  return (await readReplicaKey(dataDir)) ?? (await keyOfData(keeper, dataDir))?.fingerprint
}

async function withPlace<T>(
  deps: PlaceDeps,
  source: PlaceSource,
  work: (opened: OpenedPlace, url: string) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const place = await placeOf(deps, source, signal)
  return withOpened(place, (opened) => work(opened, place.url))
}

async function placeOf(
  { keeper, dataDir, places }: PlaceDeps,
  source: PlaceSource,
  signal: AbortSignal | undefined,
): Promise<PlaceToRead> {
  if (source.from === 'otherPlace') {
    return { ...(await nameOther(source.place)), key: await parseKey(source.key), keeper, signal }
  }
  const { url } = source
  if (!places().includes(url)) throw new FieldProblem('address', 'Copies to this place are not set here.')
  const { replicaKey: key, places: credentials } = await loadCredentials(keeper, dataDir)
  return { url, credentials: credentials?.[url], key, keeper, signal }
}

/** Converts the description of a place, which may be the folder around the one that has the copy. */
async function nameOther(input: PlaceInput) {
  const named = namePlace(input)
  if (input.kind !== 'folder') return named
  const address = await findFolderWithCopy(fileURLToPath(named.url))
  return namePlace({ ...input, address })
}

/** Pages of a place of this server, which is read when a salvage asks. A failure is reported, and yields no page. */
export function pagesOfPlace(
  deps: PlaceDeps,
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

function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Error('This is no time.')
  return time
}
