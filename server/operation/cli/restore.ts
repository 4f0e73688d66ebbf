/** `npm run restore`: replaces the data with a backup or with what a place has. */
import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { schema } from '../../schema/schema.ts'
import { isProtected } from '../../store/backups/backup-content.ts'
import { deleteReplaced, listReplaced } from '../../store/backups/replaced.ts'
import { finishInterrupted, restore, undoRestore } from '../../store/backups/restore.ts'
import { exists } from '../../store/files/blob-files.ts'
import { isMissing, nodeFiles } from '../../store/files/files.ts'
import { databaseName, parseReplacedName } from '../../store/files/layout.ts'
import { iso } from '../../util/time.ts'
import { systemTime } from '../../util/timers.ts'
import { headName } from '../replicas/catalog.ts'
import { listBackups } from '../replicas/local/list.ts'
import {
  confirmLoss,
  describeLostMedia,
  describeOwners,
  describeReplacement,
  runBringBack,
} from './bring-back.ts'
import { runCommand, withoutRemedy } from './command.ts'
import { readPassphrase } from './passphrase.ts'
import { describeRestorePoints } from './restore-points.ts'
import { runSalvage } from './salvage.ts'
import { describeKey, type RestoreInvocation, restoreOptions } from './source.ts'

const help = `
Replaces the data with a backup, or with what a place has. Stop the server first.

  npm run restore -- --list [--from URL --key FILE] [--data-dir DIR]
  npm run restore -- TIME [--accept-loss] [--data-dir DIR]
  npm run restore -- --from URL --key FILE [--at TIME] [--accept-loss] [--data-dir DIR]
  npm run restore -- FILE [--passphrase-file FILE] [--accept-loss] [--data-dir DIR]
  npm run restore -- --undo [NAME] [--data-dir DIR]
  npm run restore -- --forget NAME [--data-dir DIR]
  npm run restore -- --salvage [--from URL --key FILE] [--accept-loss] [--accept-changed] [--data-dir DIR]

--list shows the backups in DIR/backups, when each was last proven restorable (restored into a scratch folder, opened, and all of it
verified), and the folders of replaced files. The server deletes those after 30 days, --forget deletes one now. With --from it shows
the restore points of a place.

TIME is that of a backup, as --list shows it. --from restores from a place, as PDS_COPIES names it, with the key of the recovery sheet
in the file --key: as it was last, or at a TIME such as 2026-05-01T12:00Z. A password of the place is read from
PDS_COPIES_CREDENTIALS. An interrupted restore goes on where it ended: a server that starts in DIR keeps what was fetched for a week.
The server that wrote there stops writing when it sees that it is continued elsewhere.

Everything is fetched and verified before anything changes. The command prints until when the data reach, whose they are, and what is
missing; if something is lost, it asks, and in scripts --accept-loss answers. Media that are lost are marked as missing, and their
accounts can upload them again. The replaced files are kept in DIR/replaced-<time>; --undo puts such a folder back whole, by default
the newest, and the present files become one.

FILE is an SQLite file, plain or compressed, or a file of "npm run backup -- --export": if it is encrypted, the command asks for the
passphrase, or reads the first line of --passphrase-file. Media come from the folder blobs beside the file, from the replaced data, or
from the backups in DIR/backups.

--salvage opens what verifies of damaged data, and takes damaged pages of the database from backups, with --from also from a place. It
states what is lost and asks before anything changes; the damaged files are kept. It also accepts a database that another program
changed while the server was stopped, if it is sound. In scripts, --accept-loss and --accept-changed answer the questions.
`

/** The flags that each way to call the command uses, beside those that name it. */
const used = {
  list: ['from', 'key'],
  forget: [],
  undo: [],
  salvage: ['from', 'key', 'accept-loss', 'accept-changed'],
  from: ['key', 'at', 'accept-loss'],
} as const
const usedByName = ['accept-loss', 'passphrase-file']
const ways = ['list', 'forget', 'undo', 'salvage', 'from'] as const

await runCommand(help, restoreOptions, async (invocation) => {
  const { dataDir, flags, positionals } = invocation
  const unused = unusedFlag(invocation)
  if (unused !== undefined) throw new Error(`--${unused} has no effect here.\n\n${help.trim()}`)
  if (!isValid(invocation)) throw new Error(help.trim())
  const [name] = positionals
  if (flags.list) return describeRestorePoints(invocation)
  if (flags.forget !== undefined) return forget(dataDir, flags.forget)
  if (flags.undo) return putBack(dataDir, name)
  await refuseOtherFolder(dataDir)
  if (flags.salvage) return runSalvage(invocation)
  if (flags.from !== undefined) return runBringBack(invocation)
  if (name === undefined) throw new Error(help.trim())
  const backup = (await listBackups(dataDir)).find(({ at }) => iso(at) === name)
  if (backup && flags['passphrase-file'] !== undefined)
    throw new Error('A backup in the data folder has no passphrase. Leave --passphrase-file out.')
  if (backup) return runBringBack(invocation, backup)
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(name))
    throw new Error(`There is no backup of ${name}. --list shows their times.`)
  return restoreFile(invocation, name)
})

