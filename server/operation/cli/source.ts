/** Where `npm run restore` reads from: the backups, or with `--from` a place. */
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  type CredentialsKeeper,
  changeCredentials,
  credentialsFile,
  credentialsName,
  readCredentials,
} from '../replicas/credentials.ts'
import { localTarget } from '../replicas/local/target.ts'
import { openPlace } from '../replicas/places/open.ts'
import { ReplicaKey } from '../replicas/replica-key.ts'
import { createSealer } from '../replicas/sealer.ts'
import type { Target } from '../replicas/send.ts'
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

export interface Source {
  readonly target: Target
  /** Keeps the key of the place for the server here. Returns sentences for people. @param replaced the folder with the replaced data */
  adoptKey(replaced: string | undefined): Promise<string[]>
}

/** @throws Error with a sentence for people */
export async function withSource<T>(
  { dataDir, flags: { from, key } }: RestoreInvocation,
  work: (source: Source) => Promise<T>,
): Promise<T> {
  if (from === undefined) return work({ target: localTarget(dataDir), adoptKey: async () => [] })
  if (key === undefined)
    throw new Error(
      '--from needs --key, a file with the key of the copy. The folder "backups" of a data folder has no key: copy it into the data folder here, and restore by TIME.',
    )
  if (!URL.canParse(from)) throw new Error(`${from} is no URL of a place.`)
  const replicaKey = await ReplicaKey.parse(await readFile(key, 'utf8'))
  const { keeper } = keeperOf(dataDir)
  const credentials = (await readCredentials(keeper)).places?.[from.replace(/\/$/, '')]
  const sealer = createSealer(replicaKey)
  try {
    const target = { place: await openPlace(from, { credentials }), sealer }
    return await work({ target, adoptKey: (replaced) => adoptKey(dataDir, replicaKey.identity, replaced) })
  } finally {
    await sealer.end()
  }
}

/** Returns where the server here keeps its key. */
export function keeperOf(dataDir: string): { readonly keeper: CredentialsKeeper; readonly path: string } {
  const path = process.env.PDS_COPIES_CREDENTIALS || join(dataDir, credentialsName)
  return { keeper: credentialsFile(dataDir, path), path }
}

/** Without this key the server here could not continue the copy. */
async function adoptKey(dataDir: string, key: string, replaced: string | undefined): Promise<string[]> {
  const { keeper, path } = keeperOf(dataDir)
  const own = await readCredentials(keeper)
  if (own.key === key) return []
  await changeCredentials(keeper, { key }, replaced && basename(replaced))
  if (own.key === undefined) return []
  return [`The key of the copy replaces another one, which is kept in "earlierKeys" of ${path}.`]
}
