/**
 * Opens the intact part of a damaged data directory: the database, or else the newest backup that is intact, then the transactions of
 * the journals up to the first that does not verify. Later ones cannot be applied, because each builds on the previous ones.
 *
 * The result is put in place like a restored backup: the damaged files and all media are kept in `replaced-<time>/`, and the event
 * stream announces lost states.
 */
import { basename, join } from 'node:path'
import { exists, linkBlob, syncBlobDirs } from '../blob-files.ts'
import { BackupForeign, StoreDamaged, StoreTooNew, StoreUnavailable } from '../errors.ts'
import { type Files, nodeFiles, replaceByChunks } from '../files.ts'
import { scanJournal } from '../journal/journal.ts'
import { applyFrames } from '../journal/recover.ts'
import {
  backupsName,
  blobPath,
  blobsName,
  checkpointName,
  checksumsName,
  databaseName,
  earlierChecksumName,
  isDamaged,
  journalPath,
  journalSeqs,
  restoredBlobsName,
  restoredName,
} from '../layout.ts'
import { checkVersion, type Schema } from '../migrate.ts'
import { scanCheckpoint } from '../pages/checkpoint.ts'
import {
  closeFile,
  compareEarlier,
  isSound,
  type OpenedFile,
  openChecked,
  openPageFile,
  setSeq,
} from '../pages/database-file.ts'
import { PageChecksums } from '../pages/page-checksums.ts'
import { PageFile, type Pages } from '../pages/page-file.ts'
import type { Sqlite } from '../sqlite.ts'
import type { Writer } from '../transaction.ts'
import { listBackups } from './backup.ts'
import { blobCids, forgetBlobs } from './backup-blobs.ts'
import { scratchPrefix } from './backup-leftovers.ts'
import { unpack } from './read-backup.ts'
import { finishRestore } from './restore.ts'
import { copyRows, type LostRows } from './salvage-rows.ts'

export interface SalvagePlan {
  /**
   * `rows`: pages of the database are lost, the rows of the others are copied. `changed`: another program wrote the database, which is
   * sound. `backup`: the database is lost.
   */
  readonly from: 'database' | 'rows' | 'changed' | 'backup'
  /** The backup that it starts from. */
  readonly backup: string | undefined
  /** Damaged or missing files, by their name in the data directory. */
  readonly damaged: readonly string[]
  readonly keptTransactions: number
  /** Lost rows, and those that refer to them. */
  readonly lostRows: readonly LostRows[]
  /** Sentences of `repair`. */
  readonly consequences: readonly string[]
  readonly lostTransactions: number
  /** Whether exactly that many are lost; otherwise at least, and 0 says nothing. */
  readonly isExact: boolean
  /** Time of the newest record that is kept, and of the last write to the files. */
  readonly keptUntil: Date | undefined
  readonly writtenUntil: Date | undefined
}

export interface SalvageOptions {
  readonly directory: string
  readonly schema: Schema
  readonly now: () => Date
  /** Asked before anything changes. Nothing does unless it returns true. */
  readonly confirm: (plan: SalvagePlan) => Promise<boolean>
  /** Makes the rows consistent that are left if some are lost. Returns a sentence on each consequence. */
  readonly repair?: (tx: Writer) => Promise<readonly string[]>
  readonly files?: Files
}

/**
 * Salvages the data after `confirm`. Returns the plan and the folder with the replaced files; undefined if it was not confirmed.
 * @throws StoreLocked while a server runs there, StoreDamaged if nothing can be salvaged, StoreTooNew, StoreTooOld. The data is unchanged then
 */
