/**
 * A disk that fails on request. Like a real one it has a page cache: bytes that were written but not synced may be
 * lost, kept or torn by a power cut, and so may names (creations, renames, removals) until their directory is
 * synced.
 */
import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import type { Files, Measured, OpenFile, ReadableFile } from '../../../server/store/files/files.ts'
import { StoreLocked } from '../../../server/store/files/store-errors.ts'

/** What happens at the chosen operation. */
export type Fault =
  /** It fails and does nothing. */
  | 'fails'
  /** It works and yet reports a failure. */
  | 'works but fails'
  /** From here on nothing can be written or created, but everything else works. */
  | 'disk full'
  /** From here on nothing works at all. */
  | 'disk removed'
  /** A write takes half of its bytes and says so. */
  | 'short write'
  /** A write takes half of its bytes and fails. */
  | 'torn write'
  /** A sync fails, and its bytes never reach the disk, whatever later syncs report. */
  | 'lost sync'
  /** The process ends; the system goes on and keeps written bytes. */
  | 'kill'
  /** A power cut: everything that was not synced is lost. */
  | 'power cut'
  /**
   * A power cut: of everything not synced, files have a part and directories the first half of their
   * changes.
   */
  | 'power cut, prefix kept'
  /** A power cut: of everything not synced, only the last sector of a file and the last change of names is there. */
  | 'power cut, last kept'
  /**
   * A power cut: of everything not synced, an arbitrary choice of sectors and names is there. Missing
   * sectors are zeros.
   */
  | 'power cut, sectors kept'

type Operation = 'read' | 'write' | 'name' | 'sync'

/** Faults that only one kind of operation has. */
const only: Partial<Record<Fault, Operation>> = {
  'short write': 'write',
  'torn write': 'write',
  'lost sync': 'sync',
}

/** Whether a fault changes the effect of an operation. */
export function isPossible(fault: Fault, operation: Operation): boolean {
  return (only[fault] ?? operation) === operation
}

const sector = 512

/** A file. What was overwritten since its last sync is kept, not a copy of the whole file. */
class Inode {
  #data: Buffer = Buffer.alloc(0)
  /** Begins with the data, and has room for more. */
  #buffer = this.#data
  #syncedLength = 0
  /** What was overwritten since the last sync. */
  #overwritten: { readonly position: number; readonly bytes: Buffer }[] = []
  /** What was synced, if the data were replaced since. */
  #synced: Buffer | undefined

  get data(): Buffer {
    return this.#data
  }

