/** Opens a locked data directory: creates, recovers or refuses it, and runs pending upgrades. */
import { join } from 'node:path'
import { contentOf, saveBackup } from './backup.ts'
import { removeJournals } from './checkpoint.ts'
import { StoreDamaged } from './errors.ts'
import { type Files, isMissing } from './files.ts'
import { Journal } from './journal-file.ts'
import {
  backupsName,
  fileTime,
  isData,
  isTemporary,
  journalPath,
  journalSeqs,
  replacedPrefix,
  restoredBlobsName,
  snapshotName,
} from './layout.ts'
import { checkVersion, migrate, newestVersion, type Schema } from './migrate.ts'
import { type Loaded, load } from './recover.ts'
import { finishRestore } from './restore.ts'
import { createSqlite, exportSnapshot, putSnapshot, schemaVersion, writeChecksum } from './snapshot.ts'
import { Sqlite } from './sqlite.ts'

/** An upgrade of the data to the schema of this program, by versions of the schema. */
export interface Upgrade {
  readonly from: number
  readonly to: number
  readonly state: 'started' | 'finished'
}

/** Notable events of a start. */
export interface StartEvents {
  /** Called before and after pending upgrades, which take a minute for a million notifications. */
  readonly onUpgrade?: (upgrade: Upgrade) => void
  /** Called when a damaged checksum of an intact snapshot was replaced. */
  readonly onDamagedChecksum?: () => void
}

export interface OpenedStore {
  readonly sqlite: Sqlite
  /** Number of the last transaction. */
  readonly seq: number
  readonly journal: Journal
  readonly snapshotBytes: number
  /** Bytes in older journals, which the next checkpoint writes to the snapshot. */
  readonly sealedBytes: number
}

/** Opens the store; the caller holds its lock. Throws StoreTooNew, StoreTooOld, or StoreDamaged after moving the damaged file aside. */
export async function openStore(
  files: Files,
  dir: string,
  schema: Schema,
  now: () => Date,
  { onUpgrade, onDamagedChecksum }: StartEvents = {},
): Promise<OpenedStore> {
  await finishRestore(files, dir, now())
  await files.removeDir(join(dir, restoredBlobsName))
  for (const name of (await files.list(dir)).filter(isTemporary)) await files.remove(join(dir, name))
  if (await isNew(files, dir)) await createStore(files, dir, schema)
  for (const name of (await files.list(dir)).filter(isData)) await files.restrict(join(dir, name))

  const loaded = await loadOrMoveAside(files, dir, now)
  let { sqlite, seq } = loaded
  let journal: Journal | undefined
  try {
    checkVersion(join(dir, snapshotName), sqlite, schema)
    journal = await openJournal(files, dir, loaded)
    if (!loaded.hasChecksum) await writeChecksum(files, dir)
    if (loaded.hasDamagedChecksum) onDamagedChecksum?.()
    const snapshotBytes = await bringUpToDate(files, dir, loaded, schema, now, onUpgrade)
    const sealedBytes = loaded.journals.slice(0, -1).reduce((sum, { length }) => sum + length, 0)
    sqlite = await compacted(sqlite)
    return { sqlite, seq, journal, snapshotBytes, sealedBytes }
  } catch (error) {
    await journal?.close()
    sqlite.close()
    throw error
  }
}

/** Free bytes from which a database is compacted, if they are also half of it. */
const compactedBytes = 16 * 1024 * 1024

/**
 * Returns the database without the pages that deletions have freed, if they are most of a large one: memory, snapshots and backups
 * have its whole size. An upgrade has done that, and its database gets an array with room to grow.
 */
async function compacted(sqlite: Sqlite): Promise<Sqlite> {
  const { size, freeBytes, hasRoom } = sqlite
  const isMostlyFree = freeBytes >= Math.max(compactedBytes, size / 2)
  if (hasRoom && !isMostlyFree) return sqlite
  // SQLite's own memory never shrinks, so neither the old pages nor the new file go there.
  if (isMostlyFree) sqlite.exec('PRAGMA journal_mode = OFF; PRAGMA temp_store = FILE; VACUUM')
  const bytes = sqlite.export()
  sqlite.close()
  return Sqlite.open(bytes)
}

/** Whether the directory has no file of this program. A start with empty data would hide the loss of a snapshot. */
async function isNew(files: Files, dir: string): Promise<boolean> {
  const existing = (await files.list(dir)).filter((name) => isData(name) || name.startsWith(replacedPrefix))
  return existing.length === 0 && (await files.list(join(dir, backupsName))).length === 0
}

/** Writes an empty snapshot. Its checksum follows after the first journal, so a snapshot with a checksum has a journal. */
async function createStore(files: Files, dir: string, schema: Schema): Promise<void> {
  const sqlite = await createSqlite()
  try {
    migrate(sqlite, schema)
    await putSnapshot(files, dir, [exportSnapshot(sqlite, 0)])
  } finally {
    sqlite.close()
  }
}

/** Loads the store. Moves a damaged file aside, so that no later start overwrites it. */
async function loadOrMoveAside(files: Files, dir: string, now: () => Date): Promise<Loaded> {
  try {
    return await load(files, dir)
  } catch (error) {
    if (!(error instanceof StoreDamaged) || error.movedTo !== undefined) throw error
    const movedTo = `${error.file}.damaged-${fileTime(now())}`
    try {
      await files.rename(error.file, movedTo)
    } catch (failure) {
      throw isMissing(failure) ? error : failure
    }
    await files.syncDir(dir)
    throw new StoreDamaged(error.file, error.reason, movedTo)
  }
}

/** Removes journals that a crash left unfinished, then resumes the newest journal or creates one. */
async function openJournal(files: Files, dir: string, { seq, journals }: Loaded): Promise<Journal> {
  for (const first of journalSeqs(await files.list(dir))) {
    if (!journals.some(({ firstSeq }) => firstSeq === first)) await files.remove(journalPath(dir, first))
  }
  await files.syncDir(dir)
  const newest = journals.at(-1)
  if (newest?.lastSeq === seq) return Journal.resume(files, dir, newest.firstSeq, newest.length)
  // A snapshot that was copied here by hand: it is newer than the journals, or has none.
  const journal = await Journal.create(files, dir, seq + 1)
  await removeJournals(files, dir, journal.firstSeq)
  return journal
}

/** Runs pending upgrades, after a backup, and writes a new snapshot. Returns the size of the snapshot in bytes. */
async function bringUpToDate(
  files: Files,
  dir: string,
  { sqlite, seq, snapshotBytes }: Loaded,
  schema: Schema,
  now: () => Date,
  onUpgrade: ((upgrade: Upgrade) => void) | undefined,
): Promise<number> {
  const [from, to] = [schemaVersion(sqlite), newestVersion(schema)]
  if (from === to) return snapshotBytes
  onUpgrade?.({ from, to, state: 'started' })
  await saveBackup(files, dir, contentOf(sqlite, seq), now(), 'upgrade')
  migrate(sqlite, schema)
  const bytes = exportSnapshot(sqlite, seq)
  await putSnapshot(files, dir, [bytes])
  onUpgrade?.({ from, to, state: 'finished' })
  return bytes.length
}
