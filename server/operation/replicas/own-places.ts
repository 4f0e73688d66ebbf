/** The places that the owner adds and removes, and the recovery sheet of their key. A change counts once the server starts again. */
import { createSerializer } from '../../util/serialize.ts'
import { addPlace, type PlacesDeps } from './add-place.ts'
import {
  type CredentialsKeeper,
  CredentialsUnavailable,
  changeCredentials,
  keepSheet,
  keyOfData,
  loadCredentials,
  readCredentials,
} from './credentials.ts'
import { type PlaceInput, type PlaceProblems, problemsOf } from './places/describe.ts'
import { ReplicaKey } from './replica-key.ts'

/** The key and addresses with which another computer reads the copies. */
export interface RecoverySheet {
  /** An age identity. */
  readonly key: string
  /** URLs. */
  readonly places: readonly string[]
}

export interface OwnPlaces {
  /** URLs of the places that were added. */
  added(): readonly string[]
  /** The flag or the variable that sets the places, so that they cannot be changed; undefined if there is none. */
  readonly setBy: string | undefined
  /** Whether the recovery sheet was printed or saved; undefined if the key cannot be read yet. */
  isSheetKept(): Promise<boolean | undefined>
  /** @param key of the sheet. Returns false if it is another one */
  keepSheet(key: string): Promise<boolean>
  /** @throws Error with a sentence for people */
  sheet(): Promise<RecoverySheet>
  /**
   * Checks a place and adds it. A known one gets a new password. Adds nothing if there are problems, or if it is on the disk of the data
   * and that was not permitted.
   */
  add(input: PlaceInput, options: { readonly maySameDisk: boolean }): Promise<Added | 'sameDisk'>
  /** Stops copying to a place; its copy stays. Returns false if it was not added here. @throws PlacesNotSaved */
  remove(url: string): Promise<boolean>
}

/** @property url of the place that was added; undefined if there are problems */
interface Added {
  readonly url?: string
  readonly problems: PlaceProblems
}

export function createOwnPlaces(deps: PlacesDeps): OwnPlaces {
  const { config, host, keeper, files, log } = deps
  const { dataDir } = config
  const { places: kept } = host
  /** Two pages may change the list at once, or find no key yet. */
  const serialize = createSerializer()

  return {
    added: () => (kept.setBy === undefined ? kept.list() : []),
    setBy: kept.setBy,
    async isSheetKept() {
      try {
        const key = await keyOfData(keeper, dataDir, files)
        const { keptSheets = [] } = await readCredentials(keeper)
        return key !== undefined && keptSheets.includes(key.fingerprint)
      } catch {
        return undefined
      }
    },
    keepSheet: (key) =>
      serialize(async () => {
        const { replicaKey } = await loadCredentials(keeper, dataDir, files)
        const given = await ReplicaKey.parse(key).catch(() => undefined)
        if (given?.fingerprint !== replicaKey.fingerprint) return false
        await keepSheet(keeper, replicaKey.fingerprint)
        return true
      }),
    sheet: () =>
      serialize(async () => {
        const { replicaKey } = await loadCredentials(keeper, dataDir, files)
        return { key: replicaKey.identity, places: config.copies }
      }),
    async add(input, { maySameDisk }) {
      try {
        const url = await addPlace(deps, serialize, input, maySameDisk)
        if (url === undefined) return 'sameDisk'
        return { url, problems: {} }
      } catch (error) {
        log.warn({ err: error }, 'place of copies cannot be used')
        return { problems: problemsOf(error, input) }
      }
    },
    remove: (url) =>
      serialize(async () => {
        const known = kept.list()
        if (!known.includes(url)) return false
        // First: a place that is still listed needs its password.
        await kept.save(known.filter((one) => one !== url))
        log.info({ url }, 'place of copies removed')
        await forgetCredentials(keeper, url).catch((error: unknown) =>
          log.warn({ err: error, url }, 'password of a removed place not deleted'),
        )
        return true
      }),
  }
}

async function forgetCredentials(keeper: CredentialsKeeper, url: string): Promise<void> {
  const { places = {} } = await readCredentials(keeper)
  const { [url]: _, ...others } = places
  await changeCredentials(keeper, { places: others })
}

/** @throws XrpcError PlacesElsewhere if the program that runs the server offers none */
export function requirePlaces(
  { places }: { readonly places: OwnPlaces | undefined },
  fail: (name: 'PlacesElsewhere', message: string) => Error,
): OwnPlaces {
  if (!places) throw fail('PlacesElsewhere', 'Change the places in the program that runs this server')
  return places
}

/** @throws XrpcError PlacesElsewhere if the places cannot be changed over HTTP */
export function requireChangeable(...given: Parameters<typeof requirePlaces>): OwnPlaces {
  const places = requirePlaces(...given)
  const [, fail] = given
  if (places.setBy !== undefined) throw fail('PlacesElsewhere', `The places are set by ${places.setBy}`)
  return places
}

/** Runs work that needs the key of the copies. @throws XrpcError KeyUnavailable, whose message says what to do */
export async function withKey<T>(
  fail: (name: 'KeyUnavailable', message: string) => Error,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CredentialsUnavailable) throw fail('KeyUnavailable', error.message)
    throw error
  }
}
