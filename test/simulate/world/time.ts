/** Makes a process deterministic: logical time, seeded random values, and no work of threads that time could pass. */
import { replaceConnections } from '../../../server/platform/network/connections.ts'
import { restrictToLoopback } from '../../../server/platform/network/names.ts'
import {
  createLogicalClock,
  deadlinesBy,
  type LogicalClock,
} from '../../../server/testing/seed/logical-clock.ts'
import { createRandomStream, fractionOf } from '../../../server/testing/seed/random-stream.ts'
import { replaceSources } from '../../../server/util/sources.ts'
import { systemTimers } from '../../../server/util/timers.ts'
import { Violation } from '../acts/act.ts'
import { replaceGlobalTimers } from './global-timers.ts'
import { loadInline } from './inline-codecs.ts'
import { signInline } from './inline-web-crypto.ts'
import { deriveInline } from './inline-x25519.ts'
import { compressInline } from './inline-zstd.ts'
import { createSigner } from './signer.ts'
import { countThreadWork, isThreadWorkPending, startedThreadWork } from './threads.ts'
import type { Wire } from './wire.ts'

export interface Time {
  readonly clock: LogicalClock
  /** Resolves when everything that can run without time passing has run. */
  settle(): Promise<void>
  end(): void
}

/** Repeated timers that run in a stretch of time: a copy without changes reads its place again every five minutes. */
const maxStarted = 8
/** Turns of the event loop in which nothing happens. */
const quietTurns = 2
/** Turns after which a server is taken to work in circles. */
const mostTurns = 200_000

/** Lets what servers give to threads run in this one. */
function workInline(): void {
  compressInline()
  deriveInline()
  signInline()
  loadInline()
}

/** @param activity grows with everything that happens to disks */
export function beginTime(seed: number, start: Date, wire: Wire, activity: () => number): Time {
  countThreadWork()
  workInline()
  /** Turns for which the servers have waited. */
  let turns = 0
  const happened = () => wire.activity + activity() + startedThreadWork() + turns
  async function settle(): Promise<void> {
    for (let quiet = 0, count = 0; quiet < quietTurns; ) {
      const before = happened()
      await systemTimers.nextTurn()
      const isWaiting = isThreadWorkPending()
      quiet = !isWaiting && before === happened() ? quiet + 1 : 0
      if (!isWaiting && ++count > mostTurns) throw new Violation('the servers do not come to rest')
    }
  }
  const clock = createLogicalClock({ start, settle, isSimulated: true, maxStarted })
  const nextTurn = () => {
    turns++
    return systemTimers.nextTurn()
  }
  const bytes = createRandomStream(String(seed), 'bytes')
  const fractions = createRandomStream(String(seed), 'fraction')
  const putBack = replaceSources({
    timers: { ...clock, nextTurn },
    deadlines: deadlinesBy(clock),
    random: { bytes, temporaryBytes: bytes, fraction: () => fractionOf(fractions) },
    createSigner,
  })
  const putTimersBack = replaceGlobalTimers(clock)
  const unrestrict = restrictToLoopback()
  replaceConnections((url) => wire.connect(url))
  return {
    clock,
    settle,
    end() {
      clock.close()
      replaceConnections()
      unrestrict()
      putTimersBack()
      putBack()
    },
  }
}
