/**
 * The folder of `desktop-pds dev --data-dir`. The network runs in memory; its state is read from the folder at the start and written at
 * the end, as a whole: the file with the mark names the folder of the state, so that a write that is cut short changes nothing.
 */
import { basename, join } from 'node:path'
import { isMissing, nodeFiles, readJson, replaceJson } from '../store/files/files.ts'
import { databaseName, lockName, testNetworkName } from '../store/files/layout.ts'
import { StoreDamaged, StoreTooNew, StoreTooOld } from '../store/files/store-errors.ts'
import { temporaryName } from '../util/random.ts'
import { loadFolder, saveFolder } from './disk/copy-folder.ts'
import { createMemoryFiles } from './disk/memory-files.ts'
import type { DiskSnapshot } from './disk/memory-snapshot.ts'
import { dataDirOf } from './host.ts'
import type { Network, NetworkSnapshot } from './network.ts'
import { problemOf, type SavedState, snapshotOf, stateOf } from './saved-state.ts'

/** The folder is not one of a network for tests. The message is for people. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError'
}

export interface DataFolder {
  /**
   * Returns the state of the last run; undefined for a new folder.
   * @param count the number of servers that is expected @param later the clock continues at this time, if it is later
   * @throws DataFolderError
   */
  load(count: number | undefined, later: Date | undefined): Promise<NetworkSnapshot | undefined>
  save(network: Network): Promise<void>
  /** Lets others use the folder. */
  close(): Promise<void>
}

/** The content of the file with the mark. */
interface Mark {
  readonly about: string
  /** Name of the folder of the state. Undefined before the first end of a network. */
  readonly state?: string
}

const about = 'The data of a network for tests: see "desktop-pds dev". Passwords and keys in it are public.'
const stateName = 'network.json'
/** Names of folders of states. A folder may come from another person: any other name could lead out of it. */
const statePattern = /^state-[0-9a-f]{24}$/

/** Opens a folder, which may be missing. @throws DataFolderError, StoreLocked */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const names = (await nodeFiles.list(path)).filter((name) => name !== lockName)
  const mark = await readMark(path)
  // Also with a mark, which may have been copied there.
  if (names.includes(databaseName))
    throw new DataFolderError(
      `${path} has the data of a server, so a network for tests must not use it: name another folder with --data-dir.`,
    )
  if (!mark && names.length > 0)
    throw new DataFolderError(
      `${path} has other files, so a network for tests must not use it: name an empty folder with --data-dir.`,
    )
  await nodeFiles.makeDir(path).catch((error: Error) => {
    throw new DataFolderError(
      `${path} cannot be created (${error.message}): name another folder with --data-dir.`,
    )
  })
  const lock = await nodeFiles.lock(path)
  // Again: another network may have ended meanwhile.
  let state = (await readMark(path))?.state
  await replaceJson(nodeFiles, join(path, testNetworkName), { about, state })
  // Those of networks that were ended while they wrote.
  for (const name of await nodeFiles.list(path))
    if (statePattern.test(name) && name !== state) await nodeFiles.removeDir(join(path, name))

  return {
    async load(count, later) {
      if (state === undefined) return undefined
      const file = join(path, state, stateName)
      const kept = await readJson<SavedState>(nodeFiles, file)
      if (!kept) throw incomplete(join(path, state))
      const problem = problemOf(kept)
      if (problem !== undefined)
        throw new DataFolderError(
          `${file} was damaged, or another version wrote it (${problem}): name another folder with --data-dir.`,
        )
      if (count !== undefined && kept.urls.length !== count)
        throw new DataFolderError(
          `${path} has a network of ${kept.urls.length} servers: start it with --servers ${kept.urls.length}.`,
        )
      const disks: DiskSnapshot[] = []
      for (const index of kept.urls.keys())
        disks.push(await loadDisk(join(path, state, String(index + 1)), index))
      return snapshotOf(kept, disks, later)
    },
    async save(network) {
      const snapshot = await network.snapshot()
      const next = `state-${temporaryName()}`
      for (const [index, disk] of snapshot.disks.entries())
        await saveDisk(disk, index, join(path, next, String(index + 1)))
      await nodeFiles.makeDir(join(path, next))
      await replaceJson(nodeFiles, join(path, next, testNetworkName), { about })
      await replaceJson(nodeFiles, join(path, next, stateName), stateOf(snapshot))
      await nodeFiles.syncDir(path)
      await replaceJson(nodeFiles, join(path, testNetworkName), { about, state: next })
      if (state !== undefined) await nodeFiles.removeDir(join(path, state))
      state = next
    },
    close: () => lock.release(),
  }
}

const incomplete = (path: string) =>
  new DataFolderError(`${path} is incomplete: name another folder with --data-dir.`)

/** Returns the error of a network that cannot start on the data of a folder. */
export function refusalOf(error: unknown, path: string): unknown {
  if (![StoreDamaged, StoreTooNew, StoreTooOld].some((kind) => error instanceof kind)) return error
  const reason =
    error instanceof StoreDamaged ? `${basename(error.file)} ${error.reason}` : 'another version wrote them'
  return new DataFolderError(
    `The data in ${path} cannot be used, and stay as they are (${reason}): name another folder with --data-dir.`,
  )
}

/** @throws DataFolderError */
async function readMark(path: string): Promise<Mark | undefined> {
  const file = join(path, testNetworkName)
  const mark = await readJson<Mark>(nodeFiles, file)
  if (mark?.state !== undefined && !statePattern.test(mark.state))
    throw new DataFolderError(
      `${file} names no state of a network for tests: name another folder with --data-dir.`,
    )
  return mark
}

/** A server that is started on it by mistake finds the mark. It is not on the disk of the network. */
const isOfNetwork = (name: string) => name === testNetworkName || name === lockName

async function loadDisk(from: string, index: number): Promise<DiskSnapshot> {
  const memory = createMemoryFiles({ now: () => new Date(0) })
  const dataDir = dataDirOf(index)
  await loadFolder(from, memory, dataDir).catch((error: Error) => {
    throw isMissing(error) ? incomplete(from) : new DataFolderError(error.message)
  })
  // A server would begin with an empty one.
  if (!(await memory.list(dataDir)).includes(databaseName)) throw incomplete(from)
  for (const name of (await memory.list(dataDir)).filter(isOfNetwork))
    await memory.remove(join(dataDir, name))
  return memory.snapshot()
}

async function saveDisk(disk: DiskSnapshot, index: number, to: string): Promise<void> {
  const memory = createMemoryFiles({ now: () => new Date(0), from: disk })
  await saveFolder(memory, dataDirOf(index), to)
  await replaceJson(nodeFiles, join(to, testNetworkName), { about })
}