export async function salvage(
  options: SalvageOptions,
): Promise<{ readonly plan: SalvagePlan; readonly keptIn: string } | undefined> {
  const { directory: dir, now, confirm, files = nodeFiles } = options
  const lock = await files.lock(dir)
  try {
    await finishRestore(files, dir, now())
    const { sqlite, file, seq, plan } = await recover(files, dir, options)
    try {
      if (!(await confirm(plan))) return undefined
      await takeBlobs(files, dir, sqlite)
      // A number beyond all that were lost, so that no old journal fits the new database.
      setSeq(sqlite, seq + plan.lostTransactions)
      await replaceByChunks(files, join(dir, restoredName), sqlite.chunks())
    } catch (error) {
      if (!(await exists(files, join(dir, restoredName)))) await files.removeDir(join(dir, restoredBlobsName))
      throw error
    } finally {
      await closeFile({ sqlite, file })
      await files.removeDir(scratchOf(dir))
    }
    return { plan, keptIn: (await finishRestore(files, dir, now())) ?? dir }
  } finally {
    await lock.release()
  }
}

interface Recovered extends OpenedFile {
  readonly plan: SalvagePlan
}

async function recover(
  files: Files,
  dir: string,
  { schema, repair }: Pick<SalvageOptions, 'schema' | 'repair'>,
): Promise<Recovered> {
  const present = await filesByName(files, dir)
  let start = await readStart(files, dir, present, schema)
  try {
    const damaged = [...start.damaged]
    let seq = start.seq
    let end = seq
    let isBroken = false
    const firsts = journalSeqs([...present.keys()])
    // A server never leaves its data without a journal.
    let isExact = firsts.length > 0
    if (!isExact) damaged.push(basename(journalPath(dir, seq + 1)))
    for (const first of firsts) {
      const name = [...present.keys()].find((each) => journalSeqs([each])[0] === first) ?? ''
      if (!isBroken && first > seq + 1) damaged.push(basename(journalPath(dir, seq + 1)))
      const journal = scanJournal(await files.read(present.get(name) ?? ''), first)
      const { lastSeq, isWhole, isCounted } = journal
      end = Math.max(end, lastSeq)
      if (!isWhole) damaged.push(name)
      if (!isCounted) isExact = false
      if (isBroken || first > seq + 1) {
        isBroken = true
        continue
      }
      const applied = applyFrames(start.sqlite, journal, seq)
      // The disk refused a read: the transactions are not lost.
      if (applied.error instanceof StoreUnavailable) throw applied.error
      seq = applied.last
      if (!isWhole || applied.error !== undefined) isBroken = true
    }
    // Then nothing says how many transactions the lost database had.
    if (start.from === 'backup' && end <= start.seq) isExact = false
    if (start.mayLoseRows) start = await replaceByCopy(files, dir, start, seq, schema)
    const { sqlite, lostRows } = start
    const plan: SalvagePlan = {
      lostRows,
      consequences: lostRows.length > 0 ? ((await repair?.(writerOf(sqlite))) ?? []) : [],
      from: start.from,
      backup: start.backup,
      damaged,
      keptTransactions: seq,
      lostTransactions: Math.max(0, end - seq),
      isExact,
      keptUntil: newestRecord(sqlite),
      writtenUntil: await lastWrite(files, [...present.values()]),
    }
    return { ...start, seq, plan }
  } catch (error) {
    await closeFile(start)
    throw error
  }
}

function writerOf(sqlite: Sqlite): Writer {
  return {
    get: (sql, params) => sqlite.get(sql, params),
    all: (sql, params) => sqlite.all(sql, params),
    run: (sql, params) => sqlite.execute(sql, params).changes,
  }
}

/**
 * Links the blobs of the salvaged database into the folder that replaces the present one, which is kept with the damaged files:
 * records that are lost may be the only ones that name some of its media. Lost media can be uploaded again.
 */
async function takeBlobs(files: Files, dir: string, sqlite: Sqlite): Promise<void> {
  const folder = join(dir, restoredBlobsName)
  await files.removeDir(folder)
  await files.makeDir(folder)
  const cids = blobCids(sqlite)
  const missing = []
  for (const cid of cids) {
    const isThere =
      (await linkBlob(files, blobPath(join(dir, blobsName), cid), folder, cid)) ||
      (await linkBlob(files, blobPath(join(dir, backupsName, blobsName), cid), folder, cid))
    if (!isThere) missing.push(cid)
  }
  forgetBlobs(sqlite, missing)
  await syncBlobDirs(files, folder, cids)
}

