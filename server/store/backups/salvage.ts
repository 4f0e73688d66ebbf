/**
 * Opens the intact part of a damaged data directory: the database, with damaged pages from the backups, or else the newest backup that is
 * intact, then the transactions of the journals up to the first that does not verify. Later ones cannot be applied, because each builds on
 * the previous ones. The result is put in place like a restored backup.
 */

import { basename, join } from 'node:path'
import { checkVersion, type Schema } from '../database/migrate.ts'
import { type Files, nodeFiles, readIntact, writeChunks } from '../files/files.ts'
import {
  backupsName,
  checkpointName,
  checksumsName,
  databaseName,
  isDamaged,
  journalPath,
  journalSeqs,
} from '../files/layout.ts'
import { StoreDamaged, StoreForTests, StoreUnavailable } from '../files/store-errors.ts'
import { isJournalForTests, type Scanned, scanJournal } from '../journal/journal.ts'
import { applyFrames } from '../journal/recover.ts'
import { scanCheckpoint } from '../pages/checkpoint.ts'
import { closeFile, isSound, type OpenedFile, openPageFile, setSeq } from '../pages/database-file.ts'
import type { Pages } from '../pages/page.ts'
import { PageChecksums } from '../pages/page-checksums.ts'
import { PageFile } from '../pages/page-file.ts'
import type { Reader } from '../pages/reader.ts'
import { blobCids, forgetBlobs } from './backup-blobs.ts'
import { collectBlobs, scratchPrefix } from './read-backup.ts'
import { keptBlobs, replaceData } from './restore.ts'

/** Databases of these data at other times: backups, or the bases of a replica. `scratch` is a folder that the caller removes. */
export interface PageSource {
  /**
   * Yields the pages with these numbers that it has. They may be of another version: the caller compares checksums. A source that cannot
   * be read yields nothing.
   */
  pages(
    numbers: readonly number[],
    scratch: string,
  ): AsyncIterable<readonly [number: number, page: Uint8Array]>
  /** Opens the newest intact database; undefined if there is none. */
  newest?(scratch: string): Promise<(OpenedFile & { readonly name: string }) | undefined>
}

export interface SalvagePlan {
  /** `changed`: another program wrote the database, which is sound. `backup`: the database is lost. */
  readonly from: 'database' | 'changed' | 'backup'
  /** The backup that it starts from. */
  readonly backup: string | undefined
  /** Damaged or missing files, by their name in the data directory. */
  readonly damaged: readonly string[]
  readonly keptTransactions: number
  readonly lostTransactions: number
  /** True if `lostTransactions` is exact; false if it is a lower bound. */
  readonly isExact: boolean
  /** Time of the newest record that is kept, and of the last write to the files. */
  readonly keptUntil: Date | undefined
  readonly writtenUntil: Date | undefined
}

/** The folder for files that a salvage needs meanwhile. */
const salvageScratch = (dir: string) => join(dir, backupsName, `${scratchPrefix}salvage`)

export interface SalvageOptions {
  readonly directory: string
  readonly schema: Schema
  readonly now: () => Date
  /** Called with the plan and the salvaged database, before any change; return true to go on. */
  readonly confirm: (plan: SalvagePlan, sqlite: Reader) => Promise<boolean>
  /** The backups, and further sources of damaged pages. */
  readonly sources: readonly PageSource[]
  readonly files?: Files
}

/**
 * Salvages the data after `confirm`. Returns the plan and the folder with the replaced files; undefined if it was not confirmed.
 * @throws StoreLocked while a server runs there, StoreDamaged if nothing can be salvaged, StoreTooNew, StoreTooOld, StoreForTests. The data is unchanged then
 */
export async function salvage(
  options: SalvageOptions,
): Promise<{ readonly plan: SalvagePlan; readonly keptIn: string } | undefined> {
  const data = { files: nodeFiles, ...options, dir: options.directory }
  let accepted: SalvagePlan | undefined
  const keptIn = await replaceData(options, async (databaseTo, blobsTo) => {
    try {
      accepted = await writeSalvaged(data, databaseTo, blobsTo)
      return accepted !== undefined
    } finally {
      await data.files.removeDir(salvageScratch(data.dir))
    }
  })
  return accepted && { plan: accepted, keptIn: keptIn ?? data.dir }
}

interface Data extends Pick<SalvageOptions, 'schema' | 'sources' | 'confirm'> {
  readonly files: Files
  readonly dir: string
}

