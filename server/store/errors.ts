/** Why the store cannot do what was asked. Each says in a plain sentence what happened and what to do. */
import { hostname } from 'node:os'

/**
 * A write did not reach the disk (full, failing, or the store is closed). Nothing of it is kept; it may be
 * tried again.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The store holds as much as it can keep safe; what only makes room is still taken. */
export class StoreFull extends Error {
  override readonly name = 'StoreFull'
}

/** Another process, or this one, has the data directory open. */
export class StoreLocked extends Error {
  override readonly name = 'StoreLocked'
  readonly directory: string
  /** Undefined when the other process did not answer. */
  readonly pid: number | undefined

  /** @param host where the pid counts: another container has another host name */
  constructor(directory: string, pid?: number, host = hostname()) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`
    const place = host === hostname() ? '' : ` on ${host}`
    super(
      `The data directory ${directory} is in use by ${holder}${place}. Stop that process first, or use another data directory.`,
    )
    this.directory = directory
    this.pid = pid
  }
}

/** A file of the store is missing or fails its check. It was moved aside, never overwritten. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged'
  readonly file: string
  readonly reason: string
  readonly movedTo: string | undefined

  constructor(file: string, reason: string, movedTo?: string) {
    const kept = movedTo === undefined ? '' : ` It was kept as ${movedTo}.`
    super(
      `${file} ${reason}.${kept} Nothing was deleted. Restore a backup with "npm run restore -- FILE" ("npm run restore -- --list" shows them).`,
    )
    this.file = file
    this.reason = reason
    this.movedTo = movedTo
  }
}

/** The file was written by a newer version of this program. */
export class StoreTooNew extends Error {
  override readonly name = 'StoreTooNew'
  readonly file: string

  constructor(file: string, version: number, supported: number) {
    super(
      `${file} has version ${version}, but this program knows versions up to ${supported} only. Start the newer program that wrote it.`,
    )
    this.file = file
  }
}

/** A file was given as a backup that this program did not make. Nothing was touched. */
export class BackupForeign extends Error {
  override readonly name = 'BackupForeign'
  readonly file: string

  constructor(file: string) {
    super(`${file} is not a backup of this program. Choose another file.`)
    this.file = file
  }
}

/** A backup is protected, and the passphrase is missing or wrong. Nothing was touched. */
export class BackupLocked extends Error {
  override readonly name = 'BackupLocked'
  readonly file: string
  readonly passphrase: 'missing' | 'wrong'

  constructor(file: string, passphrase: 'missing' | 'wrong') {
    super(
      passphrase === 'missing'
        ? `${file} is protected by a passphrase. Give the one that it was made with.`
        : `This is not the passphrase that ${file} was made with. Try again.`,
    )
    this.file = file
    this.passphrase = passphrase
  }
}

/** Threads pass an error on with its name and all that it says, but without its class: gives it back. */
export function withClass(error: unknown): unknown {
  const classes = [StoreUnavailable, StoreLocked, StoreDamaged, StoreTooNew, BackupForeign, BackupLocked]
  if (!(error instanceof Error)) return error
  const known = classes.find(({ name }) => name === error.name)
  return known === undefined ? error : Object.setPrototypeOf(error, known.prototype)
}
