/**
 * The long tasks of the store. They only read and write files, so a worker thread runs them while the server answers
 * requests.
 */
import { LimitExceeded, readForeignBytes } from '../../util/foreign-bytes.ts'
import { runInWorker as runOwn, type WorkerOptions } from '../../util/worker-or-inline.ts'
import { compact } from '../compact.ts'
import { StoreDamaged, StoreUnavailable, withClass } from '../errors.ts'
import { type Files, nodeFiles } from '../files.ts'
import type { Schema } from '../migrate.ts'
import { verifyDatabase } from '../pages/database-file.ts'
import { type BackupContent, type DescribeOptions, describeBackup } from './backup-content.ts'
import { type CopyOptions, copyDatabase, type DatabaseCopy, exportBackup } from './copy-data.ts'
import { restore } from './restore.ts'

export type Task =
  | { readonly kind: 'copy'; readonly dir: string; readonly file: string; readonly options: CopyOptions }
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
      readonly options: Omit<DescribeOptions, 'files'>
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
    case 'copy':
      return copyDatabase(files, task.dir, task.file, task.options)
    case 'compact':
      return compact(files, task.dir)
    case 'verify':
      return verifyDatabase(files, task.dir)
    case 'export':
      return exportBackup(task.dir, task.file, { createdAt: task.at, passphrase: task.passphrase }, files)
    case 'describe':
      return describeBackup(task.dir, task.file, { ...task.options, files })
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
  return task.kind === 'export' || task.kind === 'copy' ? [`${task.file}.tmp`] : []
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
