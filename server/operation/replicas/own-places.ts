/** The places that the owner adds and removes, and the recovery sheet of their key. The server starts again after a change. */
import { fileURLToPath } from 'node:url'
import type { Config } from '../../platform/config/config.ts'
import type { Files } from '../../store/files/files.ts'
import type { Logger } from '../../util/log.ts'
import { createSerializer } from '../../util/serialize.ts'
import {
  type CredentialsKeeper,
  CredentialsUnavailable,
  changeCredentials,
  forgetLostKey,
  keepSheet,
  keyOfData,
  loadCredentials,
  readCredentials,
} from './credentials.ts'
import type { Host } from './host.ts'
import { readHead } from './lease.ts'
import {
  FieldProblem,
  type NamedPlace,
  namePlace,
  type PlaceInput,
  type PlaceProblems,
  problemsOf,
} from './places/describe.ts'
import { openPlace } from './places/open.ts'
import { findOwnFolder, makeOwnFolder } from './places/own-folder.ts'

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
  keepSheet(): Promise<void>
  /** @throws Error with a sentence for people */
  sheet(): Promise<RecoverySheet>
  /**
   * Checks a place and adds it. A known one gets a new password. Adds nothing if there are problems, or if it is on the disk of the data
   * and that was not permitted.
   */
  add(input: PlaceInput, options: { readonly maySameDisk: boolean }): Promise<Added | 'sameDisk'>
  /** Stops copying to a place; its copy stays. Returns false if it was not added here. */
  remove(url: string): Promise<boolean>
}

/** @property url of the place that was added; undefined if there are problems */
interface Added {
  readonly url?: string
  readonly problems: PlaceProblems
}

interface Deps {
  readonly config: Pick<Config, 'dataDir' | 'copies'>
  readonly host: Pick<Host, 'places' | 'restart'>
  readonly keeper: CredentialsKeeper
  readonly files: Files
  readonly log: Logger
}

export function createOwnPlaces(deps: Deps): OwnPlaces {
  const { config, host, keeper, files, log } = deps
  const { dataDir } = config
  const { places: kept } = host
  /** One change at a time: of two that read the same places or find no key, the later would discard what the earlier has saved. */
  const serialize = createSerializer()

  /** A restart cuts calls off that take longer: not awaited, so that the caller gets its answer first. */
  function restart(): void {
    host.restart().catch((error: unknown) => log.error({ err: error }, 'restart failed'))
  }

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
    keepSheet: () =>
      serialize(async () => {
        const { replicaKey } = await loadCredentials(keeper, dataDir, files)
        await keepSheet(keeper, replicaKey.fingerprint)
      }),
    sheet: () =>
      serialize(async () => {
        const { replicaKey } = await loadCredentials(keeper, dataDir, files)
        return { key: replicaKey.identity, places: config.copies }
      }),
    async add(input, { maySameDisk }) {
      try {
        const url = await serialize(() => addPlace(deps, input, maySameDisk))
        if (url === undefined) return 'sameDisk'
        restart()
        return { url, problems: {} }
      } catch (error) {
        log.warn({ err: error }, 'place of copies cannot be used')
        return { problems: problemsOf(error, input) }
      }
    },
    async remove(url) {
      if (!(await serialize(() => removePlace(deps, url)))) return false
      restart()
      return true
    },
  }
}

/** Returns its URL; undefined for a folder on the disk of the data. @throws FieldProblem, PlaceProblem, Error with a sentence for people */
async function addPlace(deps: Deps, input: PlaceInput, maySameDisk: boolean): Promise<string | undefined> {
  const { config, host, keeper, log } = deps
  const { url, credentials } = namePlace(input)
  const folder = input.kind === 'folder' ? await findOwnFolder(fileURLToPath(url), config.dataDir) : undefined
  const named = folder ? namePlace({ ...input, address: folder.path }) : { url, credentials }
  const known = host.places.list()
  const isKnown = known.includes(named.url)
  if (isKnown && !credentials) throw new FieldProblem('address', 'Copies are made to this place already.')
  if (folder?.isSameDisk && !maySameDisk) return undefined
  const head = folder?.isNew ? undefined : await headOf(named)
  await acceptKey(deps, head?.key, known.length === 0)
  if (folder) await makeOwnFolder(folder.path)
  if (credentials) await keepCredentials(keeper, named)
  if (!isKnown) await host.places.save([...known, named.url])
  log.info({ url: named.url }, 'place of copies added')
  return named.url
}

async function removePlace({ host, keeper, log }: Deps, url: string): Promise<boolean> {
  const known = host.places.list()
  if (!known.includes(url)) return false
  const { places = {} } = await readCredentials(keeper)
  const { [url]: _, ...others } = places
  await changeCredentials(keeper, { places: others })
  await host.places.save(known.filter((one) => one !== url))
  log.info({ url }, 'place of copies removed')
  return true
}

/** Returns what a place says about its copies. Fails if it cannot be used. */
async function headOf({ url, credentials }: NamedPlace): ReturnType<typeof readHead> {
  const place = await openPlace(url, { credentials })
  await place.list('')
  return readHead(place)
}

/** Makes sure that a place has copies of this server, or none, and that the key of the copies is kept. @param there that of the place */
async function acceptKey(
  { config: { dataDir }, keeper, files }: Deps,
  there: string | undefined,
  isFirst: boolean,
): Promise<void> {
  if (there === undefined && isFirst) await forgetLostKey(keeper, dataDir, files)
  const { replicaKey } = await loadCredentials(keeper, dataDir, files)
  if (there === undefined || there === replicaKey.fingerprint) return
  throw new FieldProblem('address', 'This place has the copy of another server. Choose another folder there.')
}

async function keepCredentials(keeper: CredentialsKeeper, { url, credentials }: NamedPlace): Promise<void> {
  const { places = {} } = await readCredentials(keeper)
  if (credentials) await changeCredentials(keeper, { places: { ...places, [url]: credentials } })
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
