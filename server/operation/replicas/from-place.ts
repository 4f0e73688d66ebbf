/** Restores from a place of any server, whose key the server here has then. */
import { type BringBackOptions, type BroughtBack, bringBack } from './bring-back.ts'
import { type CredentialsKeeper, changeCredentials, nameKey, readCredentials } from './credentials.ts'
import { openPlace } from './places/open.ts'
import type { PlaceCredentials } from './places/place.ts'
import { ReplicaKey } from './replica-key.ts'
import { createSealer } from './sealer.ts'
import type { Target } from './send.ts'

export interface PlaceToRead {
  readonly url: string
  /** Opens the copy there. */
  readonly key: ReplicaKey
  readonly credentials?: PlaceCredentials | undefined
  /** Keeps the keys of the server here. */
  readonly keeper: CredentialsKeeper
  readonly signal?: AbortSignal | undefined
  /** Encrypts and decrypts in this thread. */
  readonly isInline?: boolean | undefined
}

export interface OpenedPlace {
  readonly target: Target
  /** As `bringBack`. The key and the password are kept before anything changes, and the data name the key, wherever it ends. */
  bringBack(options: Omit<BringBackOptions, 'target'>): Promise<BroughtBack>
}

export async function withPlace<T>(
  place: PlaceToRead,
  work: (opened: OpenedPlace) => Promise<T>,
): Promise<T> {
  const target = await openTarget(place)
  try {
    return await work({
      target,
      bringBack: (options) => bringBack({ ...options, target, beforeCommit: () => keepKey(place, options) }),
    })
  } finally {
    await target.sealer.end()
  }
}

export async function openTarget({ url, key, credentials, signal, isInline }: PlaceToRead): Promise<Target> {
  const place = await openPlace(url, { credentials, ...(signal && { signal }) })
  return { place, sealer: createSealer(key, { isInline }) }
}

/** Keeps the key of a copy before its data replace those here. */
export async function keepKey(
  { url, key, credentials, keeper }: PlaceToRead,
  { dataDir, files }: Pick<BringBackOptions, 'dataDir' | 'files'>,
): Promise<void> {
  const { key: chosen, places } = await readCredentials(keeper)
  // Data that were never copied may have no file that names their key: write one, so that an undo finds it.
  const before = chosen === undefined ? undefined : await ReplicaKey.parse(chosen).catch(() => undefined)
  if (before) await nameKey(dataDir, before, files)
  await changeCredentials(keeper, {
    earlierKeys: [key.identity],
    ...(credentials && { places: { ...places, [url]: credentials } }),
  })
}
