/**
 * A file system in memory, for a server whose data are on no disk. Everything that was written is durable at once. A snapshot takes as
 * long as a list of all files, because it shares their content.
 */
import type { Files, OpenFile, ReadableFile } from '../../store/files/files.ts'
import { StoreLocked } from '../../store/files/store-errors.ts'
import type { MemoryFile, Owner } from './memory-file.ts'
import { contentOf, type DiskEntry, type DiskSnapshot, entriesOf, freeze, thaw } from './memory-snapshot.ts'
import { Folder, failure, MemoryTree, sizeOf } from './memory-tree.ts'

export interface MemoryFiles extends Files {
  snapshot(): DiskSnapshot
  /** Lists everything in a folder, each folder before its content. */
  entries(dir: string): Generator<DiskEntry>
}

export interface MemoryFilesOptions {
  /** The time of changes. */
  readonly now: () => Date
  /** The files to begin with; none by default. */
  readonly from?: DiskSnapshot | undefined
  /** Bytes of the disk, which reports as free what its files leave: 4 GiB by default. */
  readonly capacity?: number | undefined
}

const defaultCapacity = 4 * 1024 ** 3
/** Bytes of a chunk that a reader gets at once. */
const readBytes = 256 * 1024

export function createMemoryFiles(options: MemoryFilesOptions): MemoryFiles {
  const { now, from, capacity = defaultCapacity } = options
  const tree = new MemoryTree(from ? thaw(from.root) : new Folder(now().getTime()), now)
  let owner: Owner = {}

  function openToWrite(path: string, file: MemoryFile): OpenFile {
    let isOpen = true
    const change = (syscall: string, work: () => void): void => {
      if (!isOpen) throw failure('EBADF', syscall, path)
      work()
      file.changedMs = now().getTime()
    }
    return {
      durableWrites: true,
      async write(bytes, position) {
        change('write', () => file.write(bytes, position, owner))
        return bytes.length
      },
      truncate: async (length) => change('ftruncate', () => file.truncate(length, owner)),
      async sync() {
        if (!isOpen) throw failure('EBADF', 'fdatasync', path)
      },
      async close() {
        isOpen = false
      },
    }
  }

  async function* chunks(path: string, start = 0, end = Number.POSITIVE_INFINITY) {
    if (end <= start) return
    const file = tree.getFile(path, 'open')
    for (let at = start; at < Math.min(end, file.size); ) {
      const chunk = Buffer.allocUnsafe(Math.min(readBytes, end - at, file.size - at))
      at += file.read(chunk, at)
      yield chunk
    }
  }

  return {
    async list(dir) {
      const found = tree.find(dir, 'scandir')
      if (found && !(found instanceof Folder)) throw failure('ENOTDIR', 'scandir', dir)
      return [...(found?.names.keys() ?? [])]
    },
    read: async (path) => contentOf(tree.getFile(path, 'open')),
    open: async (path) => openToRead(tree.getFile(path, 'open')),
    chunks,
    async size(path) {
      const found = tree.get(path, 'stat')
      return found instanceof Folder ? 0 : found.size
    },
    measureDir: async (path) => tree.measureDir(path),
    async freeBytes(dir) {
      tree.getFolder(dir, 'statfs')
      return Math.max(0, capacity - sizeOf(tree.root))
    },
    changedAt: async (path) => new Date(tree.get(path, 'stat').changedMs),
    create: async (path) => openToWrite(path, tree.create(path)),
    edit: async (path) => openToWrite(path, tree.getFile(path, 'open')),
    rename: async (from, to) => tree.rename(from, to),
    link: async (from, to) => tree.link(from, to),
    isSame: async (one, other) => tree.get(one, 'stat') === tree.get(other, 'stat'),
    remove: async (path) => tree.remove(path),
    removeDir: async (path) => tree.removeDir(path),
    makeDir: async (path) => tree.makeDir(path),
    restrict: async (path) => void tree.get(path, 'chmod'),
    async isPrivate(path) {
      tree.get(path, 'stat')
      return true
    },
    async lock(dir) {
      const folder = tree.getFolder(dir, 'open')
      if (folder.lock) throw new StoreLocked(dir, process.pid)
      const lock = {}
      folder.lock = lock
      return {
        isHeld: async () => folder.lock === lock,
        async release() {
          if (folder.lock === lock) folder.lock = undefined
        },
      }
    },
    syncDir: async (path) => void tree.getFolder(path, 'open'),
    snapshot() {
      // Later changes copy what the snapshot has.
      owner = {}
      return { root: freeze(tree.root) }
    },
    entries: (dir) => entriesOf(tree.getFolder(dir, 'scandir')),
  }
}

function openToRead(file: MemoryFile): ReadableFile {
  return {
    size: () => file.size,
    readBlocking: (into, position) => file.read(into, position),
    close: async () => {},
  }
}
