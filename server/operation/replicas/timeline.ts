/**
 * The timeline of this process and what it continues. Each start begins one with a random name; the data folder keeps the names of the
 * earlier ones, with the transaction after which the next one began. At a place the timeline continues the newest of them that is there.
 */
import { join } from 'node:path'
import { exists } from '../../store/files/blob-files.ts'
import { type Files, readJson, replaceJson } from '../../store/files/files.ts'
import {
  copiesName,
  elsewhereName,
  endedTimelinesName,
  timelinesName,
  upgradedTimelinesName,
} from '../../store/files/layout.ts'
import { randomBytes } from '../../util/random.ts'
import { createSerializer } from '../../util/serialize.ts'
import { type Content, generationOf, type Timeline, timelineName } from './catalog.ts'
import { PlaceProblem } from './places/place.ts'
import { type Chain, chainOf } from './ways/ways.ts'

/** Entries of the ancestry, at most: a place that lists none of them gets a base. */
const maxEntries = 200

/** How many timelines count as recent, of those that this computer has put at a place. The lease of each is read, too: one request. */
const recentEntries = 8

/** An entry of the ancestry. */
interface Entry {
  readonly name: string
  /** The last transaction of the store when it began. */
  readonly seq: number
  /** False while this computer has put nothing of it at a place. */
  readonly isSent?: boolean
  /** The last one of a branch of it that the owner does not miss. */
  readonly dismissed?: number
  /** Whether an upgrade followed, which is in no journal: the next one begins with a base. */
  readonly isUpgraded?: boolean
}

export interface Elsewhere {
  readonly timeline: string
  /** When it began, in ISO 8601. */
  readonly at: string
}

const localTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' })

/** The message has the time zone of this computer, the `since` of the problem is for clients in any. */
export function elsewhereProblem({ at }: Elsewhere): PlaceProblem {
  const since = at === '' ? undefined : new Date(at)
  const when = since ? ` since ${localTime.format(since)}` : ''
  return new PlaceProblem('elsewhere', `Another computer has continued this server${when}.`, { since })
}

/** A branch at a place that has changes which this disk has lost. */
export interface Lost {
  readonly timeline: string
  /** Number of its last transaction. */
  readonly seq: number
  readonly changes: number
  /** When the last one was on disk. */
  readonly until: Date
  readonly isDismissed: boolean
}

export interface Timelines {
  readonly current: Pick<Timeline, 'name' | 'generation'>
  /** When the current timeline began. */
  readonly beganAt: Date
  /** The other computer that continues this server, as it has been proven. */
  readonly elsewhere: Elsewhere | undefined
  /** Whether the data folder names earlier timelines. */
  readonly isContinued: boolean
  /** Whether a timeline is the current one or one that it continues. */
  isOurs(name: string): boolean
  /**
   * Whether the current timeline continues one that may still run: where its data folder was copied from. Those before it have ended, or
   * their computer has begun another one.
   */
  isRecent(name: string): boolean
  /** Returns the current timeline at a place; begins it there if it is new. @param listed those of the highest generation first */
  at(listed: readonly Timeline[]): Timeline
  /** Returns the earlier timelines of which a place has more than this disk: their computer may still run, however long ago they began. */
  aheadIn(content: Content): ReadonlySet<string>
  /** Returns the branch of an earlier timeline that reaches farthest beyond what this disk has. */
  lostAt(content: Content): Lost | undefined
  /** Resolves once the current timeline is in the data folder. */
  keep(): Promise<void>
  /** Call it before the first object of the current timeline is put anywhere. Resolves once that is in the data folder. */
  beginSending(): Promise<void>
  /** Begins a timeline that continues the current one after transaction `seq`. */
  branch(seq: number): void
  /** Begins a timeline with a generation above `above` that continues none, although another computer continues the server. */
  takeOver(above: number, seq: number): Promise<void>
  /** Records that another computer continues the server. */
  yieldTo(elsewhere: Elsewhere): Promise<void>
  /** Records that the owner does not miss the changes of a branch. */
  dismiss(lost: Pick<Lost, 'timeline' | 'seq'>): Promise<void>
}

