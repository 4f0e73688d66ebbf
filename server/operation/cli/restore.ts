/** `npm run restore`: replaces the data with a backup. */
import { join, resolve } from 'node:path'
import { isProtected } from '../../platform/store/backups/backup-content.ts'
import { restore, undoRestore } from '../../platform/store/backups/restore.ts'
import { handlesIn, newestRecord } from '../../platform/store/backups/salvage.ts'
import { deleteReplaced, listReplaced } from '../../platform/store/replaced.ts'
import { schema } from '../../platform/store/schema.ts'
import type { Reader } from '../../platform/store/transaction.ts'
import { iso } from '../../platform/util/time.ts'
import { bringBack } from '../replicas/bring-back.ts'
import { type Backup, listBackups } from '../replicas/local/list.ts'
import type { BackupProof } from '../replicas/local/proof.ts'
import { backupFolder, localTarget } from '../replicas/local/target.ts'
import { confirmInTerminal, runBringBack } from './bring-back.ts'
import { runCommand } from './command.ts'
import { readPassphrase } from './passphrase.ts'
import { runSalvage } from './salvage.ts'

const help = `
Replaces the data with a backup. Stop the server first.

  npm run restore -- TIME [--accept-loss] [--data-dir DIR]
  npm run restore -- FILE [--passphrase-file FILE] [--data-dir DIR]
  npm run restore -- --from URL --key FILE [--at TIME] [--data-dir DIR]
  npm run restore -- --list [--data-dir DIR]
  npm run restore -- --undo [NAME] [--data-dir DIR]
  npm run restore -- --forget NAME [--data-dir DIR]
  npm run restore -- --salvage [--accept-loss] [--accept-changed] [--data-dir DIR]

--undo puts a folder of replaced files back whole, by default the newest; the present files become such a folder.
--list also shows when each backup was last proven restorable: restored into a scratch folder, opened, and all of it verified;
and the folders of replaced files. The server deletes those after 30 days, --forget deletes one now.
TIME is that of a backup in DIR/backups, as --list shows it; FILE is the path of another one. The backup is verified before anything
changes, and the replaced files are kept in DIR/replaced-<time>. Media come from the folder blobs beside the backup, or from the replaced
data; those that are in neither are marked as missing, and their accounts can upload them again. A file of "npm run backup -- --export" is restored in the same way: if it is
encrypted, the command asks for the passphrase, or reads the first line of --passphrase-file.

--from restores the continuous copy at a place, as PDS_COPIES names it, with the key of the recovery sheet in the file --key: as it was
last, or at TIME, such as 2026-05-01T12:00Z. A password of the place is read from PDS_COPIES_CREDENTIALS. An interrupted restore goes on
where it ended. The server that the copy comes from stops writing when it sees that it is continued elsewhere.

--salvage opens what verifies of damaged data, and takes damaged pages of the database from backups. It states what is lost and asks before
anything changes; the damaged files are kept. It also
accepts a database that another program changed while the server was stopped, if it is sound. In scripts, --accept-loss and
--accept-changed answer the questions.
`

await runCommand(help, async (invocation) => {
  const { dataDir, list, exportTo, passphraseFile, unprotected, positionals } = invocation
  if (list) return [await describeBackups(dataDir), ...(await describeReplaced(dataDir))].join('\n')
  if (invocation.from !== undefined) return runBringBack(invocation)
  if (invocation.salvage) return runSalvage(invocation)
  if (invocation.forget !== undefined) return forget(dataDir, invocation.forget)
  const [name] = positionals
  if (invocation.undo && positionals.length < 2) return undo(dataDir, name)
  const isInvalid = name === undefined || positionals.length > 1 || exportTo !== undefined || unprotected
  if (isInvalid) throw new Error(help.trim())
  let whose = ''
  const onOpened = (sqlite: Reader) => {
    whose = describeOwners(sqlite)
  }
  const now = () => new Date()
  const backup = (await listBackups(dataDir)).find(({ at }) => iso(at) === name)
  let replaced: string | undefined
  if (backup) {
    const confirmLoss = (loss: string) => confirmInTerminal(loss, invocation.acceptLoss)
    const target = localTarget(dataDir)
    const result = await bringBack({ target, dataDir, base: backup.name, now, onOpened, confirmLoss })
    replaced = result.replaced
  } else {
    const file = resolve(name)
    const passphrase = (await isProtected(file)) ? await readPassphrase(passphraseFile) : undefined
    replaced = await restore({ directory: dataDir, file, passphrase, schema, now, onOpened })
  }
  return replaced === undefined
    ? `Restored ${name}.${whose}`
    : `Restored ${name}.${whose} The replaced files are in ${replaced}. The server deletes them after 30 days.`
})

