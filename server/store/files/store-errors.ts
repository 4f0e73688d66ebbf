/** Errors of the store. Each message states the event and a remedy. */
import { hostname } from 'node:os'

/** A write did not reach the disk (full, failing, or the store is closed). It was rolled back and may be retried. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** This process has lost the lock of the data directory. It writes nothing more. */
export class StoreLockLost extends StoreUnavailable {
  constructor(directory: string) {
    super(
      `The lock of the data folder ${directory} was removed, and another process may use the folder now. Nothing more is written by this process. Stop it, and start it again when no other process uses the folder.`,
    )
  }
}

/** Another computer continues these data, so they are not changed here. The message is for people. */
export class StoreContinued extends Error {
  override readonly name = 'StoreContinued'
}

/** The disk has less free space than the reserve. Deletions still work. */
export class StoreFull extends Error {
  override readonly name = 'StoreFull'
}

/** Another process, or this one, holds the lock of the data directory. */
export class StoreLocked extends Error {
  override readonly name = 'StoreLocked'
  readonly directory: string
  /** Undefined when the other process did not answer. */
  readonly pid: number | undefined

  /** @param host host name of the process: a pid in another container means nothing here */
  constructor(directory: string, pid?: number, host = hostname()) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`
    const place = host === hostname() ? '' : ` on ${host}`
    super(
      `The data folder ${directory} is in use by ${holder}${place}. Stop that process first, or use another data folder.`,
    )
    this.directory = directory
    this.pid = pid
  }
}

/** A data folder, a database or a backup belongs to a network for tests. Nothing was changed. */
export class StoreForTests extends Error {
  override readonly name = 'StoreForTests'

  constructor(path: string) {
    super(
      `${path} belongs to a network for tests. Its keys and passwords are public, so use another folder or backup.`,
    )
  }
}

/** Windows refused to replace or move a file. */
export class StoreInUse extends Error {
  override readonly name = 'StoreInUse'
  /** The system's. */
  readonly code: string | undefined

  constructor(file: string, cause: NodeJS.ErrnoException) {
    super(
      `${file} is open in another program or read-only (${cause.code}). Close that program, or make the file writable, then try again.`,
      { cause },
    )
    this.code = cause.code
  }
}

/** A file is missing or fails its check. A damaged file of the data directory is moved aside, never overwritten. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged'
  readonly file: string
  readonly reason: string
  readonly movedTo: string | undefined

  constructor(file: string, reason: string, movedTo?: string) {
    const kept = movedTo === undefined ? '' : ` It was kept as ${movedTo}.`
    super(
      `${file} ${reason}.${kept} Nothing was deleted. Open what verifies with "npm run restore -- --salvage", or restore a backup with "npm run restore -- TIME" ("npm run restore -- --list" shows them).`,
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
      `${file} has version ${version}, but this program supports versions up to ${supported}. Start the newer program that wrote it.`,
    )
    this.file = file
  }
}

/** The file was written by a version of this program from before its first release. Nothing was changed. */
export class StoreTooOld extends Error {
  override readonly name = 'StoreTooOld'
  readonly file: string

  constructor(file: string) {
    super(
      `${file} was written by a version of this program from before its first release, which this version cannot open. Nothing was changed. Start the version that wrote it, or use another data folder.`,
    )
    this.file = file
  }
}

/** The file is not a backup of this program. Nothing was changed. */
export class BackupForeign extends Error {
  override readonly name = 'BackupForeign'
  readonly file: string

  constructor(file: string) {
    super(`${file} is not a backup of this program. Choose another file.`)
    this.file = file
  }
}

/** The backup is encrypted, and its passphrase is missing or wrong. Nothing was changed. */
export class BackupLocked extends Error {
  override readonly name = 'BackupLocked'
  readonly file: string
  readonly passphrase: 'missing' | 'wrong'

  constructor(file: string, passphrase: 'missing' | 'wrong') {
    super(
      passphrase === 'missing'
        ? `${file} is encrypted. Enter the passphrase that it was made with.`
        : `This passphrase does not decrypt ${file}. Check it for typing errors. If it is right, the beginning of the file is damaged.`,
    )
    this.file = file
    this.passphrase = passphrase
  }
}

/** Restores the class of an error from a worker thread, which passes on only its name and properties. */
export function withClass(error: unknown): unknown {
  const classes = [
    StoreUnavailable,
    StoreLocked,
    StoreForTests,
    StoreDamaged,
    StoreTooNew,
    StoreTooOld,
    BackupForeign,
    BackupLocked,
  ]
  if (!(error instanceof Error)) return error
  const match = classes.find(({ name }) => name === error.name)
  return match === undefined ? error : Object.setPrototypeOf(error, match.prototype)
}
