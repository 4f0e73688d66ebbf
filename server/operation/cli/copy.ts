/** `npm run copy`: the key and the state of the continuous copies. */
import { resolve } from 'node:path'
import { nodeFiles, replaceFile } from '../../platform/store/files.ts'
import { credentialsFile, loadCredentials } from '../replicas/credentials.ts'
import { permitEmpty } from '../replicas/empty-place.ts'
import { idOf } from '../replicas/replica.ts'
import { currentStatus } from '../replicas/status.ts'
import { runCommand } from './command.ts'

const help = `
Shows the key and the state of the continuous copies that PDS_COPIES asks for.

  npm run copy -- --sheet FILE [--data-dir DIR]
  npm run copy -- --status [--data-dir DIR]
  npm run copy -- --accept-empty URL [--data-dir DIR]

--sheet writes the key of the copies to a file that only its owner can read. Keep it outside of this computer: the copies cannot
be read without it. Its format is that of an age identity (https://age-encryption.org). --status prints the state of each place as JSON:
lastCopiedAt, behindSeconds, lastProvenAt, error. --accept-empty begins anew at a place that had the copy and is empty; a disk that is not
connected looks the same.
`

await runCommand(help, async ({ dataDir, sheet, status, acceptEmpty, positionals }) => {
  const asked = [sheet, status || undefined, acceptEmpty].filter((each) => each !== undefined)
  if (positionals.length > 0 || asked.length !== 1) throw new Error(help.trim())
  if (status) return JSON.stringify(await currentStatus(nodeFiles, dataDir), undefined, 2)
  if (acceptEmpty !== undefined) {
    const places = await currentStatus(nodeFiles, dataDir)
    if (!places.some(({ place }) => place === acceptEmpty))
      throw new Error(`${acceptEmpty} is no place of copies. The places are named by --status.`)
    await permitEmpty(nodeFiles, dataDir, idOf(acceptEmpty))
    return 'The server begins anew at this place within five minutes.'
  }
  const keeper = credentialsFile(dataDir, process.env.PDS_COPIES_CREDENTIALS || undefined)
  const { key } = await loadCredentials(keeper)
  const file = resolve(sheet as string)
  await replaceFile(
    nodeFiles,
    file,
    Buffer.from(`# The key of the copies of a personal data server\n${key}\n`),
  )
  return `${file}\nKeep it outside of this computer: only this key opens the copies.`
})