/** Returns the paths of the data files by their original name: a start may have moved them aside. */
async function filesByName(files: Files, dir: string): Promise<Map<string, string>> {
  const names = (await files.list(dir)).toSorted()
  const present = new Map<string, string>()
  // A file that has its own name was put there after the damaged one.
  for (const name of names.filter(isDamaged)) present.set(name.replace(/\.damaged-.*$/, ''), join(dir, name))
  const ofPages = [databaseName, checksumsName, checkpointName, earlierChecksumName]
  for (const name of names.filter((name) => ofPages.includes(name) || journalSeqs([name]).length > 0)) {
    present.set(name, join(dir, name))
  }
  return present
}

interface Start extends OpenedFile, Pick<SalvagePlan, 'from' | 'backup' | 'damaged' | 'lostRows'> {
  /** Whether a page that is lost has rows. The journals are applied up to the first transaction that needs it, then the others are copied. */
  readonly mayLoseRows?: boolean
}

/** Closes a database with lost pages. Returns a copy of its rows. */
async function replaceByCopy(
  files: Files,
  dir: string,
  start: Start,
  seq: number,
  schema: Schema,
): Promise<Start> {
  const { copy, lost } = await copyRows(files, copyPath(dir), { ...start, seq }, schema)
  await closeFile(start)
  return { ...start, ...copy, lostRows: lost }
}

/**
 * Opens the database if its pages verify or can be repaired, else the newest backup that is intact if the journals continue it, else the
 * rows of the database unless a whole table is lost, else that backup.
 */
async function readStart(
  files: Files,
  dir: string,
  present: ReadonlyMap<string, string>,
  schema: Schema,
): Promise<Start> {
  const path = present.get(databaseName)
  const own = path === undefined ? undefined : await readOwn(files, dir, path, present)
  if (own) {
    try {
      checkVersion(join(dir, databaseName), own.sqlite, schema)
    } catch (error) {
      await closeFile(own)
      throw error
    }
    return own
  }
  const backup = await readBackup(files, dir)
  const [first = Number.POSITIVE_INFINITY] = journalSeqs([...present.keys()])
  if (backup && first <= backup.seq + 1) return backup
  const rows = path === undefined ? undefined : await readRows(files, dir, path, present, schema, backup)
  if (rows && backup) await closeFile(backup)
  if (rows ?? backup) return (rows ?? backup) as Start
  throw new StoreDamaged(join(dir, databaseName), 'is damaged, and there is no intact backup beside it')
}

async function readBackup(files: Files, dir: string): Promise<Start | undefined> {
  for (const { file } of await listBackups(dir, files)) {
    const opened = await openBackup(files, dir, file)
    if (opened) return { ...opened, from: 'backup', backup: file, damaged: [databaseName], lostRows: [] }
  }
  return undefined
}

/** Opens the database with pages that are lost; undefined if they have its schema, or all rows of a table that the backup has. */
async function readRows(
  files: Files,
  dir: string,
  path: string,
  present: ReadonlyMap<string, string>,
  schema: Schema,
  backup: Start | undefined,
): Promise<Start | undefined> {
  const file = await PageFile.open(files, path)
  try {
    const found: { pages: Pages; lost: number; damaged: readonly string[]; checksums: PageChecksums }[] = []
    for (const { checksums, pages, damaged } of await statesOf(files, present)) {
      if (!checksums || checksums.hasUnknown) continue
      file.checksums = checksums
      file.frozen = pages
      const bad = badPages(file)
      const repaired = await findPages(files, dir, file, bad)
      const lost = bad.length - repaired.size
      found.push({ pages: new Map([...(pages ?? []), ...repaired]), lost, damaged, checksums })
    }
    // The state before or after a checkpoint: pages of the other one count as damaged.
    const [state] = found.sort((a, b) => a.lost - b.lost)
    if (!state) throw new StoreDamaged(path, 'has no checksums')
    file.checksums = state.checksums
    file.frozen = state.pages
    const description = {
      ...({ from: 'rows', backup: undefined, lostRows: [] } as const),
      damaged: [databaseName, ...state.damaged],
    }
    const opened = await openPageFile(file, 'quick')
    checkVersion(join(dir, databaseName), opened.sqlite, schema)
    opened.sqlite.close()
    await files.makeDir(scratchOf(dir))
    const { copy, lost } = await copyRows(files, copyPath(dir), opened, schema)
    if (lost.length === 0) {
      await file.close()
      return { ...description, ...copy }
    }
    const isEmptied = lost.some(
      ({ table }) => backup && hasRows(backup.sqlite, table) && !hasRows(copy.sqlite, table),
    )
    await closeFile(copy)
    if (isEmptied) throw new StoreDamaged(path, 'has lost a table')
    return { ...description, ...(await openPageFile(file, 'quick')), mayLoseRows: true }
  } catch (error) {
    await file.close()
    if (!(error instanceof StoreDamaged)) throw error
    return undefined
  }
}

