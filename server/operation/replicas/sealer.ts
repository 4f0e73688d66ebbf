/** Encrypts and decrypts objects in a worker thread: some milliseconds a megabyte would delay responses. */

import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import { createSerializer } from '../../util/serialize.ts'
import type { Timer } from '../../util/timers.ts'
import { type JobRunner, startWorker, type WorkerOptions } from '../../util/worker-or-inline.ts'
import { ifUndamaged, PlaceProblem } from './places/place.ts'
import { ReplicaKey, sealedBytes } from './replica-key.ts'

/** How a place has objects and their names: encrypted here, as they are in `local/target.ts`. */
export interface Sealer extends Pick<ReplicaKey, 'fingerprint' | 'hiddenName'> {
  /** Size of an object at the place, so that a listing shows whether it is whole. */
  sealedBytes(contentBytes: number): number
  seal(name: string, content: Uint8Array): Promise<Uint8Array>
  /** @throws PlaceProblem `damaged` */
  open(name: string, sealed: Uint8Array): Promise<Uint8Array>
  end(): Promise<void>
}

export interface SealJob {
  readonly identity: string
  readonly work: 'seal' | 'open'
  readonly name: string
  readonly content: Uint8Array
}

/** The response of the thread: undefined for a damaged object. */
export type SealResult = Uint8Array | undefined

/** Smaller ones take less time here than on their way to a thread. */
const smallBytes = 32 * 1024
/** A thread without work ends after so long, because it takes memory. */
const idleMs = 5000

let parsed: { readonly identity: string; readonly key: Promise<ReplicaKey> } | undefined

/** Runs in the thread. */
export async function runSealJob({ identity, ...job }: SealJob): Promise<SealResult> {
  if (parsed?.identity !== identity) parsed = { identity, key: ReplicaKey.parse(identity) }
  return runWith(await parsed.key, job)
}

async function runWith(
  key: ReplicaKey,
  { work, name, content }: Omit<SealJob, 'identity'>,
): Promise<SealResult> {
  if (work === 'seal') return key.seal(name, content)
  return ifUndamaged(() => key.open(name, content))
}

interface ThreadOptions extends Pick<WorkerOptions<SealJob, SealResult>, 'isInline'> {
  readonly onUnloadable?: ((error: Error) => void) | undefined
}

export function createSealer(key: ReplicaKey, options: ThreadOptions = {}): Sealer {
  const serialize = createSerializer()
  let worker: JobRunner<SealJob, SealResult> | undefined
  let idle: Timer | undefined

  const end = async () => {
    clearDeadline(idle)
    const ending = worker
    worker = undefined
    await ending?.end()
  }
  const run = (work: SealJob['work'], name: string, content: Uint8Array): Promise<SealResult> => {
    if (content.length <= smallBytes) return runWith(key, { work, name, content })
    const job = { identity: key.identity, work, name, content }
    return serialize(async () => {
      clearDeadline(idle)
      worker ??= start(options)
      worker.ref()
      try {
        return await worker.run(job)
      } finally {
        worker.unref()
        idle = setDeadline(() => void serialize(end), idleMs).unref()
      }
    })
  }
  return {
    fingerprint: key.fingerprint,
    hiddenName: (name) => key.hiddenName(name),
    sealedBytes,
    seal: async (name, content) => (await run('seal', name, content)) as Uint8Array,
    async open(name, sealed) {
      const content = await run('open', name, sealed)
      if (content) return content
      throw new PlaceProblem('damaged', `The object ${name} of the copy is damaged, or was replaced.`, {
        object: name,
      })
    },
    end: () => serialize(end),
  }
}

function start({ onUnloadable = () => {}, isInline }: ThreadOptions): JobRunner<SealJob, SealResult> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return startWorker<SealJob, SealResult>({
    file: new URL(`./seal-worker.${extension}`, import.meta.url),
    name: 'copy encryption',
    inline: runSealJob,
    isInline,
    onUnloadable,
  })
}
