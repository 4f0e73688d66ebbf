/** What a copy had when it was complete is there for as long as a restore to that time is offered. */
import { defaultConfig } from '../../../server/platform/config/config.ts'
import { Violation } from '../acts/act.ts'
import { filesIn } from '../model/media.ts'
import type { Person } from '../model/person.ts'
import type { PlaceHost } from '../world/place-host.ts'
import { tryRestore } from '../world/trial-restore.ts'
import type { World } from '../world/world.ts'

const dayMs = 24 * 60 * 60_000
/** Times that are remembered of a place. */
const most = 6
/** For so long, media without a reference are kept anyway. */
const keptMs = defaultConfig({ dataDir: '' }).copiesKeep * 7 * dayMs

/** Notes the files of accounts whose server was restored from a copy with everything. */
export function noteComplete(people: readonly Person[], host: PlaceHost, at: Date): void {
  const values = people.flatMap(({ records }) => [...records.values()].map(({ value }) => value))
  const files = new Set(values.flatMap((value) => [...filesIn(value)]))
  if (files.size > 0) host.complete = [...host.complete, { at, files }].slice(-most)
}

/** Restores the oldest such state, or what it has become a day later: older transactions are kept per day. */
export async function checkRestorePoint(world: World, host: PlaceHost, words: string): Promise<void> {
  const now = world.time.clock.now().getTime()
  host.complete = host.complete.filter(({ at }) => now - at.getTime() < keptMs)
  const [first] = host.complete
  if (!first || now - first.at.getTime() < 2 * dayMs) return
  const trial = await tryRestore(world, host, new Date(first.at.getTime() + dayMs))
  // An earlier state may be older than what is kept.
  if (trial instanceof Error || now - trial.at.getTime() >= keptMs) return
  const lost = trial.missing.filter((cid) => first.files.has(cid))
  if (lost.length > 0) throw new Violation(`${words} lacks ${lost} of ${first.at.toISOString()}`)
}
