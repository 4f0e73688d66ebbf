/** The key and the state of the replicas, and places that are empty. */
import { type Files, nodeFiles, readIfThere, replaceFile } from '../../store/files/files.ts'
import { systemTime } from '../../util/timers.ts'
import { type CredentialsKeeper, keyOfData, readCredentials } from '../replicas/credentials.ts'
import { readHead } from '../replicas/lease.ts'
import { permitEmpty } from '../replicas/place-reader.ts'
import { openPlace } from '../replicas/places/open.ts'
import { idOf } from '../replicas/replica.ts'
import { backupStatus, currentStatus } from '../replicas/replica-status.ts'
import { keeperOf } from './source.ts'

/** Returns the state of the backups and of each place, as JSON. */
export async function describeStatus(dataDir: string): Promise<string> {
  const all = [await backupStatus(dataDir, systemTime()), ...(await currentStatus(nodeFiles, dataDir))]
  return JSON.stringify(all, undefined, 2)
}

/** Permits the server to begin anew at an empty place. */
export async function acceptEmpty(dataDir: string, url: string): Promise<string> {
  if (!(await placesOf(dataDir)).has(url))
    throw new Error(`${url} is not a place of this server. --status shows its places.`)
  await permitEmpty(nodeFiles, dataDir, idOf(url))
  return 'The server begins anew at this place within five minutes.'
}

/** Returns the places of the settings, and those that a server has reported. */
async function placesOf(dataDir: string, files = nodeFiles): Promise<Set<string>> {
  const known = (await currentStatus(files, dataDir)).map(({ place }) => place)
  return new Set([...(process.env.PDS_COPIES ?? '').split(/[\s,]+/).filter(Boolean), ...known])
}

/** Writes the key to a file, if it opens the replica at each place that responds. */
export async function writeSheet(
  dataDir: string,
  file: string,
  {
    files = nodeFiles,
    keeper = keeperOf(dataDir).keeper,
  }: { readonly files?: Files; readonly keeper?: CredentialsKeeper } = {},
): Promise<string> {
  const { path } = keeperOf(dataDir)
  const { places = {} } = await readCredentials(keeper)
  const replicaKey = await keyOfData(keeper, dataDir, files)
  if (!replicaKey) {
    throw new Error(
      `There is no key of copies in ${path}. The server makes one when it starts with PDS_COPIES; name its file with PDS_COPIES_CREDENTIALS, as for the server.`,
    )
  }
  const { fingerprint, identity: key } = replicaKey
  const lines = [file, 'Keep it outside of this computer: only this key opens the copies.']
  for (const url of await placesOf(dataDir, files)) {
    const answer = await openPlace(url, { credentials: places[url] }).then(readHead).catch(toError)
    if (answer instanceof Error) {
      lines.push(`Not compared, because it cannot be read: ${url} (${answer.message})`)
    } else if (!answer) lines.push(`There is no copy yet: ${url}`)
    else if (answer.key !== fingerprint) {
      throw new Error(`The key does not open the copy at ${url}. No sheet was written.`)
    }
  }
  const there = await readIfThere(files, file)
  if (there?.length && !Buffer.from(there).toString().includes(key)) {
    throw new Error(
      `${file} exists, without this key: it may be the sheet of another server. Name another file.`,
    )
  }
  const text = `# The key of the copies of a personal data server\n${key}\n`
  await replaceFile(files, file, Buffer.from(text))
  return lines.join('\n')
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