  /** What is left after a power cut. */
  get onDisk(): Buffer {
    if (this.#synced) return this.#synced
    const synced = Buffer.from(this.#buffer.subarray(0, this.#syncedLength))
    for (const { position, bytes } of this.#overwritten.toReversed()) synced.set(bytes, position)
    return synced
  }

  get isSynced(): boolean {
    return !this.#synced && this.#overwritten.length === 0 && this.#data.length === this.#syncedLength
  }

  write(bytes: Uint8Array, position: number): void {
    const end = Math.max(this.#data.length, position + bytes.length)
    if (!this.#synced && position < this.#syncedLength) {
      const before = this.#data.subarray(position, Math.min(position + bytes.length, this.#syncedLength))
      this.#overwritten.push({ position, bytes: Buffer.from(before) })
    }
    if (end > this.#buffer.length) {
      this.#buffer = Buffer.alloc(end + Math.min(end, maxRoom))
      this.#data.copy(this.#buffer)
    }
    this.#buffer.set(bytes, position)
    this.#data = this.#buffer.subarray(0, end)
  }

  replace(data: Buffer): void {
    this.#synced = this.onDisk
    this.#data = data
    this.#buffer = data
  }

  sync(): void {
    this.#synced = undefined
    this.#overwritten = []
    this.#syncedLength = this.#data.length
  }

  /** Another content, as if it had always been there. */
  reset(data: Buffer): void {
    this.#data = data
    this.#buffer = data
    this.sync()
  }
}

/** Bytes for which a file has room when it grows. */
const maxRoom = 64 * 1024

type NameChange = (names: Map<string, Inode>) => void

class Directory {
  names = new Map<string, Inode>()
  onDisk = new Map<string, Inode>()
  changes: NameChange[] = []

  change(change: NameChange): void {
    change(this.names)
    this.changes.push(change)
  }
}

export class FaultyDisk {
  /** Bytes that may still be written, as the disk says. */
  free = Number.POSITIVE_INFINITY
  /** Operations so far. */
  readonly history: Operation[] = []
  #directories = new Map<string, Directory>()
  #fault: { at: number; fault: Fault } | undefined
  #full = false
  #removed = false
  #off = false
  #random = 1
  /** The system releases them when the process ends. */
  #locked = new Map<string, symbol>()

  /** Lets a fault happen at the operation with this number. */
  failAt(at: number, fault: Fault): void {
    this.#fault = { at, fault }
    this.#random = at
  }

  /** Number of operations so far. */
  get operations(): number {
    return this.history.length
  }

  /** Whether the fault cut the process off. */
  get off(): boolean {
    return this.#off
  }

  /** Whether a fault happens later, or has happened and stays. */
  get hasFault(): boolean {
    return this.#fault !== undefined || this.#full || this.#removed
  }

  /** Whether files can be read. */
  get isReadable(): boolean {
    return !this.#off && !this.#removed
  }

  /** The disk after a restart, without faults. */
  restart(): void {
    this.#fault = undefined
    this.#full = false
    this.#removed = false
    this.#off = false
    this.#locked.clear()
  }

  /** From here on nothing happens any more; written bytes stay. */
  kill(): void {
    this.#off = true
  }

  /** Loses everything that was not synced. */
  cutPower(): void {
    this.#collapse('power cut')
    this.#off = true
  }

  /** A copy of the present state. */
  clone(): FaultyDisk {
    const copy = new FaultyDisk()
    for (const [path, { names }] of this.#directories) {
      const directory = new Directory()
      for (const [name, { data }] of names) {
        const inode = new Inode()
        inode.reset(Buffer.from(data))
        directory.names.set(name, inode)
      }
      directory.onDisk = new Map(directory.names)
      copy.#directories.set(path, directory)
    }
    return copy
  }

  /** Equal for disks with the same names and contents, in the page cache and below it. */
  fingerprint(): string {
    const hash = createHash('sha256')
    for (const [path, { names, onDisk, changes }] of this.#directories) {
      hash.update(`directory ${path} ${changes.length}\n`)
      for (const files of [names, onDisk]) {
        for (const [name, { data, onDisk: synced }] of files) {
          hash.update(`file ${name} ${data.length} ${synced.length}\n`).update(data).update(synced)
        }
      }
    }
    return hash.digest('base64url')
  }

  names(dir: string): string[] {
    return [...(this.#directories.get(dir)?.names.keys() ?? [])].sort()
  }

  /** The paths of all files. */
  get paths(): string[] {
    return [...this.#directories].flatMap(([dir, { names }]) =>
      [...names.keys()].map((name) => `${dir}/${name}`),
    )
  }

  /** The content of a file, which may be changed in place. */
  content(path: string): Buffer {
    return this.#inode(path).data
  }

  /** Puts a file there, synced. */
  put(path: string, content: Buffer): void {
    const inode = new Inode()
    inode.reset(content)
    const { names, onDisk } = this.#directory(dirname(path))
    names.set(basename(path), inode)
    onDisk.set(basename(path), inode)
  }

  readonly files: Files = {
    list: (dir) => this.#step('read', () => [...this.names(dir), ...this.#directoriesIn(dir)]),
    read: (path) => this.#step('read', () => Buffer.from(this.#inode(path).data)),
    open: (path) => this.#step('read', () => this.#openForReading(this.#inode(path))),
    freeBytes: () => this.#step('read', () => this.free),
    chunks: (path, start, end) => this.#chunks(path, start, end),
    size: (path) =>
      this.#step('read', () => (this.#directories.has(path) ? 0 : this.#inode(path).data.length)),
    measureDir: (path) => this.#step('read', () => this.#measureDir(path)),
    changedAt: (path) => this.#step('read', () => new Date(this.#inode(path).data.length)),
    create: (path) => this.#step('write', () => this.#create(path)),
    edit: (path) => this.#step('read', () => this.#open(this.#inode(path))),
    rename: (from, to) => this.#step('name', () => this.#rename(from, to)),
    link: (from, to) => this.#step('name', () => this.#link(from, to)),
    isSame: (one, other) => this.#step('read', () => this.#inode(one) === this.#inode(other)),
    removeDir: (path) => this.#step('name', () => this.#removeDir(path)),
    remove: (path) =>
      this.#step('name', () =>
        this.#directory(dirname(path)).change((names) => names.delete(basename(path))),
      ),
    makeDir: (path) =>
      this.#step('write', () => {
        for (let made = path; made !== dirname(made) && !this.#directories.has(made); made = dirname(made)) {
          this.#directories.set(made, new Directory())
        }
      }),
    restrict: (path) => this.#step('name', () => void this.#inode(path)),
    isPrivate: (path) => this.#step('read', () => this.#inode(path) !== undefined),
    lock: async (dir) => {
      await this.#step('read', () => {})
      if (this.#locked.has(dir)) throw new StoreLocked(dir, process.pid)
      const holder = Symbol(dir)
      this.#locked.set(dir, holder)
      const release = async () => {
        // A process that has ended releases nothing: the next one may hold it.
        if (this.#locked.get(dir) === holder) this.#locked.delete(dir)
      }
      return { isHeld: async () => true, release }
    },
    syncDir: (path) =>
      this.#step('sync', () => {
        const directory = this.#directory(path)
        directory.onDisk = new Map(directory.names)
        directory.changes = []
      }),
  }

  #measureDir(path: string): Measured | undefined {
    if (!this.#directories.has(path)) return undefined
    const inside = [...this.#directories].filter(([dir]) => dir === path || dir.startsWith(`${path}/`))
    const inodes = inside.flatMap(([, { names }]) => [...names.values()])
    return { bytes: inodes.reduce((sum, { data }) => sum + data.length, 0), changedAt: undefined }
  }

  #directoriesIn(dir: string): string[] {
    return [...this.#directories.keys()].filter((path) => dirname(path) === dir).map((path) => basename(path))
  }

  async *#chunks(path: string, start?: number, end?: number): AsyncGenerator<Uint8Array> {
    yield await this.#step('read', () => Buffer.from(this.#inode(path).data.subarray(start, end)))
  }

  #openForReading(inode: Inode): ReadableFile {
    return {
      size: () => inode.data.length,
      readBlocking: (into, position) =>
        this.#stepNow('read', () => {
          const part = inode.data.subarray(position, position + into.length)
          into.set(part)
          return part.length
        }),
      close: () => this.#step('read', () => {}),
    }
  }

