/**
 * The listings of the last clean-up of a place. An object is removed only if two listings, of this clean-up and of an earlier one,
 * show it as surplus. A listing that lacks an object of an earlier one does not count. After a leap of the clock, removals wait for a week.
 */
import { type Files, readJson, replaceJson } from '../../store/files/files.ts'
import type { Content } from './catalog.ts'
import { dayMs, weekMs } from './replica-retention.ts'

export interface CleanUps {
  /**
   * Records a listing, with the objects that are no longer kept.
   * @param over names of those objects
   * @returns the names of objects that may be removed now
   */
  confirm(listed: ReadonlySet<string>, over: readonly string[], now: Date): Promise<ReadonlySet<string>>
  /** Whether the last leap of the clock is a week ago, or there was none. */
  readonly isSteady: boolean
}

interface Seen {
  /** Names of whole objects. */
  readonly listed: readonly string[]
  readonly over: readonly string[]
  /** In milliseconds since 1970. */
  readonly at: number
  /** When the clock had leapt. */
  readonly leaptAt: number | undefined
}

/** A clean-up that is later than the one before by more than this, or is earlier, follows a leap of the clock. */
const leapMs = 31 * dayMs

/** @param path file of the record */
export function createCleanUps(files: Files, path: string): CleanUps {
  let seen: Seen | undefined
  const isSteady = () => seen?.leaptAt === undefined || seen.at - seen.leaptAt >= weekMs

  return {
    get isSteady() {
      return isSteady()
    },
    async confirm(listed, over, now) {
      const at = now.getTime()
      const last = seen ?? whole(await readJson<Seen>(files, path))
      const hasLeapt = last !== undefined && (at < last.at || at - last.at > leapMs)
      const expected = new Set(last?.over)
      const isShorter = last?.listed.some((name) => !listed.has(name) && !expected.has(name)) ?? false
      seen = {
        listed: [...listed],
        over: isShorter ? [] : over,
        ...{ at, leaptAt: hasLeapt ? at : last?.leaptAt },
      }
      await replaceJson(files, path, seen)
      return new Set(isShorter || !isSteady() ? [] : over.filter((name) => expected.has(name)))
    },
  }
}

/** Names of the timelines, and of the bases and segments that are whole. */
export function listedNames({ timelines, bases, segments }: Content): Set<string> {
  return new Set([...timelines, ...bases, ...segments].map(({ name }) => name))
}

/** A record that is damaged begins anew: nothing is removed until the next clean-up. */
function whole(seen: Seen | undefined): Seen | undefined {
  const isWhole = Array.isArray(seen?.listed) && Array.isArray(seen.over) && Number.isFinite(seen.at)
  return isWhole ? seen : undefined
}
