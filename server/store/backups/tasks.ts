/**
 * The long tasks of the store. They only read and write files, so a worker thread runs them while the server answers
 * requests.
 */
import { LimitExceeded, readForeignBytes } from '../../util/foreign-bytes.ts'
import { runInWorker as runOwn } from '../../util/worker-or-inline.ts'
import { compact } from '../database/compact-database.ts'
import type { Schema } from '../database/migrate.ts'
import { type Files, nodeFiles } from '../files/files.ts'
import { onFiles } from '../files/jobs-on-files.ts'
import { StoreDamaged, StoreUnavailable, withClass } from '../files/store-errors.ts'
import { verifyDatabase } from '../pages/database-file.ts'
import { type DescribeOptions, describeBackup } from './backup-content.ts'
import { type CopyOptions, copyDatabase, exportBackup } from './copy-data.ts'
import { restore } from './restore.ts'

interface OfFile {
  readonly dir: string
  readonly file: string
  readonly passphrase?: string | undefined
}

const tasks = {
  copy: (files: Files, { dir, file, options }: OfFile & { readonly options: CopyOptions }) =>
    copyDatabase(files, dir, file, options),
  compact: (files: Files, { dir }: { readonly dir: string }) => compact(files, dir),
  verify: (files: Files, { dir }: { readonly dir: string }) => verifyDatabase(files, dir),
  export: (files: Files, { dir, file, passphrase, at }: OfFile & { readonly at: Date }) =>
    exportBackup(dir, file, { createdAt: at, passphrase }, files),
  describe: (files: Files, { dir, file, options }: OfFile & { options: Omit<DescribeOptions, 'files'> }) =>
    describeBackup(dir, file, { ...options, files }),
  restore: (files: Files, { dir, at, ...of }: OfFile & { readonly schema: Schema; readonly at: Date }) =>
    restore({ ...of, directory: dir, now: () => at, files }),
}

type Tasks = typeof tasks
export type Task = { [K in keyof Tasks]: { readonly kind: K } & Parameters<Tasks[K]>[1] }[keyof Tasks]
export type TaskResult<T extends Task> = Awaited<ReturnType<Tasks[T['kind']]>>

export function runTask<T extends Task>(files: Files, task: T): Promise<TaskResult<T>> {
  const run: (files: Files, task: never) => Promise<unknown> = tasks[task.kind]
  return run(files, task as never) as Promise<TaskResult<T>>
}

/** For backups that a person opens. A large one takes hours and its pages some memory; its content is streamed. */
const limits = { memoryBytes: 2 ** 30, timeMs: 12 * 60 * 60_000 }

/** Runs a task on the real files in a worker thread; see `runInBackground`. */
export function runInWorker<T extends Task>(
  task: T,
  onUnloadable?: (error: Error) => void,
  signal?: AbortSignal,
): Promise<TaskResult<T>> {
  return runInBackground(nodeFiles, task, onUnloadable, signal)
}

/**
 * Runs a task in a worker thread on the real files, in this thread on others. Errors of the store keep their class.
 * @param onUnloadable called if the worker cannot be loaded: tasks then run on the main thread
 * @param signal ends the worker at once; what it was writing is removed
 */
export async function runInBackground<T extends Task>(
  files: Files,
  task: T,
  onUnloadable: (error: Error) => void = () => {},
  signal?: AbortSignal,
): Promise<TaskResult<T>> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = {
    file: new URL(`./store-worker.${extension}`, import.meta.url),
    name: 'store',
    ...onFiles(files, runTask<T>),
    onUnloadable,
  }
  try {
    const isForeign = task.kind === 'describe' || task.kind === 'restore'
    return await (isForeign
      ? readForeignBytes({ ...worker, limits }, task, signal)
      : runOwn(worker, task, signal))
  } catch (error) {
    if (signal?.aborted) {
      if (task.kind === 'export' || task.kind === 'copy') await files.remove(`${task.file}.tmp`)
      throw new StoreUnavailable('This was ended because the server stops.')
    }
    if (error instanceof LimitExceeded)
      throw new StoreDamaged('file' in task ? task.file : task.dir, 'needs too much memory or time')
    throw withClass(error)
  }
}
