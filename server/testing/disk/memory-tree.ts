/** The folders of a disk in memory. Errors are those of Node.js. */
import { resolve, sep } from 'node:path'
import type { Measured } from '../../store/files/files.ts'
import { MemoryFile } from './memory-file.ts'

export class Folder {
  readonly names: Map<string, Folder | MemoryFile>
  changedMs: number
  lock: object | undefined

  constructor(changedMs: number, names = new Map<string, Folder | MemoryFile>()) {
    this.changedMs = changedMs
    this.names = names
  }
}

export type Node = Folder | MemoryFile

const messages = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  EEXIST: 'file already exists',
  ENOTEMPTY: 'directory not empty',
  EPERM: 'operation not permitted',
  EBADF: 'bad file descriptor',
  EINVAL: 'invalid argument',
} as const

/** Returns an error as Node.js throws it. */
export function failure(code: keyof typeof messages, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${messages[code]}, ${syscall} '${path}'`), { code, syscall, path })
}

export class MemoryTree {
  readonly root: Folder
  readonly #now: () => Date

  constructor(root: Folder, now: () => Date) {
    this.root = root
    this.#now = now
  }

  /** Returns the folder that has a path, and its name there; undefined if there is no such folder. */
  #locate(path: string, syscall: string): { folder: Folder; name: string } | undefined {
    const names = resolve(path).split(sep).filter(Boolean)
    const name = names.pop() ?? ''
    let folder: Node | undefined = this.root
    for (const each of names) {
      if (folder instanceof MemoryFile) throw failure('ENOTDIR', syscall, path)
      folder = folder.names.get(each)
      if (!folder) return undefined
    }
    if (folder instanceof MemoryFile) throw failure('ENOTDIR', syscall, path)
    return { folder, name }
  }

  find(path: string, syscall: string): Node | undefined {
    const place = this.#locate(path, syscall)
    if (!place) return undefined
    return place.name === '' ? this.root : place.folder.names.get(place.name)
  }

  get(path: string, syscall: string): Node {
    const found = this.find(path, syscall)
    if (!found) throw failure('ENOENT', syscall, path)
    return found
  }

  getFile(path: string, syscall: string): MemoryFile {
    const found = this.get(path, syscall)
    if (found instanceof Folder) throw failure('EISDIR', syscall, path)
    return found
  }

  getFolder(path: string, syscall: string): Folder {
    const found = this.get(path, syscall)
    if (found instanceof MemoryFile) throw failure('ENOTDIR', syscall, path)
    return found
  }

  /** Returns the existing folder in which a name is created, and the name. */
  #placeFor(path: string, syscall: string): { folder: Folder; name: string } {
    const place = this.#locate(path, syscall)
    if (!place) throw failure('ENOENT', syscall, path)
    if (place.name === '') throw failure('EPERM', syscall, path)
    return place
  }

  #put(folder: Folder, name: string, node: Node): void {
    folder.names.set(name, node)
    folder.changedMs = this.#now().getTime()
  }

  #drop(folder: Folder, name: string): void {
    if (folder.names.delete(name)) folder.changedMs = this.#now().getTime()
  }

  /** Creates an empty file. One that has the name keeps its content for those that have it open. */
  create(path: string): MemoryFile {
    const { folder, name } = this.#placeFor(path, 'open')
    if (folder.names.get(name) instanceof Folder) throw failure('EISDIR', 'rm', path)
    const file = MemoryFile.empty(this.#now().getTime())
    this.#put(folder, name, file)
    return file
  }

  rename(from: string, to: string): void {
    const node = this.get(from, 'rename')
    const source = this.#placeFor(from, 'rename')
    const target = this.#placeFor(to, 'rename')
    const replaced = target.folder.names.get(target.name)
    // Two names of one file: both stay.
    if (replaced === node) return
    if (node instanceof Folder) {
      if (this.#isInside(node, to)) throw failure('EINVAL', 'rename', from)
      if (replaced instanceof MemoryFile) throw failure('ENOTDIR', 'rename', from)
      if (replaced && replaced.names.size > 0) throw failure('ENOTEMPTY', 'rename', from)
    } else if (replaced instanceof Folder) throw failure('EISDIR', 'rename', from)
    this.#drop(source.folder, source.name)
    this.#put(target.folder, target.name, node)
  }

  /** Whether a path leads through a folder. */
  #isInside(folder: Folder, path: string): boolean {
    let node: Node | undefined = this.root
    for (const name of resolve(path).split(sep).filter(Boolean)) {
      if (node === folder) return true
      node = node instanceof Folder ? node.names.get(name) : undefined
    }
    return false
  }

  link(from: string, to: string): void {
    const file = this.get(from, 'link')
    const { folder, name } = this.#placeFor(to, 'link')
    if (folder.names.has(name)) return
    if (file instanceof Folder) throw failure('EPERM', 'link', from)
    this.#put(folder, name, file)
  }

  remove(path: string): void {
    const place = this.#locate(path, 'rm')
    const found = place?.folder.names.get(place.name)
    if (!place || !found) return
    if (found instanceof Folder) throw failure('EISDIR', 'rm', path)
    this.#drop(place.folder, place.name)
  }

  removeDir(path: string): void {
    const place = this.#locate(path, 'rm')
    const found = place?.folder.names.get(place.name)
    if (!place || !found) return
    if (found instanceof Folder) for (const folder of foldersOf(found)) folder.lock = undefined
    this.#drop(place.folder, place.name)
  }

  makeDir(path: string): void {
    let folder = this.root
    for (const name of resolve(path).split(sep).filter(Boolean)) {
      const found = folder.names.get(name)
      if (found instanceof MemoryFile) throw failure('EEXIST', 'mkdir', path)
      const next = found ?? new Folder(this.#now().getTime())
      if (!found) this.#put(folder, name, next)
      folder = next
    }
  }

  measureDir(path: string): Measured | undefined {
    const folder = this.find(path, 'lstat')
    if (!(folder instanceof Folder)) return undefined
    const files = [...foldersOf(folder)].flatMap(({ names }) =>
      [...names.values()].filter((node) => node instanceof MemoryFile),
    )
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    const changedMs = files.reduce(
      (latest, file) => Math.max(latest, file.changedMs),
      Number.NEGATIVE_INFINITY,
    )
    return { bytes, changedAt: files.length > 0 ? new Date(changedMs) : undefined }
  }
}

/** Yields a folder and all folders in it. */
export function* foldersOf(folder: Folder): Generator<Folder> {
  yield folder
  for (const node of folder.names.values()) if (node instanceof Folder) yield* foldersOf(node)
}

/** Returns the bytes of all files in a folder. One with two names counts twice. */
export function sizeOf(folder: Folder): number {
  let size = 0
  for (const node of folder.names.values()) size += node instanceof Folder ? sizeOf(node) : node.size
  return size
}
