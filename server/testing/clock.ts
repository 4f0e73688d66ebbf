/** The clock of a network for tests. */
import { createKeyedSerializer } from '../util/serialize.ts'
import type { Runs } from './runs.ts'
import type { SeededSources, SwitchedSources } from './seed/seeded-sources.ts'

/** Milliseconds, or a number with a unit: `90d`, `12h`, `5m`, `30s`, `2w`, `1y`. */
export type Duration = number | `${number}${keyof typeof units}`

export interface NetworkClock {
  now(): Date
  /** Lets time pass. All that falls due meanwhile has run, in order, when this resolves. */
  advance(by: Duration): Promise<void>
  /** Sets a later time. As `advance`. @throws for an earlier one */
  set(to: Date | string | number): Promise<void>
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 }

/** Times are text of four digits for the year, whose order is the order of time. */
const end = new Date('9999-12-31T23:59:59.999Z')

/** Returns whether a clock can begin at a time. Identifiers of records count from 1970. */
export function isTimeOfNetwork(time: Date | string): boolean {
  const ms = time === null ? Number.NaN : new Date(time).getTime()
  return ms >= 0 && ms <= end.getTime()
}

interface Deps extends Pick<Runs, 'bind'> {
  readonly now: () => Date
  readonly sources: Pick<SwitchedSources, 'current'>
}

export function createClock({ now, sources, bind }: Deps): NetworkClock {
  // A time is compared with that of the clock when the moves before it have ended.
  const serialize = createKeyedSerializer<SeededSources>()
  const move = bind((millisecondsFrom: (present: number) => number) => {
    const { current } = sources
    return serialize(current, async () => {
      const present = now().getTime()
      const ms = millisecondsFrom(present)
      if (ms < 0)
        throw new RangeError(`The clock is at ${now().toISOString()}: it cannot be set back. Use restore.`)
      if (present + ms > end.getTime()) throw new RangeError(`The clock ends at ${end.toISOString()}.`)
      await current.advance(ms)
    })
  })
  return {
    now,
    async advance(by) {
      const ms = millisecondsOf(by)
      await move(() => ms)
    },
    async set(to) {
      const at = new Date(to).getTime()
      if (Number.isNaN(at)) throw new TypeError(`${String(to)} is no date.`)
      await move((present) => at - present)
    },
  }
}

/** @throws TypeError for text of another form, RangeError for a negative duration */
export function millisecondsOf(duration: Duration): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|[smhdwy])$/.exec(String(duration)) ?? []
  const ms = typeof duration === 'number' ? duration : Number(count) * units[unit as keyof typeof units]
  if (Number.isNaN(ms))
    throw new TypeError(`${duration} is no duration. Write 90d, 12h, 5m, 30s or milliseconds.`)
  if (ms < 0) throw new RangeError('Time passes forwards only.')
  return ms
}