/** Writes the salvaged database and its blobs after `confirm`; returns undefined without it. */
async function writeSalvaged(
  data: Data,
  databaseTo: string,
  blobsTo: string,
): Promise<SalvagePlan | undefined> {
  const { files, dir } = data
  const { sqlite, file, plan } = await recover(data)
  try {
    if (!(await data.confirm(plan, sqlite))) return undefined
    forgetBlobs(sqlite, await collectBlobs(keptBlobs(dir), blobCids(sqlite), { files, blobsTo }))
    // A number beyond all that were lost, so that no old journal fits the new database.
    setSeq(sqlite, plan.keptTransactions + plan.lostTransactions)
    await writeChunks(files, databaseTo, sqlite.chunks())
    return plan
  } finally {
    await closeFile({ sqlite, file })
  }
}

type Origin = Pick<SalvagePlan, 'from' | 'backup' | 'damaged'>

async function recover(data: Data): Promise<OpenedFile & { readonly plan: SalvagePlan }> {
  const { files, dir } = data
  const present = await filesByName(files, dir)
  const journals = await scanJournals(files, present)
  const { damaged: damagedPages, ...start } = await openBest(data, present, journals)
  try {
    const damaged = [...damagedPages]
    let seq = start.seq
    let end = seq
    let isBroken = false
    // Every server leaves a journal.
    let isExact = journals.length > 0
    if (!isExact) damaged.push(basename(journalPath(dir, seq + 1)))
    for (const { name, first, ...journal } of journals) {
      if (!isBroken && first > seq + 1) {
        damaged.push(basename(journalPath(dir, seq + 1)))
        isBroken = true
      }
      end = Math.max(end, journal.lastSeq)
      isExact &&= journal.isCounted
      if (!journal.isWhole) damaged.push(name)
      if (isBroken) continue
      const applied = applyFrames(start.sqlite, journal, seq)
      // The disk refused a read: the transactions are not lost.
      if (applied.error instanceof StoreUnavailable) throw applied.error
      seq = applied.last
      isBroken = !journal.isWhole || applied.error !== undefined
    }
    // Then nothing says how many transactions the lost database had.
    if (start.from === 'backup' && end <= start.seq) isExact = false
    const plan = {
      ...{ from: start.from, backup: start.backup, damaged, isExact },
      keptTransactions: seq,
      lostTransactions: end - seq,
      keptUntil: newestRecord(start.sqlite),
      writtenUntil: await lastWrite(files, [...present.values()]),
    }
    return { ...start, plan }
  } catch (error) {
    await closeFile(start)
    throw error
  }
}

/** Returns the paths of the data files by their original name: a start may have moved them aside. */
async function filesByName(files: Files, dir: string): Promise<Map<string, string>> {
  const names = (await files.list(dir)).toSorted()
  const present = new Map<string, string>()
  // A file that has its own name was put there after the damaged one.
  for (const name of names.filter(isDamaged)) present.set(name.replace(/\.damaged-.*$/, ''), join(dir, name))
  const ofPages = [databaseName, checksumsName, checkpointName]
  for (const name of names.filter((name) => ofPages.includes(name) || journalSeqs([name]).length > 0)) {
    present.set(name, join(dir, name))
  }
  return present
}

interface ScannedJournal extends Scanned {
  readonly name: string
  readonly first: number
}

async function scanJournals(files: Files, present: ReadonlyMap<string, string>): Promise<ScannedJournal[]> {
  const journals: ScannedJournal[] = []
  for (const [name, path] of present) {
    const [first] = journalSeqs([name])
    if (first === undefined) continue
    const { content, isWhole } = await readIntact(files, path)
    if (isJournalForTests(content) && !files.isForTests) throw new StoreForTests(path)
    const scanned = scanJournal(content, first)
    journals.push({ name, first, ...scanned, ...(!isWhole && { isWhole, isCounted: false }) })
  }
  return journals.sort((a, b) => a.first - b.first)
}

/** Opens the database if its pages verify or can be repaired, or if another program changed it; else the newest backup that is intact. */
async function openBest(
  data: Data,
  present: ReadonlyMap<string, string>,
  journals: readonly ScannedJournal[],
): Promise<OpenedFile & Origin> {
  const { files, dir } = data
  const path = present.get(databaseName)
  const file = path === undefined ? undefined : await PageFile.open(files, path)
  try {
    const own =
      file && ((await openOwn(data, file, present)) ?? (await openChanged(data, file, present, journals)))
    if (own) return own
  } catch (error) {
    await file?.close()
    throw error
  }
  await file?.close()
  for (const source of data.sources) {
    const opened = await source.newest?.(salvageScratch(dir))
    if (opened) return { ...opened, from: 'backup', backup: opened.name, damaged: [databaseName] }
  }
  throw new StoreDamaged(
    join(dir, databaseName),
    'is damaged, and there is no intact backup beside it. BACKUPS.md describes what SQLite can recover of it',
  )
}

