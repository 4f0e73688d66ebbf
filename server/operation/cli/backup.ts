/** `npm run backup`: backs the data up, also while the server runs; the key and the state of the replicas. */
import { join, resolve } from 'node:path'
import { exportBackup } from '../../store/backups/copy-data.ts'
import { nodeFiles, sizeIfThere } from '../../store/files/files.ts'
import { systemTime } from '../../util/timers.ts'
import { makeBackup } from '../replicas/local/backups.ts'
import { createBackupProofs } from '../replicas/local/proofs.ts'
import { backupFolder } from '../replicas/local/target.ts'
import { runCommand } from './command.ts'
import { choosePassphrase } from './passphrase.ts'
import { acceptEmpty, describeStatus, writeSheet } from './places.ts'

const help = `
Backs the data up, also while the server runs.

  npm run backup [-- --data-dir DIR]
  npm run backup -- --export FILE [--passphrase-file FILE | --unprotected] [--data-dir DIR]
  npm run backup -- --status [--data-dir DIR]
  npm run backup -- --sheet FILE [--data-dir DIR]
  npm run backup -- --accept-empty URL [--data-dir DIR]

A backup is a folder in DIR/backups/bases. Its database is compressed with Zstandard ("zstd -d FILE -o copy.sqlite" opens it). It is
restored into a scratch folder and verified. Media are in DIR/backups/blobs, each file once for all backups, and take no further space
where the disk has hard links. The newest seven backups are kept, beside one per day of a week and one per week of a month.

With --export the backup is one file for another computer, with accounts, records, media and keys. It is encrypted with a
passphrase: the command asks for one, or reads the first line of --passphrase-file. --unprotected writes it without
encryption; any reader of the file can then act as its accounts. A file that exists is kept. The file is in the age format (https://age-encryption.org), so it can
be read without this program:

  age --decrypt FILE | tar -xz -C DIR

The other flags are for the places in PDS_COPIES. --status prints the state of the backups and of each place as JSON: lastCopiedAt,
behindSeconds, lastProvenAt, error. --sheet writes the key of the places to a file that only its owner can read. Keep it outside of this
computer: a place cannot be read without it. It is written only if it opens each place that responds, and never made: the server does
that. Its format is that of an age identity. A file that has the sheet of another server is kept. --accept-empty begins anew at a place
that had the data and is empty; a disk that is not connected looks the same.
`

const options = {
  export: { type: 'string' },
  'passphrase-file': { type: 'string' },
  unprotected: { type: 'boolean' },
  status: { type: 'boolean' },
  sheet: { type: 'string' },
  'accept-empty': { type: 'string' },
} as const

await runCommand(help, options, async ({ dataDir, positionals, flags }) => {
  const { export: exportTo, unprotected, status, sheet, 'accept-empty': empty, ...rest } = flags
  const passphraseFile = rest['passphrase-file']
  const asked = [exportTo, status, sheet, empty].filter((each) => each !== undefined)
  const protections = [passphraseFile, unprotected].filter((each) => each !== undefined)
  const isInvalid =
    positionals.length > 0 || asked.length > 1 || protections.length > (exportTo === undefined ? 0 : 1)
  if (isInvalid) throw new Error(help.trim())
  if (exportTo !== undefined) {
    await refuseExisting(resolve(exportTo))
    const passphrase = unprotected ? undefined : await choosePassphrase(passphraseFile)
    return exportData(dataDir, resolve(exportTo), passphrase)
  }
  if (status) return describeStatus(dataDir)
  if (sheet !== undefined) return writeSheet(dataDir, resolve(sheet))
  return empty === undefined ? backUp(dataDir) : acceptEmpty(dataDir, empty.replace(/\/$/, ''))
})

async function backUp(dataDir: string): Promise<string> {
  const now = systemTime
  const made = await makeBackup({ dataDir, now })
  const { bytes, parts } = made
  const file = join(backupFolder(dataDir), parts[0] ?? '')
  const { problem } = await createBackupProofs({ dataDir, now }).prove(made)
  if (problem !== undefined) throw new Error(`${file} was made, but cannot be restored. ${problem}`)
  return `${file} (${bytes} bytes)\nIt is restorable: it was restored into a scratch folder and verified.`
}

/** The file may be the only copy of another server, or of an earlier state. */
async function refuseExisting(file: string): Promise<void> {
  if ((await sizeIfThere(nodeFiles, file)) === undefined) return
  throw new Error(`${file} exists, and is kept. Name another file, or delete it first.`)
}

async function exportData(dataDir: string, file: string, passphrase: string | undefined): Promise<string> {
  const bytes = await exportBackup(dataDir, file, { createdAt: systemTime(), passphrase })
  const protection =
    passphrase === undefined
      ? 'It is not encrypted: any reader of the file can act as its accounts.'
      : 'It is encrypted. There is no way to read it without the passphrase.'
  return `${file} (${bytes} bytes)\n${protection}`
}
