/** Opens a locked data directory: creates, recovers or refuses it, and runs pending upgrades. */
import { join } from 'node:path'
import { exists } from '../files/blob-files.ts'
import { hasSpace } from '../files/disk-space.ts'
import { type Files, isMissing, replaceByChunks } from '../files/files.ts'
import {
  backupsName,
  databaseName,
  fileTime,
  isDamaged,
  isData,
  isTemporary,
  journalSeqs,
  originalName,
  replacedPrefix,
  restoredBlobsName,
  restoredMarkName,
} from '../files/layout.ts'
import { readReplicaKey, writeReplicaKey } from '../files/replica-key-file.ts'
import { StoreDamaged, StoreUnavailable } from '../files/store-errors.ts'
import { Journal } from '../journal/journal-file.ts'
import { type Loaded, load } from '../journal/recover.ts'
import { forgetCopies, interruptCopies, retireJournal, retireJournals } from '../journal/retire.ts'
import { finishCheckpoint, writeCheckpoint } from '../pages/checkpoint.ts'
import { allPages, closeFile, createSqlite, schemaVersion, setSeq } from '../pages/database-file.ts'
import { PageChecksums, saveChecksums } from '../pages/page-checksums.ts'
import { finishRestore, newReplacedFolder } from './finish-restore.ts'
import { checkVersion, migrate, newestVersion, type Schema } from './migrate.ts'

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
  /** Called after the space of deleted data was given back to the disk, with the size of the database. */
  readonly onCompacted?: (bytes: number) => void
  /**
   * Called when the end of the journal was dropped: transactions after `after`, up to `upTo` if that is known. A power cut leaves one that
   * was not acknowledged; but a damaged sector in the last one that was looks the same.
   */
  readonly onDroppedTail?: (tail: { readonly after: number; readonly upTo: number | undefined }) => void
  /** Called when files that failed a check have passed it when they were read again. */
  readonly onReadAgain?: () => void
  /** Called when damaged checksums of an intact database were replaced. */
  readonly onDamagedChecksum?: () => void
}

interface StartOptions extends StartEvents {
  /** Verifies an unverified database elsewhere; see `verifyDatabase`. Returns undefined if it must be checked here. */
  readonly verify?: (() => Promise<Uint8Array | undefined>) | undefined
}

export interface OpenedStore extends Loaded {
  readonly journal: Journal
  /** Bytes in older journals, which the next checkpoint removes. */
  readonly sealedBytes: number
}

/** Opens the store; the caller holds its lock. Throws StoreForTests, StoreTooNew, StoreTooOld, or StoreDamaged after moving the damaged file aside. */
export async function openStore(
  files: Files,
  dir: string,
  schema: Schema,
  now: () => Date,
  { onUpgrade, onDamagedChecksum, onReadAgain, onDroppedTail, verify }: StartOptions = {},
): Promise<OpenedStore> {
  await finishRestore(files, dir, now())
  await files.removeDir(join(dir, restoredBlobsName))
  for (const name of (await files.list(dir)).filter(isTemporary)) await files.remove(join(dir, name))
  if (await isNew(files, dir)) await createStore(files, dir, schema)
  for (const name of (await files.list(dir)).filter(isData)) await files.restrict(join(dir, name))

  const loaded = await loadTwice(files, dir, now, await verify?.(), onReadAgain)
  let journal: Journal | undefined
  let kept: string | undefined
  const version = schemaVersion(loaded.sqlite)
  try {
    checkVersion(loaded.file.path, loaded.sqlite, schema)
    if (version < newestVersion(schema)) kept = await keepBeforeUpgrade(files, dir, loaded, now())
    if (loaded.tail) onDroppedTail?.({ after: loaded.seq, upTo: loaded.tail.upTo })
    await resumeCheckpoint(files, dir, loaded)
    journal = await openJournal(files, dir, loaded)
    await keepChecksums(files, dir, loaded)
    if (loaded.checkedBy === 'repaired') onDamagedChecksum?.()
    await bringUpToDate(files, dir, loaded, schema, onUpgrade)
    const sealed = loaded.journals.filter(({ firstSeq }) => firstSeq !== journal?.firstSeq)
    const sealedBytes = sealed.reduce((sum, { length }) => sum + length, 0)
    return { ...loaded, journal, sealedBytes }
  } catch (error) {
    await journal?.close()
    // The upgrade has changed nothing, and would leave a further copy with each start.
    if (kept !== undefined && schemaVersion(loaded.sqlite) === version) await files.removeDir(kept)
    await closeFile(loaded)
    throw error
  }
}

/**
 * Keeps the database as it was before an upgrade in a folder of replaced data, which `undoRestore` puts back. Leaves damaged pages out.
 * Returns the folder. @throws StoreUnavailable with too little free space
 */
