/** Checks a place that the owner adds, and adds it to the list. */
import { fileURLToPath } from 'node:url'
import type { Config } from '../../platform/config/config.ts'
import type { Files } from '../../store/files/files.ts'
import type { Logger } from '../../util/log.ts'
import type { Serialize } from '../../util/serialize.ts'
import type { Host } from '../host.ts'
import {
  type CredentialsKeeper,
  changeCredentials,
  forgetLostKey,
  loadCredentials,
  readCredentials,
} from './credentials.ts'
import { readHead } from './lease.ts'
import { FieldProblem, type NamedPlace, namePlace, type PlaceInput } from './places/describe.ts'
import { openPlace } from './places/open.ts'
import { findOwnFolder, makeOwnFolder } from './places/own-folder.ts'

export interface PlacesDeps {
  readonly config: Pick<Config, 'dataDir' | 'copies'>
  readonly host: Pick<Host, 'places'>
  readonly keeper: CredentialsKeeper
  readonly files: Files
  readonly log: Logger
}

/**
 * Returns its URL; undefined for a folder on the disk of the data, unless that is permitted.
 * @param serialize another page may change the list at once
 * @throws FieldProblem, PlaceProblem, Error with a sentence for people
 */
export async function addPlace(
  deps: PlacesDeps,
  serialize: Serialize,
  input: PlaceInput,
  maySameDisk: boolean,
): Promise<string | undefined> {
  const { config, host, keeper, log } = deps
  const { url, credentials } = namePlace(input)
  const folder = input.kind === 'folder' ? await findOwnFolder(fileURLToPath(url), config.dataDir) : undefined
  const named = folder ? namePlace({ ...input, address: folder.path }) : { url, credentials }
  const refuseKnown = () => {
    const isKnown = host.places.list().includes(named.url)
    if (isKnown && !credentials) throw new FieldProblem('address', 'Copies are made to this place already.')
  }
  refuseKnown()
  if (folder?.isSameDisk && !maySameDisk) return undefined
  const head = folder?.isNew ? undefined : await headOf(named)
  return serialize(async () => {
    refuseKnown()
    const known = host.places.list()
    await acceptKey(deps, head?.key, known.length === 0)
    if (folder) await makeOwnFolder(folder.path)
    if (credentials) await keepCredentials(keeper, named)
    if (!known.includes(named.url)) await host.places.save([...known, named.url])
    log.info({ url: named.url }, 'place of copies added')
    return named.url
  })
}

/** Returns what a place says about its copies. Fails if it cannot be used. */
async function headOf({ url, credentials }: NamedPlace): ReturnType<typeof readHead> {
  const place = await openPlace(url, { credentials })
  await place.list('')
  return readHead(place)
}

/** Makes sure that a place has copies of this server, or none, and that the key of the copies is kept. @param there that of the place */
async function acceptKey(
  { config: { dataDir }, keeper, files }: PlacesDeps,
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
