/**
 * The long tasks of the store. They only read and write files, so a worker thread runs them while the server answers
 * requests.
 */
import { join } from 'node:path'
import { LimitExceeded, readForeignBytes } from '../../util/foreign-bytes.ts'
import { runInWorker as runOwn, type WorkerOptions } from '../../util/worker-or-inline.ts'
import { compact } from '../compact.ts'
import { StoreDamaged, StoreUnavailable, withClass } from '../errors.ts'
import { type Files, nodeFiles } from '../files.ts'
import { backupsName } from '../layout.ts'
import type { Schema } from '../migrate.ts'
import { verifyDatabase } from '../pages/database-file.ts'
import {
  type BackupInfo,
  type BackupKind,
  backup,
  copyDatabase,
  type DatabaseCopy,
  exportBackup,
} from './backup.ts'
import { type BackupContent, describeBackup } from './backup-content.ts'
import { restore } from './restore.ts'
import { backupName } from './retention.ts'

export type Task =
  | { readonly kind: 'backup'; readonly dir: string; readonly at: Date; readonly of: BackupKind }
  | { readonly kind: 'copy'; readonly dir: string; readonly file: string }
  | { readonly kind: 'compact'; readonly dir: string }
  | { readonly kind: 'verify'; readonly dir: string }
  | {
      readonly kind: 'export'
      readonly dir: string
      readonly file: string
      readonly at: Date
      readonly passphrase?: string | undefined
    }
  | {
      readonly kind: 'describe'
      readonly dir: string
      readonly file: string
      readonly passphrase?: string | undefined
      readonly schema: Schema
    }
  | {
      readonly kind: 'restore'
      readonly dir: string
      readonly file: string
      readonly passphrase?: string | undefined
      readonly schema: Schema
      readonly at: Date
    }

interface Results {
  backup: BackupInfo
  copy: DatabaseCopy
  /** Size of the database, in bytes. */
  compact: number
  /** The checksums of the pages, encoded. */
  verify: Uint8Array
  /** Size of the file, in bytes. */
  export: number
  describe: BackupContent
  /** The folder with the replaced data. */
  restore: string | undefined
}

export type TaskResult<T extends Task> = Results[T['kind']]

export async function runTask<T extends Task>(files: Files, task: T): Promise<TaskResult<T>>
export async function runTask(files: Files, task: Task): Promise<Results[Task['kind']]> {
  switch (task.kind) {
    case 'backup':
      return backup(task.dir, task.at, task.of, files)
    case 'copy':
      return copyDatabase(files, task.dir, task.file)
    case 'compact':
      return compact(files, task.dir)
    case 'verify':
      return verifyDatabase(files, task.dir)
    case 'export':
      return exportBackup(task.dir, task.file, { createdAt: task.at, passphrase: task.passphrase }, files)
    case 'describe':
      return describeBackup(task.dir, task.file, task.schema, task.passphrase, files)
    case 'restore': {
      const { dir: directory, file, passphrase, schema, at } = task
      return restore({ directory, file, passphrase, schema, now: () => at, files })
    }
  }
}

/** Runs a task in a worker on the real files, in this thread on others. @param signal ends the worker */
export function runInBackground<T extends Task>(
  files: Files,
  task: T,
  onUnloadable?: (error: Error) => void,
  signal?: AbortSignal,
): Promise<TaskResult<T>> {
  return files === nodeFiles ? runInWorker(task, onUnloadable, signal) : runTask(files, task)
}

/** The files that a task is writing, which get their names when they are complete. */
function partsOf(task: Task): string[] {
  if (task.kind === 'export' || task.kind === 'copy') return [`${task.file}.tmp`]
  if (task.kind !== 'backup') return []
  const { dir, at: createdAt, of } = task
  const names = [of, 'incomplete' as const].map((kind) => backupName({ kind, createdAt }))
  return names.map((name) => join(dir, backupsName, `${name}.tmp`))
}

/** For backups that a person opens. A large one takes hours and its pages some memory; its content is streamed. */
const limits = { memoryBytes: 2 ** 30, timeMs: 12 * 60 * 60_000 }

/**
 * Runs a task on the real files in a worker thread. Errors of the store keep their class.
 * @param onUnloadable called if the worker cannot be loaded: tasks then run on the main thread
 * @param signal ends the worker at once; what it was writing is removed
 */
export async function runInWorker<T extends Task>(
  task: T,
  onUnloadable: (error: Error) => void = () => {},
  signal?: AbortSignal,
): Promise<TaskResult<T>> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker: WorkerOptions<T, TaskResult<T>> = {
    file: new URL(`./store-worker.${extension}`, import.meta.url),
    name: 'store',
    inline: (job: T) => runTask(nodeFiles, job),
    onUnloadable,
  }
  try {
    const isForeign = task.kind === 'describe' || task.kind === 'restore'
    return await (isForeign
      ? readForeignBytes({ ...worker, limits }, task, signal)
      : runOwn(worker, task, signal))
  } catch (error) {
    if (signal?.aborted) {
      for (const part of partsOf(task)) await nodeFiles.remove(part)
      throw new StoreUnavailable('This was ended because the server stops.')
    }
    if (error instanceof LimitExceeded)
      throw new StoreDamaged('file' in task ? task.file : task.dir, 'needs too much memory or time')
    throw withClass(error)
  }
}
