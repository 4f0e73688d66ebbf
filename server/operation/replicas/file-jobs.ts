/** The long work of replicas on files. A worker thread does it while the server answers requests. */
import { summarizeData } from '../../store/backups/summary.ts'
import { type Files, nodeFiles } from '../../store/files/files.ts'
import { onFiles } from '../../store/files/jobs-on-files.ts'
import { runInWorker } from '../../util/worker-or-inline.ts'
import { tryAssemble } from './assemble.ts'
import { checkAssembled, checkRestore } from './check-restore.ts'
import { eraseBackups } from './local/deleted.ts'
import { publish } from './local/publish.ts'

const work = {
  assemble: tryAssemble,
  check: checkRestore,
  'check assembled': checkAssembled,
  publish,
  erase: eraseBackups,
  summarize: (files: Files, job: { readonly dataDir: string }) => summarizeData(files, job.dataDir),
}

type Kind = keyof typeof work
type Jobs = { [K in Kind]: Parameters<(typeof work)[K]>[1] }
type Results = { [K in Kind]: Awaited<ReturnType<(typeof work)[K]>> }
type JobOf<K extends Kind> = { readonly kind: K } & Jobs[K]
export type FileJob = { [K in Kind]: JobOf<K> }[Kind]

/** Runs a job in this thread. */
export function runOn<K extends Kind>(files: Files, job: JobOf<K>): Promise<Results[K]> {
  const works: { [K in Kind]: (files: Files, job: Jobs[K]) => Promise<Results[K]> } = work
  return works[job.kind](files, job)
}

export interface JobDeps {
  /** Replaces the real file system; jobs then run in this thread. */
  readonly files?: Files
  /** Called if the worker cannot be loaded: jobs then run on the main thread. */
  readonly onUnloadable?: ((error: Error) => void) | undefined
  /** Ends a job, which then rejects. */
  readonly signal?: AbortSignal | undefined
}

export function runFileJob<K extends Kind>(deps: JobDeps, job: JobOf<K>): Promise<Results[K]> {
  const { files = nodeFiles, onUnloadable = () => {}, signal } = deps
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = {
    file: new URL(`./file-worker.${extension}`, import.meta.url),
    name: 'replica files',
    ...onFiles(files, runOn<K>),
    onUnloadable,
  }
  return runInWorker(worker, job, signal)
}
