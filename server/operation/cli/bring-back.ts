/** `npm run restore -- --from`: restores a copy. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { iso } from '../../platform/util/time.ts'
import { bringBack } from '../replicas/bring-back.ts'
import {
  type Credentials,
  credentialsFile,
  credentialsName,
  readCredentials,
} from '../replicas/credentials.ts'
import { openPlace } from '../replicas/places/open.ts'
import { ReplicaKey } from '../replicas/replica-key.ts'
import { createSealer } from '../replicas/sealer.ts'
import type { Invocation } from './command.ts'
import { ask } from './salvage.ts'

/** Prints a loss, and asks whether to go on. */
export async function confirmInTerminal(loss: string, isAccepted: boolean): Promise<boolean> {
  process.stdout.write(`${loss}\n`)
  return isAccepted || ask('Restore it without them? [y/N] ', '--accept-loss')
}

/** @throws Error with a sentence for people */
export async function runBringBack({ from, keyFile, at, dataDir, acceptLoss }: Invocation): Promise<string> {
  if (from === undefined || keyFile === undefined)
    throw new Error('--from needs --key, a file with the key of the copy.')
  if (!URL.canParse(from)) throw new Error(`${from} is no URL of a place.`)
  const until = at === undefined ? undefined : new Date(at)
  if (until && Number.isNaN(until.getTime())) throw new Error(`${at} is no time such as 2026-05-01T12:00Z.`)
  const replicaKey = await ReplicaKey.parse(await readFile(keyFile, 'utf8'))
  const sealer = createSealer(replicaKey)
  try {
    const path = process.env.PDS_COPIES_CREDENTIALS || join(dataDir, credentialsName)
    const keeper = credentialsFile(dataDir, path)
    const own: Partial<Credentials> & { earlierKeys?: unknown[] } = await readCredentials(keeper)
    const credentials = own.places?.[from.replace(/\/$/, '')]
    const target = { place: await openPlace(from, { credentials }), sealer }
    const result = await bringBack({
      ...{ target, dataDir, at: until, now: () => new Date() },
      confirmLoss: (loss) => confirmInTerminal(loss, acceptLoss),
    })
    // Without its key the server here could not continue the copy.
    const isOther = own.key !== undefined && own.key !== replicaKey.identity
    const earlier = isOther ? { earlierKeys: [...(own.earlierKeys ?? []), own.key] } : {}
    if (own.key !== replicaKey.identity) {
      await keeper.write(`${JSON.stringify({ ...own, key: replicaKey.identity, ...earlier })}\n`)
    }
    const lines = [`Restored the copy of ${iso(result.at)}.`]
    if (isOther) {
      lines.push(`The key of the copy replaces another one, which is kept in "earlierKeys" of ${path}.`)
    }
    if (result.missing.length > 0)
      lines.push(`It lacks ${result.missing.length} media files. They are marked as missing.`)
    if (result.replaced !== undefined) {
      lines.push(`The replaced files are in ${result.replaced}. The server deletes them after 30 days.`)
    }
    return lines.join('\n')
  } finally {
    await sealer.end()
  }
}
