/** `npm run copy`: the key and the state of the continuous copies. */
import { resolve } from 'node:path'
import { nodeFiles, replaceFile } from '../../platform/store/files.ts'
import { credentialsFile, loadCredentials } from '../replicas/credentials.ts'
import { currentStatus } from '../replicas/status.ts'
import { runCommand } from './command.ts'

const help = `
Shows the key and the state of the continuous copies that PDS_COPIES asks for.

  npm run copy -- --sheet FILE [--data-dir DIR]
  npm run copy -- --status [--data-dir DIR]

--sheet writes the key of the copies to a file that only its owner can read. Keep it outside of this computer: the copies cannot
be read without it. Its format is that of an age identity (https://age-encryption.org). --status prints the state of each place as JSON:
lastCopiedAt, behindSeconds, lastProvenAt, error.
`

await runCommand(help, async ({ dataDir, sheet, status, positionals }) => {
  if (positionals.length > 0 || (sheet === undefined) === !status) throw new Error(help.trim())
  if (status) return JSON.stringify(await currentStatus(nodeFiles, dataDir), undefined, 2)
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