function hasRows(sqlite: Sqlite, table: string): boolean {
  const isThere = sqlite.get("SELECT 1 FROM sqlite_schema WHERE name = ? AND type = 'table'", [table])
  return isThere !== undefined && sqlite.get(`SELECT 1 FROM "${table}"`) !== undefined
}

async function readOwn(
  files: Files,
  dir: string,
  path: string,
  present: ReadonlyMap<string, string>,
): Promise<Start | undefined> {
  const file = await PageFile.open(files, path)
  let start: Start | undefined
  try {
    for (const state of await statesOf(files, present))
      start ??= await openState(files, dir, file, present, state)
    start ??= await openChanged(files, file, present)
    return start
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error
    return undefined
  } finally {
    if (!start) await file.close()
  }
}

/** Pages that the database may consist of: those that have the checksums, in the file or in `pages`. */
interface State {
  readonly checksums: PageChecksums | undefined
  readonly pages: Pages | undefined
  readonly damaged: readonly string[]
}

/** Returns the state after the checkpoint and, if a part of it is damaged, the one before it. Pages of both never fit together. */
async function statesOf(files: Files, present: ReadonlyMap<string, string>): Promise<State[]> {
  const [path, checkpoint] = [present.get(checksumsName), present.get(checkpointName)]
  const bytes = path === undefined ? undefined : await files.read(path)
  const decode = () => (path !== undefined && bytes ? PageChecksums.decode(path, bytes) : undefined)
  if (checkpoint === undefined) return [{ checksums: decode(), pages: undefined, damaged: [] }]
  const { version, checksums, pages, isWhole } = scanCheckpoint(await files.read(checkpoint))
  const damaged = isWhole ? [] : [checkpointName]
  const states: State[] = []
  const after = decode()
  for (const [number, checksum] of checksums) after?.put(number, checksum)
  if (isWhole || (after?.hasUnknown === false && version > 0))
    states.push({ checksums: after, pages, damaged })
  if (!isWhole) states.push({ checksums: decode(), pages: undefined, damaged })
  return states
}

async function openState(
  files: Files,
  dir: string,
  file: PageFile,
  present: ReadonlyMap<string, string>,
  { checksums, pages, damaged }: State,
): Promise<Start | undefined> {
  file.checksums = checksums
  file.frozen = pages
  const bad = badPages(file)
  const repaired = await findPages(files, dir, file, bad)
  if (repaired.size < bad.length) return undefined
  const earlier = checksums ? undefined : present.get(earlierChecksumName)
  if (earlier && (await compareEarlier(files, file.path, earlier)) === 'other') return undefined
  file.frozen = new Map([...(pages ?? []), ...repaired])
  const all = bad.length > 0 ? [databaseName, ...damaged] : damaged
  return openConsistent(file, async () => ({
    from: 'database',
    backup: undefined,
    damaged: all,
    lostRows: [],
  }))
}

/**
 * Opens a database that another program has changed. Such a program changes page 1, which counts changes, and another one; a single
 * page that differs is damaged.
 */
