/** `npm run backup`: a backup of the data, also while the server runs. */
import { resolve } from 'node:path'
import { type Invocation, runCommand } from './command.ts'
import { choosePassphrase } from './passphrase.ts'
import { backup, exportBackup } from './store/backup.ts'

const help = `
Makes a backup of the data, also while the server runs.

  npm run backup [-- --data-dir DIR]
  npm run backup -- --export FILE [--passphrase-file FILE] [--data-dir DIR]

The backup is a whole SQLite file in DIR/backups, checked, with its SHA-256 beside it. The newest seven are kept;
a copy under a name of your own stays as long as you like.

With --export it is one file to carry to another machine: accounts, records and keys. Whoever can read it can act as
its accounts, so it asks for a passphrase to protect it, or takes the first line of --passphrase-file.
`

await runCommand(help, async (invocation) => {
  const { dataDir, positionals, list, exportTo, passphraseFile } = invocation
  const isAmiss = positionals.length > 0 || list || (passphraseFile !== undefined && exportTo === undefined)
  if (isAmiss) throw new Error(help.trim())
  if (exportTo !== undefined) return exportTheData(invocation, resolve(exportTo))
  const { file, bytes } = await backup(dataDir, new Date())
  return `${file} (${bytes} bytes)`
})

async function exportTheData({ dataDir, passphraseFile }: Invocation, file: string): Promise<string> {
  const passphrase = await choosePassphrase(passphraseFile)
  const { bytes } = await exportBackup(dataDir, file, { createdAt: new Date(), passphrase })
  const protection =
    passphrase === undefined
      ? 'It is not protected: whoever can read it can act as its accounts.'
      : 'Without the passphrase nobody can read it, nor can you.'
  return `${file} (${bytes} bytes)\n${protection}`
}