  #open(inode: Inode): OpenFile {
    return {
      write: (bytes, position) => {
        const part = this.#faultNow('short write', 'torn write') ? Math.ceil(bytes.length / 2) : bytes.length
        return this.#step('write', () => {
          inode.write(bytes.subarray(0, part), position)
          return part
        })
      },
      // A full disk can shorten files.
      truncate: (length) =>
        this.#step('name', () => {
          const cut = Buffer.alloc(length)
          inode.data.copy(cut)
          inode.replace(cut)
        }),
      sync: () =>
        this.#step('sync', () => {
          inode.sync()
        }),
      close: () => this.#step('read', () => {}),
    }
  }

  #create(path: string): OpenFile {
    const { names } = this.#directory(dirname(path))
    const existing = names.get(basename(path))
    if (existing !== undefined) {
      existing.replace(Buffer.alloc(0))
      return this.#open(existing)
    }
    const inode = new Inode()
    this.#directory(dirname(path)).change((now) => now.set(basename(path), inode))
    return this.#open(inode)
  }

  #rename(from: string, to: string): void {
    if (this.#directories.has(from)) this.#renameDir(from, to)
    else this.#renameFile(from, to)
  }

  #renameFile(from: string, to: string): void {
    const inode = this.#inode(from)
    const source = this.#directory(dirname(from))
    const target = this.#directory(dirname(to))
    if (source === target) {
      source.change((names) => {
        names.delete(basename(from))
        names.set(basename(to), inode)
      })
    } else {
      target.change((names) => names.set(basename(to), inode))
      source.change((names) => names.delete(basename(from)))
    }
  }

  /** Durable at once, unlike changes of file names. */
  #renameDir(from: string, to: string): void {
    for (const [path, directory] of [...this.#directories]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue
      this.#directories.delete(path)
      this.#directories.set(to + path.slice(from.length), directory)
    }
  }

  #link(from: string, to: string): void {
    const inode = this.#inode(from)
    const target = this.#directory(dirname(to))
    if (!target.names.has(basename(to))) target.change((names) => names.set(basename(to), inode))
  }

  #removeDir(path: string): void {
    for (const directory of [...this.#directories.keys()]) {
      if (directory === path || directory.startsWith(`${path}/`)) this.#directories.delete(directory)
    }
  }

  /** One operation: counted, and failing if it is its turn. */
  async #step<T>(kind: Operation, effect: () => T): Promise<T> {
    return this.#stepNow(kind, effect)
  }

  #stepNow<T>(kind: Operation, effect: () => T): T {
    if (this.#off) throw new Error('the machine is off')
    this.history.push(kind)
    if (this.#removed) throw failure('EIO')
    if (this.#full && kind === 'write') throw failure('ENOSPC')
    const { at, fault } = this.#fault ?? {}
    if (fault === undefined || this.operations !== at || !isPossible(fault, kind)) return effect()
    switch (fault) {
      case 'fails':
        throw failure('EIO')
      case 'works but fails':
        effect()
        throw failure('EIO')
      case 'disk full':
        this.#full = true
        if (kind === 'write') throw failure('ENOSPC')
        return effect()
      case 'disk removed':
        this.#removed = true
        throw failure('EIO')
      case 'short write':
        return effect()
      case 'torn write':
        effect()
        throw failure('ENOSPC')
      case 'lost sync':
        throw failure('EIO')
      default:
        try {
          effect()
        } catch {
          // The process does not get to know it.
        }
        this.#collapse(fault)
        this.#off = true
        throw new Error('the machine is off')
    }
  }

  #faultNow(...faults: Fault[]): boolean {
    return this.operations + 1 === this.#fault?.at && faults.includes(this.#fault.fault)
  }

  /** The state after a cut. */
  #collapse(fault: Fault): void {
    if (fault === 'kill') return
    for (const directory of this.#directories.values()) {
      directory.names = new Map(directory.onDisk)
      for (const [i, change] of directory.changes.entries()) {
        if (this.#isKept(fault, i, directory.changes.length)) change(directory.names)
      }
      directory.onDisk = new Map(directory.names)
      directory.changes = []
      for (const inode of directory.names.values()) this.#collapseInode(inode, fault)
    }
  }

  /**
   * Sectors that were not synced are the new ones or the old ones; a file that has no old one there has
   * zeros, or ends.
   */
  #collapseInode(inode: Inode, fault: Fault): void {
    if (inode.isSynced) return
    const { data, onDisk } = inode
    const sectors = Math.ceil(data.length / sector)
    const dirty = Array.from({ length: sectors }, (_, i) => i * sector).filter(
      (at) => !data.subarray(at, at + sector).equals(onDisk.subarray(at, at + sector)),
    )
    const kept = dirty.filter((_, i) => this.#isKept(fault, i, dirty.length))
    const end = (kept.at(-1) ?? -sector) + sector
    const grows = kept.length > 0 && data.length > onDisk.length
    const left = Buffer.alloc(grows ? Math.min(data.length, Math.max(end, onDisk.length)) : onDisk.length)
    onDisk.copy(left)
    for (const at of kept) data.copy(left, at, at, at + sector)
    inode.reset(data.length < onDisk.length && this.#isKept(fault, 0, 1) ? data : left)
  }

  #isKept(fault: Fault, i: number, of: number): boolean {
    if (fault === 'power cut, prefix kept') return i < of / 2
    if (fault === 'power cut, last kept') return i === of - 1
    return fault === 'power cut, sectors kept' && this.#coin()
  }

  /** Reproducible chance: a linear congruential generator. */
  #coin(): boolean {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0
    return this.#random > 0x7fffffff
  }

  #directory(path: string): Directory {
    const directory = this.#directories.get(path)
    if (directory === undefined) throw failure('ENOENT')
    return directory
  }

  #inode(path: string): Inode {
    const inode = this.#directories.get(dirname(path))?.names.get(basename(path))
    if (inode === undefined) throw failure('ENOENT')
    return inode
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: at the operation that was to fail`), { code })
}