async function openChanged(
  files: Files,
  file: PageFile,
  present: ReadonlyMap<string, string>,
): Promise<Start | undefined> {
  file.frozen = undefined
  if (present.has(checkpointName)) return undefined
  const bad = file.checksums ? badPages(file) : []
  if (file.checksums && !(bad.includes(1) && bad.length > 1)) return undefined
  file.checksums = undefined
  return openConsistent(file, async ({ seq }) =>
    (await hasLater(files, present, seq))
      ? undefined
      : { from: 'changed', backup: undefined, damaged: [databaseName], lostRows: [] },
  )
}

/** Returns the database with what `describe` says of it, if it is consistent. */
async function openConsistent(
  file: PageFile,
  describe: (
    opened: OpenedFile,
  ) => Promise<Pick<Start, 'from' | 'backup' | 'damaged' | 'lostRows'> | undefined>,
): Promise<Start | undefined> {
  const opened = await openPageFile(file, 'quick').catch((error: unknown) => {
    if (error instanceof StoreDamaged) return undefined
    throw error
  })
  const description = opened && isConsistent(opened.sqlite) ? await describe(opened) : undefined
  if (opened && description) return { ...opened, ...description }
  opened?.sqlite.close()
  return undefined
}

/** Numbers of the pages that fail their check, or are missing. */
function badPages(file: PageFile): number[] {
  const bad: number[] = []
  const count = Math.max(file.count, file.checksums?.lastPage ?? 0)
  for (let number = 1; number <= count; number++) {
    try {
      file.read(number)
    } catch (error) {
      if (!(error instanceof StoreDamaged)) throw error
      bad.push(number)
    }
  }
  return bad
}

/** Finds damaged pages in the backups: a page that has the checksum is the same. */
async function findPages(
  files: Files,
  dir: string,
  { checksums }: PageFile,
  bad: readonly number[],
): Promise<Map<number, Uint8Array>> {
  const found = new Map<number, Uint8Array>()
  if (bad.length === 0 || !checksums) return found
  for (const { file } of await listBackups(dir, files)) {
    const opened = await openBackup(files, dir, file)
    if (!opened) continue
    for (const number of bad) {
      if (found.has(number) || number > opened.file.count) continue
      const page = opened.file.read(number)
      if (!checksums.differs(number, page)) found.set(number, Buffer.from(page))
    }
    await closeFile(opened)
    if (found.size === bad.length) break
  }
  return found
}

/** A folder for the database of a backup, while it is needed. */
function scratchOf(dir: string): string {
  return join(dir, backupsName, `${scratchPrefix}salvage`)
}

function copyPath(dir: string): string {
  return join(scratchOf(dir), 'rows')
}

async function openBackup(files: Files, dir: string, file: string): Promise<OpenedFile | undefined> {
  const path = join(scratchOf(dir), 'database')
  await files.makeDir(scratchOf(dir))
  try {
    await unpack(file, file, path, { files })
    return await openChecked(files, path)
  } catch (error) {
    if (error instanceof StoreDamaged || error instanceof StoreTooNew || error instanceof BackupForeign)
      return undefined
    throw error
  }
}

/** Whether a journal has transactions after `seq`: it continues another database file. */
async function hasLater(files: Files, present: ReadonlyMap<string, string>, seq: number): Promise<boolean> {
  for (const [name, path] of present) {
    const [first] = journalSeqs([name])
    if (first !== undefined && scanJournal(await files.read(path), first).lastSeq > seq) return true
  }
  return false
}

function isConsistent(sqlite: Sqlite): boolean {
  return isSound(sqlite) && sqlite.all('PRAGMA foreign_key_check').length === 0
}

function newestRecord(sqlite: Sqlite): Date | undefined {
  const isThere = sqlite.get("SELECT 1 FROM sqlite_schema WHERE name = 'records' AND type = 'table'")
  if (!isThere) return undefined
  const row = sqlite.get<{ at: number | null }>('SELECT max(indexed_at) AS at FROM records')
  return row?.at ? new Date(row.at) : undefined
}

async function lastWrite(files: Files, paths: readonly string[]): Promise<Date | undefined> {
  const times = await Promise.all(paths.map((path) => files.changedAt(path)))
  return times.toSorted((a, b) => b.getTime() - a.getTime())[0]
}