async function describeBackups(dataDir: string): Promise<string> {
  const backups = await listBackups(dataDir)
  if (backups.length === 0) return `There are no backups in ${backupFolder(dataDir)}.`
  const proven = backups.flatMap(({ proof }) => proof?.provenAt ?? [])
  const latest = proven.toSorted((a, b) => a.getTime() - b.getTime()).at(-1)
  const summary =
    latest === undefined
      ? 'No backup has been proven restorable.'
      : `A backup was last proven restorable: ${iso(latest)}`
  return [summary, '', ...backups.map(describeOne)].join('\n')
}

async function describeReplaced(dataDir: string): Promise<string[]> {
  const replaced = await listReplaced(dataDir)
  if (replaced.length === 0) return []
  const lines = replaced.map(
    ({ name, replacedAt, keptUntil, bytes }) =>
      `${iso(replacedAt)}  ${bytes} bytes  ${name}\n  deleted on ${iso(keptUntil).slice(0, 10)}`,
  )
  return ['', 'Replaced files:', '', ...lines]
}

async function forget(dataDir: string, name: string): Promise<string> {
  if (await deleteReplaced(dataDir, name)) return `Deleted ${join(dataDir, name)}.`
  throw new Error(`There is no folder of replaced files ${name} in ${dataDir}. --list shows their names.`)
}

/** Says whose data these are. */
function describeOwners(sqlite: Reader): string {
  const shown = 5
  const rows = handlesIn(sqlite)
  const handles = rows.slice(0, shown)
  if (rows.length > shown) handles.push(`${rows.length - shown} more`)
  const changed = newestRecord(sqlite)
  const until = changed ? ` The last change is of ${iso(changed)}.` : ''
  return rows.length === 0 ? ` It has no accounts.${until}` : ` It has ${handles.join(', ')}.${until}`
}

async function undo(dataDir: string, name?: string): Promise<string> {
  const folders = await listReplaced(dataDir)
  const folder = folders.find((each) => name === undefined || each.name === name)
  if (!folder) throw new Error(`There are no such replaced files in ${dataDir}. --list shows their names.`)
  const path = join(dataDir, folder.name)
  const replaced = await undoRestore({ directory: dataDir, now: () => new Date() }, path)
  return `Put ${path} back. The replaced files are in ${replaced}. The server deletes them after 30 days.`
}

function describeOne({ name, at, bytes, isPartial, proof }: Backup): string {
  const kind = isPartial ? '  incomplete' : ''
  return `${iso(at)}${kind}  ${bytes} bytes  ${name}\n  ${describeProof(proof)}`
}

function describeProof(proof: BackupProof | undefined): string {
  if (!proof) return 'not checked yet'
  const { checkedAt, provenAt, problem, missing } = proof
  const lost = missing ? `, without ${missing.count} lost media files: ${missing.cids.join(', ')}` : ''
  if (problem === undefined) return `last proven restorable: ${iso(checkedAt)}${lost}`
  const before = provenAt ? ` (last proven restorable: ${iso(provenAt)})` : ''
  return `not restorable: ${problem}${before}`
}