/** Returns the name of a flag that the command would ignore. */
function unusedFlag({ flags }: RestoreInvocation): string | undefined {
  const way = ways.find((each) => flags[each] !== undefined)
  const known: readonly string[] = way ? [way, ...used[way]] : usedByName
  return Object.keys(flags).find((name) => name !== 'data-dir' && !known.includes(name))
}

/** Whether the command has the flags and arguments that it needs. */
function isValid({ flags, positionals }: RestoreInvocation): boolean {
  const { list, salvage, undo, forget, from, key } = flags
  const isNamed = undo || [list, salvage, forget, from].every((each) => each === undefined)
  return positionals.length <= (isNamed ? 1 : 0) && (key === undefined || from !== undefined)
}

/** Folders that a person may take for a data folder. */
async function refuseOtherFolder(dataDir: string): Promise<void> {
  if (await exists(nodeFiles, join(dataDir, headName))) {
    throw new Error(`${dataDir} has backups or copies of a server, and is no data folder. Check --data-dir.`)
  }
  const [parent, name] = [dirname(dataDir), basename(dataDir)]
  if (parseReplacedName(name) !== undefined) {
    throw new Error(
      `${dataDir} has replaced data, and is no data folder. To put them back: --undo ${name} --data-dir ${parent}`,
    )
  }
  const has = (folder: string) => exists(nodeFiles, join(folder, databaseName))
  if ((await has(parent)) && !(await has(dataDir)))
    throw new Error(`${dataDir} is inside of the data folder ${parent}. Check --data-dir.`)
}

async function restoreFile({ dataDir, flags }: RestoreInvocation, name: string): Promise<string> {
  const file = resolve(name)
  const found = await stat(file).catch((error: unknown) => {
    if (isMissing(error))
      throw new Error(`${file} is missing. For a backup, write its time as --list shows it.`)
    throw error
  })
  if (found.isDirectory()) {
    throw new Error(
      `${name} is a folder. To restore one of the backups in a folder "backups", copy that folder into the data folder: --list shows their times then.`,
    )
  }
  const isEncrypted = await isProtected(file)
  if (!isEncrypted && flags['passphrase-file'] !== undefined)
    throw new Error(`${name} is not encrypted. Leave --passphrase-file out. Nothing was changed.`)
  const passphrase = isEncrypted ? await readPassphrase(flags['passphrase-file']) : undefined
  const work = restore({
    ...{ directory: dataDir, file, passphrase, schema, now: systemTime },
    onOpened: (sqlite) => process.stdout.write(`To restore: ${name}.${describeOwners(sqlite)}\n`),
    async onMissingBlobs({ length }) {
      if (length === 0 || (await confirmLoss(describeLostMedia(length), flags['accept-loss']))) return
      throw new Error('Nothing was changed.')
    },
  })
  const replaced = await withoutRemedy(work)
  return [`Restored ${name}.`, ...describeReplacement(replaced)].join(' ')
}

async function forget(dataDir: string, name: string): Promise<string> {
  if (await deleteReplaced(dataDir, name)) return `Deleted ${join(dataDir, name)}.`
  throw new Error(`There is no folder of replaced files ${name} in ${dataDir}. --list shows their names.`)
}

async function putBack(dataDir: string, name?: string): Promise<string> {
  const interrupted = await finishInterrupted({ directory: dataDir, now: systemTime })
  if (interrupted === 'undo') return 'The undo that was interrupted is finished now. Start the server.'
  const folders = await listReplaced(dataDir)
  const isClockWrong = folders.some(({ replacedAt }) => replacedAt > systemTime())
  if (name === undefined && isClockWrong && folders.length > 1) {
    throw new Error(
      'The clock is or was wrong, so the last restore is unknown. Add the name of a folder, as --list shows it.',
    )
  }
  const folder = folders.find((each) => name === undefined || each.name === name)
  if (!folder) throw new Error(`There are no such replaced files in ${dataDir}. --list shows their names.`)
  const path = join(dataDir, folder.name)
  const replaced = await undoRestore({ directory: dataDir, now: systemTime }, path)
  const keySentence = await describeKey(
    dataDir,
    () => 'The key of the copies is again the one of these data.',
  )
  return [`Put ${path} back.`, ...keySentence, ...describeReplacement(replaced)].join(' ')
}
