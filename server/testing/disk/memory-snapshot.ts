/** Snapshots and listings of a disk in memory. A snapshot shares the content of all files. */
import { type FrozenFile, MemoryFile } from './memory-file.ts'
import { Folder, type Node } from './memory-tree.ts'

/** The files and folders of a disk at one moment. Locks and open files do not belong to it. */
export interface DiskSnapshot {
  readonly root: FrozenFolder
}

interface FrozenFolder {
  readonly names: ReadonlyMap<string, FrozenFolder | FrozenFile>
  readonly changedMs: number
}

/** A file or a folder. */
export interface DiskEntry {
  /** Relative to the folder that was listed, with slashes. */
  readonly path: string
  readonly isFolder: boolean
  readonly changedAt: Date
  /** The path of an earlier entry that is another name of this file. */
  readonly linkOf: string | undefined
  /** Returns the content; empty for a folder. */
  read(): Uint8Array
}

export function freeze(root: Folder): FrozenFolder {
  const files = new Map<MemoryFile, FrozenFile>()
  const freezeFile = (file: MemoryFile): FrozenFile => {
    const frozen = files.get(file) ?? file.freeze()
    files.set(file, frozen)
    return frozen
  }
  const freezeFolder = ({ names, changedMs }: Folder): FrozenFolder => {
    const frozen = new Map<string, FrozenFolder | FrozenFile>()
    for (const [name, node] of names)
      frozen.set(name, node instanceof Folder ? freezeFolder(node) : freezeFile(node))
    return { names: frozen, changedMs }
  }
  return freezeFolder(root)
}

export function thaw(root: FrozenFolder): Folder {
  const files = new Map<FrozenFile, MemoryFile>()
  const thawFile = (frozen: FrozenFile): MemoryFile => {
    const file = files.get(frozen) ?? new MemoryFile(frozen)
    files.set(frozen, file)
    return file
  }
  const thawFolder = ({ names, changedMs }: FrozenFolder): Folder => {
    const thawed = new Map<string, Node>()
    for (const [name, node] of names) thawed.set(name, 'names' in node ? thawFolder(node) : thawFile(node))
    return new Folder(changedMs, thawed)
  }
  return thawFolder(root)
}

/** Lists everything in a folder, each folder before its content. */
export function* entriesOf(
  folder: Folder,
  prefix = '',
  seen = new Map<MemoryFile, string>(),
): Generator<DiskEntry, void> {
  for (const [name, node] of folder.names) {
    const path = `${prefix}${name}`
    const changedAt = new Date(node.changedMs)
    if (node instanceof Folder) {
      yield { path, isFolder: true, changedAt, linkOf: undefined, read: () => new Uint8Array() }
      yield* entriesOf(node, `${path}/`, seen)
      continue
    }
    const linkOf = seen.get(node)
    if (linkOf === undefined) seen.set(node, path)
    yield { path, isFolder: false, changedAt, linkOf, read: () => contentOf(node) }
  }
}

export function contentOf(file: MemoryFile): Uint8Array {
  const content = Buffer.alloc(file.size)
  file.read(content, 0)
  return content
}