async function keepBeforeUpgrade(
  files: Files,
  dir: string,
  { sqlite, seq }: Loaded,
  at: Date,
): Promise<string> {
  if (!(await hasSpace(files, dir, sqlite.size))) {
    throw new StoreUnavailable(
      'The disk has too little free space to update the data. Free disk space, then start again.',
    )
  }
  setSeq(sqlite, seq)
  const folder = await newReplacedFolder(files, dir, at)
  await files.makeDir(folder)
  const path = join(folder, databaseName)
  const key = await readReplicaKey(dir, files)
  try {
    if (key !== undefined) await writeReplicaKey(folder, key, files)
    await replaceByChunks(files, path, sqlite.chunks())
  } catch (error) {
    if (!(error instanceof StoreDamaged)) {
      await files.removeDir(folder).catch(() => {})
      throw error
    }
    await replaceByChunks(files, path, sqlite.chunks(sqlite.damagedPages()))
  }
  return folder
}

/** Whether the directory has no file of this program. A start with empty data would hide the loss of a database. */
async function isNew(files: Files, dir: string): Promise<boolean> {
  const existing = (await files.list(dir)).filter((name) => isData(name) || name.startsWith(replacedPrefix))
  return existing.length === 0 && (await files.list(join(dir, backupsName))).length === 0
}

/** Writes an empty database. Its checksums follow after the first journal, so a database with checksums has a journal. */
async function createStore(files: Files, dir: string, schema: Schema): Promise<void> {
  const sqlite = await createSqlite(files)
  try {
    await migrate(sqlite, schema)
    await replaceByChunks(files, join(dir, databaseName), sqlite.chunks())
  } finally {
    sqlite.close()
  }
}

/**
 * Loads the store. Moves a file aside that is found damaged twice, so that no later start overwrites it, and looks again at one that an
 * earlier start has moved aside: a disk or a cable may read wrong bytes once.
 */
async function loadTwice(
  files: Files,
  dir: string,
  now: () => Date,
  verified: Uint8Array | undefined,
  onReadAgain: (() => void) | undefined,
): Promise<Loaded> {
  let isAgain = await takeBack(files, dir)
  try {
    const loaded = await load(files, dir, { verified }).catch((error: unknown) => {
      if (!(error instanceof StoreDamaged)) throw error
      isAgain = true
      return load(files, dir)
    })
    if (isAgain) onReadAgain?.()
    return loaded
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

/** Gives files that were moved aside their names back, unless others have them. Returns whether there was one. */
async function takeBack(files: Files, dir: string): Promise<boolean> {
  const names = new Set(await files.list(dir))
  let isTaken = false
  // The newest first.
  for (const name of [...names].filter(isDamaged).toSorted().toReversed()) {
    const original = originalName(name)
    if (names.has(original)) continue
    await files.rename(join(dir, name), join(dir, original))
    names.add(original)
    isTaken = true
  }
  return isTaken
}

/** Removes journals that a crash left unfinished, then resumes the newest journal or creates one. */
async function openJournal(files: Files, dir: string, { seq, journals }: Loaded): Promise<Journal> {
  for (const first of journalSeqs(await files.list(dir))) {
    if (!journals.some(({ firstSeq }) => firstSeq === first)) await retireJournal(files, dir, first)
  }
  await files.syncDir(dir)
  const newest = journals.at(-1)
  if (newest?.lastSeq === seq) {
    return Journal.resume(files, dir, newest)
  }
  // A database that was restored, or copied here by hand: it is newer than the journals, or has none.
  const journal = await Journal.create(files, dir, seq + 1)
  await retireJournals(files, dir, journal.firstSeq)
  if (!(await isRestored(files, dir))) await forgetCopies(files, dir)
  return journal
}

/** Whether the data are restored, and were never opened by a server: their copies begin anyway. */
function isRestored(files: Files, dir: string): Promise<boolean> {
  return exists(files, join(dir, restoredMarkName))
}

/**
 * Finishes a checkpoint that a crash interrupted. On a full disk a store with intact checksums opens for reading: the pages of the
 * checkpoint stay in memory.
 */
async function resumeCheckpoint(files: Files, dir: string, { file, checkedBy }: Loaded): Promise<void> {
  try {
    await finishCheckpoint(files, dir, file)
  } catch (error) {
    if (checkedBy !== 'checksums') throw error
  }
}

/** Makes sure that the pages on disk have checksums that are right. */
async function keepChecksums(files: Files, dir: string, { file, checkedBy }: Loaded): Promise<void> {
  if (checkedBy === 'checksums') return
  file.checksums ??= PageChecksums.of(allPages(file))
  await saveChecksums(files, dir, file.checksums)
}

/** Runs pending upgrades. They are in no journal, so a checkpoint follows each at once. A start that is cut goes on with the next one. */
async function bringUpToDate(
  files: Files,
  dir: string,
  { sqlite, overlay, file, seq }: Loaded,
  schema: Schema,
  onUpgrade: ((upgrade: Upgrade) => void) | undefined,
): Promise<void> {
  const [from, to] = [schemaVersion(sqlite), newestVersion(schema)]
  if (from === to) return
  onUpgrade?.({ from, to, state: 'started' })
  if (!(await isRestored(files, dir))) await interruptCopies(files, dir)
  const save = async () => {
    setSeq(sqlite, seq)
    const pages = new Map([...(file.frozen ?? []), ...overlay.takeChanges()])
    file.frozen = pages
    await writeCheckpoint(files, dir, pages)
    await finishCheckpoint(files, dir, file)
  }
  await migrate(sqlite, schema, save)
  await save()
  onUpgrade?.({ from, to, state: 'finished' })
}
