/** `npm run copy`: the key and the state of the continuous copies. */
import { join, resolve } from 'node:path'
import { nodeFiles, replaceFile } from '../../platform/store/files.ts'
import { credentialsFile, credentialsName, readCredentials } from '../replicas/credentials.ts'
import { permitEmpty } from '../replicas/empty-place.ts'
import { readHead } from '../replicas/lease.ts'
import { openPlace } from '../replicas/places/open.ts'
import { idOf } from '../replicas/replica.ts'
import { ReplicaKey } from '../replicas/replica-key.ts'
import { currentStatus } from '../replicas/status.ts'
import { runCommand } from './command.ts'

const help = `
Shows the key and the state of the continuous copies that PDS_COPIES asks for.

  npm run copy -- --sheet FILE [--data-dir DIR]
  npm run copy -- --status [--data-dir DIR]
  npm run copy -- --accept-empty URL [--data-dir DIR]

--sheet writes the key of the copies to a file that only its owner can read. Keep it outside of this computer: the copies cannot
be read without it. It is written only if it opens the copy at each place that responds, and never made: the server does that. Its format is that of an age identity (https://age-encryption.org). --status prints the state of each place as JSON:
lastCopiedAt, behindSeconds, lastProvenAt, error. --accept-empty begins anew at a place that had the copy and is empty; a disk that is not
connected looks the same.
`

await runCommand(help, async ({ dataDir, sheet, status, acceptEmpty, positionals }) => {
  const asked = [sheet, status || undefined, acceptEmpty].filter((each) => each !== undefined)
  if (positionals.length > 0 || asked.length !== 1) throw new Error(help.trim())
  if (status) return JSON.stringify(await currentStatus(nodeFiles, dataDir), undefined, 2)
  if (acceptEmpty !== undefined) {
    if (!(await placesOf(dataDir)).has(acceptEmpty))
      throw new Error(`${acceptEmpty} is no place of copies. The places are named by --status.`)
    await permitEmpty(nodeFiles, dataDir, idOf(acceptEmpty))
    return 'The server begins anew at this place within five minutes.'
  }
  return writeSheet(dataDir, resolve(sheet as string))
})

/** Returns the places of the settings, and those that a server has reported. */
async function placesOf(dataDir: string): Promise<Set<string>> {
  const known = (await currentStatus(nodeFiles, dataDir)).map(({ place }) => place)
  return new Set([...(process.env.PDS_COPIES ?? '').split(/[\s,]+/).filter(Boolean), ...known])
}

/** Writes the key to a file, if it opens the copy of each place that responds. */
async function writeSheet(dataDir: string, file: string): Promise<string> {
  const from = process.env.PDS_COPIES_CREDENTIALS || undefined
  const { key, places = {} } = await readCredentials(credentialsFile(dataDir, from))
  if (key === undefined) {
    const where = from ?? join(dataDir, credentialsName)
    throw new Error(
      `There is no key of copies in ${where}. The server makes one when it starts with PDS_COPIES; name its file with PDS_COPIES_CREDENTIALS, as for the server.`,
    )
  }
  const { fingerprint } = await ReplicaKey.parse(key)
  const lines = [file, 'Keep it outside of this computer: only this key opens the copies.']
  for (const url of await placesOf(dataDir)) {
    const answer = await openPlace(url, { credentials: places[url] }).then(readHead).catch(toError)
    if (answer instanceof Error) {
      lines.push(`Not compared, because it cannot be read: ${url} (${answer.message})`)
    } else if (!answer) lines.push(`There is no copy yet: ${url}`)
    else if (answer.key !== fingerprint) {
      throw new Error(`The key does not open the copy at ${url}. No sheet was written.`)
    }
  }
  const text = `# The key of the copies of a personal data server\n${key}\n`
  await replaceFile(nodeFiles, file, Buffer.from(text))
  return lines.join('\n')
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
