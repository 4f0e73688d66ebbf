/** `npm run backup`: a backup of the data, also while the server runs. */
import { resolve } from 'node:path'
import { backup, exportBackup } from '../store/backup.ts'
import { type Invocation, runCommand } from './command.ts'
import { choosePassphrase } from './passphrase.ts'

const help = `
Makes a backup of the data, also while the server runs.

  npm run backup [-- --data-dir DIR]
  npm run backup -- --export FILE [--passphrase-file FILE | --unprotected] [--data-dir DIR]

The backup is a whole SQLite file in DIR/backups, checked, with its SHA-256 beside it. The newest seven are kept;
a copy under a name of your own stays as long as you like.

With --export it is one file to carry to another machine: accounts, records and keys. Whoever can read it can act as
its accounts, so it asks for a passphrase to protect it, or takes the first line of --passphrase-file. Without a
terminal it makes a file that is not protected only when told so, with --unprotected.
`

await runCommand(help, async (invocation) => {
  const { dataDir, positionals, list, exportTo, passphraseFile, unprotected } = invocation
  const protections = Number(passphraseFile !== undefined) + Number(unprotected)
  const isAmiss = positionals.length > 0 || list || protections > (exportTo === undefined ? 0 : 1)
  if (isAmiss) throw new Error(help.trim())
  if (exportTo !== undefined) return exportTheData(invocation, resolve(exportTo))
  const { file, bytes } = await backup(dataDir, new Date())
  return `${file} (${bytes} bytes)`
})

async function exportTheData(invocation: Invocation, file: string): Promise<string> {
  const { dataDir, passphraseFile, unprotected } = invocation
  const passphrase = unprotected ? undefined : await choosePassphrase(passphraseFile)
  const bytes = await exportBackup(dataDir, file, { createdAt: new Date(), passphrase })
  const protection =
    passphrase === undefined
      ? 'It is not protected: whoever can read it can act as its accounts.'
      : 'Without the passphrase nobody can read it, nor can you.'
  return `${file} (${bytes} bytes)\n${protection}`
}
