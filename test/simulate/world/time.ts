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
import { deriveInline } from './inline-x25519.ts'
import { compressInline } from './inline-zstd.ts'
import { createSigner } from './signer.ts'
import { countThreadWork, threadWork } from './threads.ts'
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

/** @param activity grows with everything that happens to disks */
export function beginTime(seed: number, start: Date, wire: Wire, activity: () => number): Time {
  countThreadWork()
  compressInline()
  deriveInline()
  /** Turns for which the servers have waited. */
  let turns = 0
  const happened = () => wire.activity + activity() + threadWork.started + turns
  async function settle(): Promise<void> {
    for (let quiet = 0, count = 0; quiet < quietTurns; ) {
      const before = happened()
      await systemTimers.nextTurn()
      quiet = threadWork.running === 0 && before === happened() ? quiet + 1 : 0
      if (threadWork.running === 0 && ++count > mostTurns)
        throw new Violation('the servers do not come to rest')
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
  const unrestrict = restrictToLoopback()
  replaceConnections((url) => wire.connect(url))
  return {
    clock,
    settle,
    end() {
      clock.close()
      replaceConnections()
      unrestrict()
      putBack()
    },
  }
}
