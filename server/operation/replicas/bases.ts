/** Sends whole databases to a place. Their files stay in the data folder until then, so that a restart goes on with the next part. */

import { join } from 'node:path'
import { exists } from '../../store/files/blob-files.ts'
import { hasSpace } from '../../store/files/disk-space.ts'
import { type Files, readJson, replaceJson } from '../../store/files/files.ts'
import { copiesName, databaseName } from '../../store/files/layout.ts'
import { isWaiting } from '../../util/wait.ts'
import type { Timeline } from './catalog.ts'
import type { PlaceReader } from './place-reader.ts'
import { PlaceProblem, toProblem } from './places/place.ts'
import type { Position, ReplicatorDeps, ReplicatorState } from './replicator-state.ts'
import { type PendingBase, sendBase } from './send.ts'
import { chainOf, limitsOf } from './ways/ways.ts'

/** A database shrinks to less than this share of its size. */
export const compressedShare = 0.6
/** A base is repeated when segments have more than this share of its size, but not below so many bytes, */
const segmentShare = 0.5
const fewestSegmentBytes = 16 * 1024 * 1024
/** and after a week. */
const baseMs = 7 * 24 * 60 * 60_000
/** A base that this computer cannot make is tried again after a day. */
const retryMs = 24 * 60 * 60_000

interface Deps extends ReplicatorDeps {
  readonly reader: PlaceReader
  readonly state: () => ReplicatorState
  readonly set: (change: Partial<ReplicatorState>) => void
  /** Copies the transactions up to `durable`. Returns false if a journal that has them cannot be read. */
  readonly hasSent: (position: Position, durable: number) => Promise<boolean>
  /** Continues the copy beside something that takes long to send. */
  readonly keepUp: (position: Position) => Promise<void>
  readonly toPosition: (
    timeline: Timeline,
    seq: number,
    sizes: Pick<Position, 'base' | 'segmentBytes'>,
  ) => Position
}

export function createBases(deps: Deps) {
  const { store, files, dataDir, now, id, besideMs, reader, state, set, hasSent, keepUp, toPosition } = deps
  const file = join(dataDir, copiesName, `${id}.base.zst`)
  const description = join(dataDir, copiesName, `${id}.base.json`)
  const readPending = () => readJson<PendingBase>(files, description)
  let isWanted = false
  /** When this computer failed to make a base. */
  let failedAt: number | undefined
  const isDelayed = () => failedAt !== undefined && isWaiting(failedAt + retryMs, now().getTime(), retryMs)

  async function remove(): Promise<void> {
    await files.remove(description)
    await files.remove(file)
  }

  /** @throws PlaceProblem `local` with too little free space; errors of the store */
  async function begin(timeline: string): Promise<PendingBase> {
    const at = now().toISOString()
    await remove()
    const needed = (await files.size(join(dataDir, databaseName))) * compressedShare
    if (!(await hasSpace(files, dataDir, needed))) {
      throw new PlaceProblem(
        'local',
        'This disk has too little free space to copy the database. Free disk space.',
      )
    }
    try {
      const { seq, schema, sha256, bytes } = await store.copyTo(file)
      const pending = { timeline, seq, at, schema, sha256, bytes }
      await replaceJson(files, description, pending)
      return pending
    } catch (error) {
      await remove().catch(() => {})
      throw error
    }
  }

  /** Returns the base whose upload was interrupted, or a new one. */
  async function pendingBase(timeline: Timeline): Promise<PendingBase> {
    const pending = await readPending()
    const limits = limitsOf(reader.content?.timelines ?? [], timeline)
    const isOnPath = pending && pending.seq <= (limits.get(pending.timeline) ?? -1)
    if (isOnPath && !isWanted && (await exists(files, file))) return pending
    try {
      const begun = await begin(timeline.name)
      failedAt = undefined
      isWanted = false
      return begun
    } catch (error) {
      const problem = toProblem(error)
      // The check of the free space costs nothing.
      failedAt = error instanceof PlaceProblem ? undefined : now().getTime()
      set({ baseProblem: problem })
      throw problem
    }
  }

  /** Returns where the segments go on beside the first base. */
  function besideOf(timeline: Timeline, { seq, ...pending }: PendingBase): Position {
    const { content } = reader
    const base = {
      ...pending,
      name: '',
      seq,
      at: new Date(pending.at),
      parts: [],
      bytes: 0,
      isPartial: false,
    }
    const chain = content && chainOf({ ...content, bases: [base] }, timeline)
    return toPosition(timeline, chain?.seq ?? seq, { base: undefined, segmentBytes: 0 })
  }

  /** Sends a base, or the rest of one. Meanwhile `previous` is continued, so that no transaction waits for it. */
  async function make(previous?: Position): Promise<Position> {
    const timeline = previous?.timeline ?? reader.own
    if (!timeline) throw new Error('The place was not read.')
    const { baseProblem } = state()
    if (!previous?.base && baseProblem && isDelayed()) throw baseProblem
    let pending = await pendingBase(timeline)
    let beside = previous ?? besideOf(timeline, pending)
    if (!previous && !(await hasSent(beside, store.seq))) {
      isWanted = true
      pending = await pendingBase(timeline)
      beside = besideOf(timeline, pending)
    }
    const continued = beside
    const total = await files.size(file)
    set({ progress: { sent: 0, total } })
    const onPart = async (sent: number) => {
      set({ progress: { sent, total } })
      await keepUp(continued)
    }
    await sendBase(deps, pending, { files, file, onPart, besideMs }).catch(async (error: unknown) => {
      // The place is not the cause: the file may have changed, so the next attempt makes another one.
      if (!(error instanceof PlaceProblem)) await remove()
      throw error
    })
    await remove()
    const last = Math.max(pending.seq, continued.tail.last)
    set({ seq: last, journalSeq: last, progress: undefined, baseProblem: undefined })
    return toPosition(timeline, last, {
      base: { at: new Date(pending.at).getTime(), bytes: total },
      segmentBytes: 0,
    })
  }

  return {
    make,
    async isDue({ base, segmentBytes }: Position): Promise<boolean> {
      if (isWanted || !base) return true
      const most = Math.max(fewestSegmentBytes, base.bytes * segmentShare)
      // The clock may have been ahead at the base. One that is set back by seconds costs no base.
      const isOld = Math.abs(now().getTime() - base.at) >= baseMs
      return isOld || segmentBytes > most || (await readPending()) !== undefined
    },
    /** Sends a new base beside a chain. A failure of this computer keeps nothing from being copied. */
    async repeat(previous: Position): Promise<Position> {
      if (isDelayed()) return previous
      try {
        return await make(previous)
      } catch (error) {
        const problem = toProblem(error)
        if (problem.kind !== 'local') throw error
        set({ baseProblem: problem, progress: undefined })
        return previous
      }
    },
    /** Makes the next step send a base. */
    renew() {
      isWanted = true
      failedAt = undefined
    },
  }
}

/** Removes databases of an earlier run whose description is missing, or whose place was removed. */
export async function removeLeftovers(files: Files, folder: string, ids: readonly string[]): Promise<void> {
  const names = await files.list(folder)
  const isNeeded = (name: string) => {
    const id = name.replace(/\.base\.zst$/, '')
    return ids.includes(id) && names.includes(`${id}.base.json`)
  }
  for (const name of names) {
    if (/\.zst(\..*)?$/.test(name) && !isNeeded(name)) await files.remove(join(folder, name))
    if (name.endsWith('.proof')) await files.removeDir(join(folder, name))
  }
}
