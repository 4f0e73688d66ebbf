/** The long work of replicas on files. A worker thread does it while the server answers requests. */
import { type Summary, summarizeData } from '../../platform/store/backups/summary.ts'
import { type Files, nodeFiles } from '../../platform/store/files.ts'
import { runInWorker } from '../../platform/util/worker-or-inline.ts'
import { type AssembleJob, type AssembleResult, tryAssemble } from './assemble.ts'
import { type CheckJob, type CheckResult, checkRestore } from './check-restore.ts'
import { type PublishJob, publish } from './local/publish.ts'
import { type AssembledJob, type AssembledResult, checkAssembled } from './prove-files.ts'

export type FileJob =
  | ({ readonly kind: 'assemble' } & AssembleJob)
  | ({ readonly kind: 'check' } & CheckJob)
  | ({ readonly kind: 'check assembled' } & AssembledJob)
  | ({ readonly kind: 'publish' } & PublishJob)
  | { readonly kind: 'summarize'; readonly dataDir: string }

interface Results {
  readonly assemble: AssembleResult
  readonly check: CheckResult
  readonly 'check assembled': AssembledResult
  /** The name of the base; undefined if media are no longer there. */
  readonly publish: string | undefined
  readonly summarize: Summary
}

type ResultOf<Job extends FileJob> = Results[Job['kind']]

/** Runs a job in this thread. */
export function runOn<Job extends FileJob>(files: Files, job: Job): Promise<ResultOf<Job>>
export async function runOn(files: Files, job: FileJob): Promise<Results[FileJob['kind']]> {
  if (job.kind === 'assemble') return tryAssemble(files, job)
  if (job.kind === 'check') return checkRestore(files, job)
  if (job.kind === 'check assembled') return checkAssembled(files, job)
  if (job.kind === 'publish') return publish(files, job)
  return summarizeData(files, job.dataDir)
}

export interface JobDeps {
  /** Replaces the real file system; jobs then run in this thread. */
  readonly files?: Files
  /** Called if the worker cannot be loaded: jobs then run on the main thread. */
  readonly onUnloadable?: ((error: Error) => void) | undefined
  /** Ends a job, which then rejects. */
  readonly signal?: AbortSignal | undefined
}

export function runFileJob<Job extends FileJob>(deps: JobDeps, job: Job): Promise<ResultOf<Job>> {
  const { files = nodeFiles, onUnloadable = () => {}, signal } = deps
  if (files !== nodeFiles) return runOn(files, job)
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = {
    file: new URL(`./file-worker.${extension}`, import.meta.url),
    name: 'replica files',
    inline: (job: Job) => runOn(files, job),
    onUnloadable,
  }
  return runInWorker(worker, job, signal)
}
