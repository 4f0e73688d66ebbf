/** The key of the copies and the passwords of their places: a file of their owner, or what the desktop keeps in the system's keyring. */

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Files, nodeFiles, readIfThere, replaceFile } from '../../store/files/files.ts'
import { isObject, parseJson } from '../../util/json.ts'
import type { PlaceCredentials } from './places/place.ts'
import { ReplicaKey } from './replica-key.ts'

/** As text in JSON. */
export interface Credentials {
  /** The age identity, `AGE-SECRET-KEY-1…`. */
  readonly key: string
  /** By the URL of the place. */
  readonly places?: Readonly<Record<string, PlaceCredentials>>
  /** Keys that other ones replaced. */
  readonly earlierKeys?: readonly string[]
  /** Keys by the folder of replaced data that they belong to: an undo uses them again. */
  readonly keysBefore?: Readonly<Record<string, string>>
}

/** The credentials cannot be read or saved yet: the keyring of the system has not responded. */
export class CredentialsUnavailable extends Error {
  override name = 'CredentialsUnavailable'
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
  files: Files = nodeFiles,
): CredentialsKeeper {
  return {
    async read() {
      const bytes = await readIfThere(files, path)
      if (bytes && process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) {
        throw new Error(`Other users can read ${path}. Run: chmod 600 ${path}`)
      }
      return bytes && Buffer.from(bytes).toString()
    },
    write: (text) => replaceFile(files, path, Buffer.from(text)),
  }
}

/** Returns the key and the credentials. Creates a key if there is none. @throws Error with a sentence for people */
export async function loadCredentials(
  keeper: CredentialsKeeper,
): Promise<Credentials & { readonly replicaKey: ReplicaKey }> {
  const { key, places = {} } = await readCredentials(keeper)
  if (key !== undefined) return { key, places, replicaKey: await ReplicaKey.parse(key) }
  const replicaKey = await ReplicaKey.generate()
  await keeper.write(`${JSON.stringify({ key: replicaKey.identity, places }, undefined, 2)}\n`)
  return { key: replicaKey.identity, places, replicaKey }
}

/**
 * Changes the stored credentials. A key that another one replaces stays among the earlier ones.
 * @param replaced name of the folder of replaced data that the earlier key belongs to
 */
export async function changeCredentials(
  keeper: CredentialsKeeper,
  change: Partial<Credentials>,
  replaced?: string,
): Promise<void> {
  const own = await readCredentials(keeper)
  const before = change.key !== undefined && change.key !== own.key ? own.key : undefined
  const kept = before !== undefined && {
    earlierKeys: [...new Set([...(own.earlierKeys ?? []), before])],
    ...(replaced !== undefined && { keysBefore: { ...own.keysBefore, [replaced]: before } }),
  }
  await keeper.write(`${JSON.stringify({ ...own, ...change, ...kept })}\n`)
}

/** Uses the key again that belongs to a folder of replaced data, which an undo has put back. Returns whether there was another one. */
export async function takeKeyBack(keeper: CredentialsKeeper, from: string, to: string): Promise<boolean> {
  const { key, keysBefore } = await readCredentials(keeper)
  const before = keysBefore?.[from]
  if (before === undefined || before === key) return false
  await changeCredentials(keeper, { key: before }, to)
  return true
}

/** The folder of replaced data that a key belongs to has another name now. */
export async function moveKeyBefore(keeper: CredentialsKeeper, from: string, to: string): Promise<void> {
  const { [from]: key, ...others } = (await readCredentials(keeper)).keysBefore ?? {}
  if (key !== undefined) await changeCredentials(keeper, { keysBefore: { ...others, [to]: key } })
}

/** Returns the stored credentials, which may be empty. @throws Error with a sentence for people */
export async function readCredentials(keeper: CredentialsKeeper): Promise<Partial<Credentials>> {
  const text = await keeper.read()
  if (text === undefined) return {}
  const value = parseJson(Buffer.from(text))
  if (isObject(value)) return value
  throw new Error('The credentials of the copies are no JSON object.')
}
