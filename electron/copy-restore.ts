/** Restores a server from its copy at a place; this computer then continues the copy. */
import { bringBack, findChain } from '../server/operation/replicas/bring-back.ts'
import { loadCredentials } from '../server/operation/replicas/credentials.ts'
import { openPlace } from '../server/operation/replicas/places/open.ts'
import { PlaceProblem } from '../server/operation/replicas/places/place.ts'
import { ReplicaKey } from '../server/operation/replicas/replica-key.ts'
import { restorePoints } from '../server/operation/replicas/restore-points.ts'
import { createSealer } from '../server/operation/replicas/sealer.ts'
import type { Target } from '../server/operation/replicas/send.ts'
import type { FoundCopy, PlaceInput, RestoredCopy } from './bridge.ts'
import type { CopiesDeps } from './copies.ts'
import { fieldOf, type NamedPlace, namePlace } from './copy-places.ts'
import { t } from './strings.ts'

/** Opens a copy with its key, and lists the moments to which it can be restored. */
export async function findCopy(input: PlaceInput, key: string): Promise<FoundCopy> {
  const named = namePlace(input)
  if ('problems' in named) return { problems: named.problems, moments: [] }
  const replicaKey = await ReplicaKey.parse(key).catch((error: Error) => error)
  if (replicaKey instanceof Error) return { problems: { key: replicaKey.message }, moments: [] }
  try {
    return await withTarget(named, replicaKey, async (target) => {
      // Fails for a key of another copy, or if there is nothing to restore.
      await findChain(target)
      const times = await restorePoints(target)
      return { problems: {}, moments: times.map((time) => time.toISOString()) }
    })
  } catch (error) {
    if (!(error instanceof PlaceProblem)) return { problems: { address: String(error) }, moments: [] }
    const field = error.kind === 'foreign' ? 'key' : fieldOf(error, input)
    return { problems: { [field]: error.message }, moments: [] }
  }
}

interface RestoreDeps extends CopiesDeps {
  readonly input: PlaceInput
  readonly key: string
  readonly at: string | undefined
}

export async function restoreCopy(deps: RestoreDeps): Promise<RestoredCopy> {
  const { input, key, at, dataDir, server, window, copiesKeeper, file, log, bus } = deps
  const named = namePlace(input)
  if ('problems' in named) throw new Error(Object.values(named.problems)[0])
  const replicaKey = await ReplicaKey.parse(key)
  const until = at === undefined ? undefined : new Date(at)
  if (until && Number.isNaN(until.getTime())) throw new Error(t.copies.wrongTime)
  const own = await loadCredentials(copiesKeeper)
  if (own.key !== replicaKey.identity && file.get('copies').length > 0) throw new Error(t.copies.hasOwn)
  return withTarget(named, replicaKey, async (target) => {
    // Its problems are found before the server is stopped.
    await findChain(target, until)
    return server.whileStopped(async () => {
      const now = () => new Date()
      const result = await bringBack({
        ...{ target, dataDir, at: until, now },
        onProgress: (progress) => window.send('restoreProgress', progress),
      })
      log.info({ at: result.at, missing: result.missing.length }, 'copy restored')
      const { url, credentials } = named
      const places = { ...own.places, ...(credentials && { [url]: credentials }) }
      await copiesKeeper.write(JSON.stringify({ key: replicaKey.identity, places }))
      file.set('copies', [...file.get('copies').filter((one) => one !== url), url])
      // The key came from the sheet.
      file.set('sheetKept', true)
      bus.emit('settings')
      return {
        at: result.at.toISOString(),
        missingMedia: result.missing.length,
        replaced: result.replaced ?? '',
      }
    })
  })
}

async function withTarget<T>(
  { url, credentials }: NamedPlace,
  key: ReplicaKey,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  const sealer = createSealer(key)
  try {
    return await work({ place: await openPlace(url, { credentials }), sealer })
  } finally {
    await sealer.end()
  }
}