/** Opens the database with pages that match their checksums: its own, an unfinished checkpoint's, and the sources'. */
async function openOwn(
  data: Data,
  file: PageFile,
  present: ReadonlyMap<string, string>,
): Promise<(OpenedFile & Origin) | undefined> {
  for (const { checksums, pages, damaged } of await statesOf(data.files, present)) {
    file.checksums = checksums
    file.frozen = pages
    const bad = badPages(file)
    const repaired = await findPages(data, checksums, bad)
    file.frozen = new Map([...(pages ?? []), ...repaired])
    const lost = bad.filter((number) => !repaired.has(number))
    const opened = await openSound(data, file, lost)
    const all = bad.length > 0 ? [databaseName, ...damaged] : damaged
    if (opened) return { ...opened, from: 'database', backup: undefined, damaged: all }
  }
  return undefined
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
  const { version, checksums, pages, isWhole } = scanCheckpoint((await readIntact(files, checkpoint)).content)
  const damaged = isWhole ? [] : [checkpointName]
  const states: State[] = []
  const after = decode()
  for (const [number, checksum] of checksums) after?.put(number, checksum)
  if (isWhole || (after?.hasUnknown === false && version > 0))
    states.push({ checksums: after, pages, damaged })
  if (!isWhole) states.push({ checksums: decode(), pages: undefined, damaged })
  return states
}

/**
 * Opens a database that another program has changed, unless a journal continues another one. Such a program changes page 1, which counts
 * changes, and another one; a single page that differs is damaged.
 */
async function openChanged(
  data: Data,
  file: PageFile,
  present: ReadonlyMap<string, string>,
  journals: readonly ScannedJournal[],
): Promise<(OpenedFile & Origin) | undefined> {
  if (!file.checksums || present.has(checkpointName)) return undefined
  file.frozen = undefined
  const bad = badPages(file)
  if (!bad.includes(1) || bad.length === 1) return undefined
  file.checksums = undefined
  const opened = await openSound(data, file)
  if (!opened) return undefined
  if (journals.every(({ lastSeq }) => lastSeq <= opened.seq))
    return { ...opened, from: 'changed', backup: undefined, damaged: [databaseName] }
  opened.sqlite.close()
  return undefined
}

/** Opens a database if it passes SQLite's checks and its lost pages are free. @throws StoreTooNew, StoreTooOld */
async function openSound(
  { schema }: Data,
  file: PageFile,
  lost: readonly number[] = [],
): Promise<OpenedFile | undefined> {
  const opened = await openPageFile(file, 'quick').catch((error: unknown) => {
    if (error instanceof StoreDamaged) return undefined
    throw error
  })
  try {
    if (opened) checkVersion(file.path, opened.sqlite, schema)
    const isWhole =
      opened && lost.every((number) => opened.overlay.clearIfFree(number)) && isSound(opened.sqlite)
    if (isWhole && opened.sqlite.all('PRAGMA foreign_key_check').length === 0) return opened
  } catch (error) {
    opened?.sqlite.close()
    throw error
  }
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

/** Finds damaged pages in the sources: a page that has the checksum is the same. */
async function findPages(
  { dir, sources }: Data,
  checksums: PageChecksums | undefined,
  bad: readonly number[],
): Promise<Map<number, Uint8Array>> {
  const found = new Map<number, Uint8Array>()
  // With an unknown checksum, a page of another version would pass.
  if (!checksums || checksums.hasUnknown) return found
  for (const source of sources) {
    const missing = bad.filter((number) => !found.has(number))
    if (missing.length === 0) break
    for await (const [number, page] of source.pages(missing, salvageScratch(dir))) {
      if (!checksums.differs(number, page)) found.set(number, Buffer.from(page))
      if (found.size === bad.length) break
    }
  }
  return found
}

export function handlesIn(sqlite: Reader): string[] {
  const rows = sqlite.all<{ handle: string }>('SELECT handle FROM accounts ORDER BY created_at')
  return rows.map(({ handle }) => handle)
}

export function newestRecord(sqlite: Reader): Date | undefined {
  const isThere = sqlite.get("SELECT 1 FROM sqlite_schema WHERE name = 'records' AND type = 'table'")
  if (!isThere) return undefined
  const row = sqlite.get<{ at: number | null }>('SELECT max(indexed_at) AS at FROM records')
  return row?.at ? new Date(row.at) : undefined
}

async function lastWrite(files: Files, paths: readonly string[]): Promise<Date | undefined> {
  const times = await Promise.all(paths.map((path) => files.changedAt(path)))
  return times.toSorted((a, b) => b.getTime() - a.getTime())[0]
}
