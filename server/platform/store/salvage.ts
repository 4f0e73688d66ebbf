/**
 * Opens the intact part of a damaged data directory: the snapshot, or else the newest backup that is intact, then the transactions of
 * the journals up to the first that does not verify. Later ones cannot be applied, because each builds on the previous ones.
 *
 * The result is put in place like a restored backup: the damaged files and all media are kept in `replaced-<time>/`, and the event
 * stream announces lost states.
 */
import { basename, join } from 'node:path'
import { checkBackup, listBackups } from './backup.ts'
import { blobCids, forgetBlobs } from './backup-blobs.ts'
import { exists, linkBlob, syncBlobDirs } from './blob-files.ts'
import { StoreDamaged } from './errors.ts'
import { type Files, nodeFiles, readIfThere, replaceFile } from './files.ts'
import { scanJournal } from './journal.ts'
import {
  backupsName,
  blobPath,
  blobsName,
  isDamaged,
  journalPath,
  journalSeqs,
  restoredBlobsName,
  restoredName,
  sidecarName,
  snapshotName,
} from './layout.ts'
import { checkVersion, type Schema } from './migrate.ts'
import { applyFrames } from './recover.ts'
import { finishRestore } from './restore.ts'
import { compareChecksum, exportSnapshot, isSound, openSnapshot } from './snapshot.ts'
import type { Sqlite } from './sqlite.ts'

export interface SalvagePlan {
  /** `changed`: another program wrote the snapshot, which is sound. `backup`: the snapshot is lost. */
  readonly from: 'snapshot' | 'changed' | 'backup'
  /** The backup that it starts from. */
  readonly backup: string | undefined
  /** Damaged or missing files, by their name in the data directory. */
  readonly damaged: readonly string[]
  readonly keptTransactions: number
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
    const { sqlite, seq, plan } = await recover(files, dir, options.schema)
    try {
      if (!(await confirm(plan))) return undefined
      await takeBlobs(files, dir, sqlite)
      // A number beyond all that were lost, so that no old journal fits the new snapshot.
      const snapshot = exportSnapshot(sqlite, seq + plan.lostTransactions)
      await replaceFile(files, join(dir, restoredName), snapshot.slice())
    } catch (error) {
      if (!(await exists(files, join(dir, restoredName)))) await files.removeDir(join(dir, restoredBlobsName))
      throw error
    } finally {
      sqlite.close()
    }
    return { plan, keptIn: (await finishRestore(files, dir, now())) ?? dir }
  } finally {
    await lock.release()
  }
}

interface Recovered {
  readonly sqlite: Sqlite
  readonly seq: number
  readonly plan: SalvagePlan
}

async function recover(files: Files, dir: string, schema: Schema): Promise<Recovered> {
  const present = await filesByName(files, dir)
  const start = await readStart(files, dir, present, schema)
  const { sqlite } = start
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
      const { frames, lastSeq, isWhole, isCounted } = scanJournal(
        await files.read(present.get(name) ?? ''),
        first,
      )
      end = Math.max(end, lastSeq)
      if (!isWhole) damaged.push(name)
      if (!isCounted) isExact = false
      if (isBroken || first > seq + 1) {
        isBroken = true
        continue
      }
      seq = applyFrames(sqlite, frames, seq)
      if (!isWhole || seq < (frames.at(-1)?.seq ?? 0)) isBroken = true
    }
    // Then nothing says how many transactions the lost snapshot had.
    if (start.from === 'backup' && end <= start.seq) isExact = false
    const plan: SalvagePlan = {
      from: start.from,
      backup: start.backup,
      damaged,
      keptTransactions: seq,
      lostTransactions: Math.max(0, end - seq),
      isExact,
      keptUntil: newestRecord(sqlite),
      writtenUntil: await lastWrite(files, [...present.values()]),
    }
    return { sqlite, seq, plan }
  } catch (error) {
    sqlite.close()
    throw error
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
  for (const name of names.filter((name) => name === snapshotName || journalSeqs([name]).length > 0)) {
    present.set(name, join(dir, name))
  }
  return present
}

type Start = Omit<Recovered, 'plan'> & Pick<SalvagePlan, 'from' | 'backup' | 'damaged'>

/** Opens the snapshot if it verifies, else the newest backup that does. */
async function readStart(
  files: Files,
  dir: string,
  present: ReadonlyMap<string, string>,
  schema: Schema,
): Promise<Start> {
  const path = present.get(snapshotName)
  const bytes = path === undefined ? undefined : await readIfThere(files, path)
  if (bytes !== undefined) {
    const list = (await readIfThere(files, join(dir, sidecarName))) ?? new Uint8Array()
    const match = compareChecksum(bytes, list)
    const opened = await openSnapshot(snapshotName, bytes.slice(), 'quick').catch(() => undefined)
    if (opened && isConsistent(opened.sqlite)) {
      try {
        checkVersion(join(dir, snapshotName), opened.sqlite, schema)
      } catch (error) {
        opened.sqlite.close()
        throw error
      }
      const isFollowed = await hasLater(files, present, opened.seq)
      if (match !== 'other') return { ...opened, from: 'snapshot', backup: undefined, damaged: [] }
      if (!isFollowed) return { ...opened, from: 'changed', backup: undefined, damaged: [snapshotName] }
    }
    opened?.sqlite.close()
  }
  for (const { file } of await listBackups(dir, files)) {
    const checked = await checkBackup(file, { schema, files }).catch(() => undefined)
    if (!checked) continue
    const opened = await openSnapshot(file, checked.snapshot, 'quick')
    return { ...opened, from: 'backup', backup: file, damaged: [snapshotName] }
  }
  throw new StoreDamaged(join(dir, snapshotName), 'is damaged, and there is no intact backup beside it')
}

/** Whether a journal has transactions after `seq`: it continues the snapshot that was there before. */
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
