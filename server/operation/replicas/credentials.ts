/**
 * The keys of the copies and the passwords of their places: a file of their owner, or what the desktop keeps in the system's keyring. The data
 * name the key that they use; see `replica-key-file.ts`.
 */
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { secretFile } from '../../platform/config/secret-file.ts'
import { type Files, nodeFiles } from '../../store/files/files.ts'
import { databaseName, replicaKeyName } from '../../store/files/layout.ts'
import { readReplicaKey, writeReplicaKey } from '../../store/files/replica-key-file.ts'
import { isObject, parseJson } from '../../util/json.ts'
import type { PlaceCredentials } from './places/place.ts'
import { ReplicaKey } from './replica-key.ts'

/** As text in JSON. */
export interface Credentials {
  /** The age identity, `AGE-SECRET-KEY-1…`. Data that name no key use this one. */
  readonly key: string
  /** Credentials by the URL of the place. */
  readonly places?: Readonly<Record<string, PlaceCredentials>>
  /** The other known keys: replaced data may use them. */
  readonly earlierKeys?: readonly string[]
  /** Fingerprints of the keys whose recovery sheet was printed or saved. */
  readonly keptSheets?: readonly string[]
}

/** The credentials cannot be read or saved yet: the keyring of the system has not responded. */
export class CredentialsUnavailable extends Error {
  override name = 'CredentialsUnavailable'
}

/** No known key is the one that the data name. */
export class KeyMissing extends CredentialsUnavailable {
  override name = 'KeyMissing'

  constructor() {
    super(
      'The key of the copies of these data is not on this computer, so nothing is copied. Without the desktop, PDS_COPIES_CREDENTIALS names its file. If the key is lost, restore with the recovery sheet: on the Backups screen, or with "npm run restore -- --from URL --key FILE". An undo of that restore brings changes since the last copy back, and the key stays. To use another key, remove all places and add empty ones; without the desktop, delete the file pds.replica-key.',
    )
  }
}

/** Where they are kept. */
export interface CredentialsKeeper {
  /** Undefined if there are none yet. @throws CredentialsUnavailable */
  read(): Promise<string | undefined>
  /** Resolves once the text is saved: a copy whose key is lost can never be restored. @throws CredentialsUnavailable */
  write(text: string): Promise<void>
}

/** The name of the file in the data directory. */
export const credentialsName = 'copies-credentials.json'

export function credentialsFile(
  dataDir: string,
  path = join(dataDir, credentialsName),
  files?: Files,
): CredentialsKeeper {
  return secretFile(path, files)
}

export interface LoadedCredentials extends Pick<Credentials, 'places'> {
  readonly replicaKey: ReplicaKey
}

/** Returns the key of the data and the passwords. Creates a key if there is none. @throws KeyMissing, Error with a sentence for people */
export async function loadCredentials(
  keeper: CredentialsKeeper,
  dataDir: string,
  files?: Files,
): Promise<LoadedCredentials> {
  const known = await keyOfData(keeper, dataDir, files)
  const replicaKey = known ?? (await ReplicaKey.generate())
  if (!known) await changeCredentials(keeper, { key: replicaKey.identity })
  const { places = {} } = await readCredentials(keeper)
  return { places, replicaKey }
}

/** Returns the key that the data use; undefined if there is none. @throws KeyMissing, Error with a sentence for people */
export async function keyOfData(
  keeper: CredentialsKeeper,
  dataDir: string,
  files?: Files,
): Promise<ReplicaKey | undefined> {
  const { key, earlierKeys = [] } = await readCredentials(keeper)
  const used = await readReplicaKey(dataDir, files)
  if (used === undefined) return key === undefined ? undefined : ReplicaKey.parse(key)
  for (const text of [key, ...earlierKeys]) {
    const parsed = await ReplicaKey.parse(text ?? '').catch(() => undefined)
    if (parsed?.fingerprint === used) return parsed
  }
  throw new KeyMissing()
}

/** Makes the key of the data the chosen one. Returns whether another one was. @throws KeyMissing, Error with a sentence for people */
export async function chooseKeyOfData(
  keeper: CredentialsKeeper,
  dataDir: string,
  files?: Files,
): Promise<boolean> {
  const key = (await keyOfData(keeper, dataDir, files))?.identity
  const { key: chosen } = await readCredentials(keeper)
  if (key === undefined || key === chosen) return false
  await changeCredentials(keeper, { key })
  return chosen !== undefined
}

/** Names the key in the data that use it, unless they name one. A damaged name is written again. */
export async function nameKey(dataDir: string, key: ReplicaKey, files: Files = nodeFiles): Promise<void> {
  const hasData = (await files.list(dataDir)).includes(databaseName)
  if (hasData && (await readReplicaKey(dataDir, files)) === undefined)
    await writeReplicaKey(dataDir, key.fingerprint, files)
}

/** Lets data without any place use another key, if the credentials lack their key. */
export async function forgetLostKey(
  keeper: CredentialsKeeper,
  dataDir: string,
  files: Files = nodeFiles,
): Promise<void> {
  try {
    await keyOfData(keeper, dataDir, files)
  } catch (error) {
    if (!(error instanceof KeyMissing)) throw error
    await files.remove(join(dataDir, replicaKeyName))
  }
}

/** Changes the stored credentials. A key that another one replaces stays among the others. */
export async function changeCredentials(
  keeper: CredentialsKeeper,
  change: Partial<Credentials>,
): Promise<void> {
  const own = await readCredentials(keeper)
  const next = { ...own, ...change }
  const others = [...(own.earlierKeys ?? []), own.key, ...(change.earlierKeys ?? [])]
  const known = new Set(others.filter((key) => key !== undefined && key !== next.key))
  const changed = known.size === 0 ? next : { ...next, earlierKeys: [...known] }
  if (!isDeepStrictEqual(changed, own)) await keeper.write(`${JSON.stringify(changed, undefined, 2)}\n`)
}

/** Remembers that the recovery sheet of a key was printed or saved. */
export async function keepSheet(keeper: CredentialsKeeper, fingerprint: string): Promise<void> {
  const { keptSheets = [] } = await readCredentials(keeper)
  await changeCredentials(keeper, { keptSheets: [...new Set([...keptSheets, fingerprint])] })
}

/** Returns the stored credentials, which may be empty. @throws Error with a sentence for people */
export async function readCredentials(keeper: CredentialsKeeper): Promise<Partial<Credentials>> {
  const text = await keeper.read()
  if (text === undefined) return {}
  const value = parseJson(Buffer.from(text))
  if (isObject(value)) return value
  throw new Error('The credentials of the copies are no JSON object.')
}
