/** What the server is restored from, as the page describes it: its check, and the places among them. */
import { type Credentials, loadCredentials } from '../server/operation/replicas/credentials.ts'
import { openPlace, type PlaceCredentials } from '../server/operation/replicas/places/open.ts'
import { PlaceProblem } from '../server/operation/replicas/places/place.ts'
import { ReplicaKey } from '../server/operation/replicas/replica-key.ts'
import { createSealer } from '../server/operation/replicas/sealer.ts'
import type { Target } from '../server/operation/replicas/send.ts'
import { isObject } from '../server/platform/util/json.ts'
import { text } from './arguments.ts'
import type { FoundPoints, RestoreSource } from './bridge.ts'
import { knownPlaces } from './copies.ts'
import { fieldOf, isPlaceInput, namePlace } from './copy-places.ts'
import type { RestoresDeps } from './restore.ts'
import { t } from './strings.ts'

const isSecret = text(1000)

export function isRestoreSource(value: unknown): value is RestoreSource {
  if (!isObject(value)) return false
  const { from, ...rest } = value
  const names = Object.keys(rest).join()
  switch (from) {
    case 'backups':
      return names === ''
    case 'place':
      return names === 'url' && text(2000)(rest.url)
    case 'otherPlace':
      return Object.keys(rest).length === 2 && isPlaceInput(rest.place) && isSecret(rest.key)
    case 'file':
      return Object.keys(rest).length <= 1 && (rest.passphrase === undefined || isSecret(rest.passphrase))
    default:
      return false
  }
}

export type PlaceSource = Extract<RestoreSource, { readonly from: 'place' | 'otherPlace' }>

/** A place with all that is needed to read it. */
export interface ReadablePlace {
  readonly url: string
  readonly credentials: PlaceCredentials | undefined
  readonly key: ReplicaKey
  /** What this computer keeps itself. */
  readonly own: Credentials
}

type Problems = FoundPoints['problems']

/** @throws Error with a sentence for people */
export async function readableOf(
  deps: RestoresDeps,
  source: PlaceSource,
): Promise<ReadablePlace | { readonly problems: Problems }> {
  const own = await loadCredentials(deps.copiesKeeper)
  if (source.from === 'place') {
    const { url } = source
    if (!knownPlaces(deps).includes(url)) return { problems: { address: t.copies.unknown } }
    return { url, credentials: own.places?.[url], key: own.replicaKey, own }
  }
  const named = namePlace(source.place)
  if ('problems' in named) return named
  const key = await ReplicaKey.parse(source.key).catch((error: Error) => error)
  return key instanceof Error ? { problems: { key: key.message } } : { ...named, key, own }
}

/** The fields of a place that a failure to read it belongs to. */
export function problemsOf(error: unknown, source: PlaceSource): Problems {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof PlaceProblem) || source.from === 'place') return { address: message }
  return { [error.kind === 'foreign' ? 'key' : fieldOf(error, source.place)]: message }
}

export async function withTarget<T>(
  { url, credentials, key }: ReadablePlace,
  signal: AbortSignal | undefined,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  const sealer = createSealer(key)
  try {
    return await work({ place: await openPlace(url, { credentials, ...(signal && { signal }) }), sealer })
  } finally {
    await sealer.end()
  }
}
