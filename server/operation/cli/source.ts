/** Where `npm run restore` reads from: the backups, or with `--from` a place. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bringBack } from '../replicas/bring-back.ts'
import {
  type CredentialsKeeper,
  chooseKeyOfData,
  credentialsFile,
  credentialsName,
  readCredentials,
} from '../replicas/credentials.ts'
import { type OpenedPlace, withPlace } from '../replicas/from-place.ts'
import { localTarget } from '../replicas/local/target.ts'
import { ReplicaKey } from '../replicas/replica-key.ts'
import type { Invocation } from './command.ts'

/** The flags of `npm run restore`. */
export const restoreOptions = {
  list: { type: 'boolean' },
  'accept-loss': { type: 'boolean' },
  'accept-changed': { type: 'boolean' },
  from: { type: 'string' },
  key: { type: 'string' },
  at: { type: 'string' },
  'passphrase-file': { type: 'string' },
  undo: { type: 'boolean' },
  forget: { type: 'string' },
  salvage: { type: 'boolean' },
} as const
export type RestoreInvocation = Invocation<typeof restoreOptions>

/** @throws Error with a sentence for people */
export async function withSource<T>(
  { dataDir, flags: { from, key } }: RestoreInvocation,
  work: (source: OpenedPlace) => Promise<T>,
): Promise<T> {
  const local = localTarget(dataDir)
  if (from === undefined)
    return work({ target: local, bringBack: (options) => bringBack({ ...options, target: local }) })
  if (key === undefined)
    throw new Error(
      '--from needs --key, a file with the key of the copy. The folder "backups" of a data folder has no key: copy it into the data folder here, and restore by TIME.',
    )
  if (!URL.canParse(from)) throw new Error(`${from} is no URL of a place.`)
  const replicaKey = await ReplicaKey.parse(await readFile(key, 'utf8'))
  const { keeper } = keeperOf(dataDir)
  const url = from.replace(/\/$/, '')
  const credentials = (await readCredentials(keeper)).places?.[url]
  return withPlace({ url, key: replicaKey, credentials, keeper }, work)
}

/** Returns where the server here keeps its key. */
export function keeperOf(dataDir: string): { readonly keeper: CredentialsKeeper; readonly path: string } {
  const path = process.env.PDS_COPIES_CREDENTIALS || join(dataDir, credentialsName)
  return { keeper: credentialsFile(dataDir, path), path }
}

/** Returns a sentence if the data have another key than before. Call it after they were replaced. */
export async function describeKey(dataDir: string, describe: (path: string) => string): Promise<string[]> {
  const { keeper, path } = keeperOf(dataDir)
  try {
    return (await chooseKeyOfData(keeper, dataDir)) ? [describe(path)] : []
  } catch (error) {
    // The data are replaced.
    return [error instanceof Error ? error.message : String(error)]
  }
}