/** Begins a timeline. @param seq number of the last transaction that was on disk when this process opened the store */
export async function beginTimeline(
  files: Files,
  dataDir: string,
  { seq: startSeq, now }: { readonly seq: number; readonly now: () => Date },
): Promise<Timelines> {
  const folder = join(dataDir, copiesName)
  const path = join(folder, timelinesName)
  const serialize = createSerializer()
  const ended = await readJson<Entry[]>(files, join(folder, endedTimelinesName))
  const stored = await readJson<Entry[]>(files, path)
  const upgraded = (await readJson<Entry[]>(files, join(folder, upgradedTimelinesName))) ?? []
  let entries = stored ?? upgraded.map((entry) => ({ ...entry, isUpgraded: true }))
  const isContinued = entries.length > 0
  /** Earlier timelines of this computer are at places, but their names are lost. */
  const isDamaged = stored === undefined && (await exists(files, path))
  let elsewhere = await readJson<Elsewhere>(files, join(folder, elsewhereName))
  /** The entries that are in the data folder. */
  let kept: readonly Entry[] | undefined
  let current = { name: '', generation: 1 }
  let beganAt = now()
  begin(generationOf((entries.at(-1) ?? ended?.at(-1))?.name ?? '1'), startSeq)

  function begin(generation: number, seq: number): void {
    current = { name: timelineName(generation, randomBytes(8).toString('hex')), generation }
    beganAt = now()
    entries = shortened([...entries, { name: current.name, seq, isSent: false }])
  }

  const keep = () =>
    serialize(async () => {
      if (kept === entries) return
      const written = entries
      await files.makeDir(folder)
      await replaceJson(files, path, written)
      kept = written
    })

  /** Returns what the current timeline continues, the newest first, with the last transaction of each that is also here. */
  const ancestors = () =>
    entries
      .slice(0, -1)
      .map((entry, at) => ({ ...entry, last: entries[at + 1]?.seq ?? 0 }))
      .toReversed()

  function ancestorsAhead(content: Content) {
    const reached = reachedIn(content)
    return ancestors().filter(({ name, last }) => (reached.get(name) ?? 0) > last)
  }

  function lostOf(content: Content, name: string, last: number): Omit<Lost, 'isDismissed'> | undefined {
    const timeline = content.timelines.find((each) => each.name === name)
    const chain: Chain | undefined = timeline && chainOf(content, timeline)
    if (!chain || chain.seq <= last) return undefined
    return { timeline: name, seq: chain.seq, changes: chain.seq - last, until: chain.at }
  }

  return {
    isContinued,
    get current() {
      return current
    },
    get beganAt() {
      return beganAt
    },
    get elsewhere() {
      return elsewhere
    },
    isRecent(name) {
      const earlier = entries.slice(0, -1)
      const sent = earlier.filter(({ isSent }) => isSent !== false).slice(-recentEntries)
      return [...sent, ...earlier.filter(({ isSent }) => isSent === false)].some(
        (entry) => entry.name === name,
      )
    },
    isOurs: (name) => entries.some((entry) => entry.name === name),
    at(listed) {
      const own = listed.find(({ name }) => name === current.name)
      if (own) return own
      // They would count as those of another computer.
      const generation = listed[0]?.generation ?? 1
      if (isDamaged && generation > current.generation) begin(generation, startSeq)
      const parent = ancestors().find(({ name }) => listed.some((each) => each.name === name))
      if (!parent || parent.isUpgraded) return { ...current, parent: undefined }
      return { ...current, parent: { name: parent.name, seq: parent.last } }
    },
    aheadIn: (content) => new Set(ancestorsAhead(content).map(({ name }) => name)),
    lostAt(content) {
      for (const { name, last, dismissed = 0 } of ancestorsAhead(content)) {
        const lost = lostOf(content, name, last)
        if (lost) return { ...lost, isDismissed: lost.seq <= dismissed }
      }
      return undefined
    },
    keep,
    async beginSending() {
      const own = entries.at(-1)
      if (own?.isSent === false) entries = [...entries.slice(0, -1), { ...own, isSent: true }]
      await keep()
    },
    branch: (seq) => begin(current.generation, seq),
    async takeOver(above, seq) {
      entries = []
      begin(above + 1, seq)
      await keep()
      elsewhere = undefined
      await files.remove(join(folder, elsewhereName))
    },
    async yieldTo(other) {
      elsewhere = other
      await replaceJson(files, join(folder, elsewhereName), other)
    },
    async dismiss({ timeline, seq }) {
      entries = entries.map((entry) => (entry.name === timeline ? { ...entry, dismissed: seq } : entry))
      await keep()
    },
  }
}

/** Removes the oldest entries that are too many, first those of which nothing was sent: their transactions count for the next one. */
function shortened(entries: readonly Entry[]): Entry[] {
  const left = [...entries]
  while (left.length > maxEntries) {
    const unsent = left.slice(0, -1).findIndex(({ isSent }) => isSent === false)
    const at = Math.max(0, unsent)
    const [removed] = left.splice(at, 1)
    const next = left[at]
    if (removed && next) left[at] = { ...next, seq: removed.seq }
  }
  return left
}

/** Returns the last transaction that objects of each timeline have, by its name. */
function reachedIn({ bases, segments }: Content): Map<string, number> {
  const reached = new Map<string, number>()
  const add = (name: string, seq: number) => reached.set(name, Math.max(reached.get(name) ?? 0, seq))
  for (const { timeline, seq } of bases) add(timeline, seq)
  for (const { timeline, to } of segments) add(timeline, to)
  return reached
}

/** The ancestry with which a start begins a timeline of a generation that continues none. */
export type Root = readonly [{ readonly name: string; readonly seq: number }]

/**
 * Returns that of data which a restore brings from a place. An undo goes on with their generation: it is none below that of the present data,
 * which have places of their own.
 */
export async function rootAbove(files: Files, dataDir: string, above: number, seq: number): Promise<Root> {
  const folder = join(dataDir, copiesName)
  let generation = above + 1
  for (const name of [timelinesName, upgradedTimelinesName, endedTimelinesName]) {
    const last = (await readJson<Entry[]>(files, join(folder, name)))?.at(-1)
    if (last) generation = Math.max(generation, generationOf(last.name))
  }
  return [{ name: timelineName(generation, randomBytes(8).toString('hex')), seq }]
}
