/** `npm run backup`: backs the data up, also while the server runs. */
import { join, resolve } from 'node:path'
import { exportBackup } from '../../platform/store/backups/copy-data.ts'
import { makeBackup } from '../replicas/local/backups.ts'
import { createBackupProofs } from '../replicas/local/proofs.ts'
import { backupFolder } from '../replicas/local/target.ts'
import { type Invocation, runCommand } from './command.ts'
import { choosePassphrase } from './passphrase.ts'

const help = `
Backs the data up, also while the server runs.

  npm run backup [-- --data-dir DIR]
  npm run backup -- --export FILE [--passphrase-file FILE | --unprotected] [--data-dir DIR]

The backup is an SQLite file in DIR/backups, compressed with Zstandard ("zstd -d FILE -o copy.sqlite" opens it), with its
checksums beside it. It is restored into a scratch folder and verified. Media are in DIR/backups/blobs, each file once for
all backups, and take no further space where the disk has hard links. The newest seven backups made by this command are
kept, beside the daily ones. Files with other names in that folder are never removed.

With --export the backup is one file for another computer, with accounts, records, media and keys. It is encrypted with a
passphrase: the command asks for one, or reads the first line of --passphrase-file. --unprotected writes it without
encryption; any reader of the file can then act as its accounts.

The file is in the age format (https://age-encryption.org), so it can be read without this program:

  age --decrypt FILE | tar -xz -C DIR
`

await runCommand(help, async (invocation) => {
  const { dataDir, positionals, list, exportTo, passphraseFile, unprotected } = invocation
  const protections = Number(passphraseFile !== undefined) + Number(unprotected)
  const isInvalid = positionals.length > 0 || list || protections > (exportTo === undefined ? 0 : 1)
  if (isInvalid) throw new Error(help.trim())
  if (exportTo !== undefined) return exportData(invocation, resolve(exportTo))
  const now = () => new Date()
  const made = await makeBackup({ dataDir, now })
  const { bytes, parts } = made
  const file = join(backupFolder(dataDir), parts[0] ?? '')
  const { problem } = await createBackupProofs({ dataDir, now }).prove(made)
  if (problem !== undefined) throw new Error(`${file} was made, but cannot be restored. ${problem}`)
  return `${file} (${bytes} bytes)\nIt is restorable: it was restored into a scratch folder and verified.`
})

async function exportData(invocation: Invocation, file: string): Promise<string> {
  const { dataDir, passphraseFile, unprotected } = invocation
  const passphrase = unprotected ? undefined : await choosePassphrase(passphraseFile)
  const bytes = await exportBackup(dataDir, file, { createdAt: new Date(), passphrase })
  const protection =
    passphrase === undefined
      ? 'It is not encrypted: any reader of the file can act as its accounts.'
      : 'It is encrypted. There is no way to read it without the passphrase.'
  return `${file} (${bytes} bytes)\n${protection}`
}
