/**
 * The store's long work. It reads and writes files only, so it can be done in a worker thread while the
 * server goes on.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type BackupInfo, backup } from './backup.ts'
import type { Files } from './files.ts'
import { fold } from './fold.ts'

export type Task =
  | { readonly kind: 'fold'; readonly dir: string; readonly before: number }
  | { readonly kind: 'backup'; readonly dir: string; readonly at: Date }

/** Size of the snapshot after a fold, in bytes; what was made by a backup. */
export type TaskResult<T extends Task> = T extends { kind: 'fold' } ? number : BackupInfo

export async function runTask<T extends Task>(files: Files, task: T): Promise<TaskResult<T>>
export async function runTask(files: Files, task: Task): Promise<number | BackupInfo> {
  return task.kind === 'fold' ? fold(files, task.dir, task.before) : backup(task.dir, task.at, files)
}

/** Runs a task on the real files in a thread of its own. */
export async function runInWorker<T extends Task>(task: T): Promise<TaskResult<T>> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./store-worker.${extension}`, import.meta.url), { workerData: task })
  const [result] = await once(worker, 'message')
  return result
}
