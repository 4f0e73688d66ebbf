/** Joins older segments at a place, and removes surplus objects and media. Each step may be the last one, so the replacement of an object comes first. */
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { yieldToEventLoop } from '../../util/timers.ts'
import { type Base, type Content, endName, leaseName, type Segment, type Timeline } from './catalog.ts'
import { type CleanUps, listedNames } from './clean-ups.ts'
import type { MediaNames } from './media-names.ts'
import { ifUndamaged } from './places/place.ts'
import { getObject } from './receive.ts'
import { expired, isOver, joinable, type Objects, weekMs } from './replica-retention.ts'
import type { Replicator } from './replicator.ts'
import { listMediaParts, sendSegment, type Target } from './send.ts'
import type { Unreferenced } from './unreferenced.ts'
import { createForest } from './ways/forest.ts'
import { createReach } from './ways/reach.ts'
import { chainOf, limitsOf, onPath } from './ways/ways.ts'

const decompress = promisify(zstdDecompress)

interface CompactOptions {
  /** Reads the place, and runs work while nothing else uses it. */
  readonly replicator: Pick<Replicator, 'read' | 'betweenSteps'>
  readonly now: Date
  /** How long weekly bases are kept. */
  readonly weeks: number
  readonly cleanUps: CleanUps
  readonly signal?: AbortSignal | undefined
}

/** Returns what a place has; undefined while it has no base, or while another computer continues the server. @throws PlaceProblem */
async function readOwn({ replicator, now }: Pick<CompactOptions, 'replicator' | 'now'>) {
  const { content, timeline } = await replicator.read()
  const chain = chainOf(content, timeline)
  if (!chain || content.timelines.some(({ generation }) => generation > timeline.generation)) return undefined
  // While the clock is far ahead, everything would count as old: the time of the last copied change is the limit.
  return { content, timeline, chain, now: new Date(Math.min(now.getTime(), chain.at.getTime())) }
}

/** Needs a base at the place, and ends at once if another computer continues the server. @throws PlaceProblem */
export async function compact(target: Target, options: CompactOptions): Promise<void> {
  const { replicator, weeks, cleanUps, signal } = options
  const { place } = target
  const { betweenSteps } = replicator
  const before = await readOwn(options)
  if (!before) return
  for (const group of joinable(before.content, before.now)) {
    signal?.throwIfAborted()
    await betweenSteps(() => join(target, group))
  }
  // Read again: the joined segments must be there.
  const after = await readOwn(options)
  if (!after) return
  const { content, timeline, chain, now } = after
  const remove = async (name: string) => {
    signal?.throwIfAborted()
    await betweenSteps(() => place.remove(name))
  }
  const { bases, segments } = await expiredOf(content, timeline, now, weeks)
  const unfinished = content.unfinished.filter(({ at }) => at < chain.base.at)
  const timelines = passed(content, timeline)
  const over = [...bases, ...segments, ...unfinished, ...timelines].map(({ name }) => name)
  // All objects of an earlier listing of this clean-up must be there as well.
  const listed = listedNames(content)
  const isShorter = [...listedNames(before.content)].some((name) => !listed.has(name))
  const confirmed = await cleanUps.confirm(listed, isShorter ? [] : over, options.now)
  if (isShorter) return
  const isConfirmed = ({ name }: { readonly name: string }) => confirmed.has(name)
  for (const { name } of segments.filter(isConfirmed)) await remove(name)
  // The end first: a base without it counts as incomplete.
  for (const { name } of bases.filter(isConfirmed)) await remove(endName(name))
  for (const { name } of bases.filter(isConfirmed)) await remove(name)
  for (const { name } of unfinished.filter(isConfirmed)) {
    if ((await place.get(endName(name))) === undefined) await remove(name)
  }
  for (const each of timelines.filter(isConfirmed)) await remove(leaseName(each))
}

/** Returns the expired objects: of the way to the present, and of abandoned branches. Does not block: one branch is followed at once. */
async function expiredOf(content: Content, timeline: Timeline, now: Date, weeks: number) {
  const path = onPath(content, timeline)
  const isOnPath = ({ name }: { name: string }) => onPathNames.has(name)
  const ours = path.segments.map((segment) => ({ ...segment, to: segment.last }))
  const onPathNames = new Set([...path.bases, ...path.segments].map(({ name }) => name))
  const limits = limitsOf(content.timelines, timeline)
  const cut = content.cut.filter((each) => each.to <= (limits.get(each.timeline) ?? -1))
  const own = expired({ bases: path.bases, segments: ours, unfinished: [], cut }, now, weeks)
  // A segment whose end belongs to a branch goes with the branch.
  const whole = new Set(
    [...content.segments.filter(({ to, timeline: name }) => to <= (limits.get(name) ?? -1)), ...cut].map(
      ({ name }) => name,
    ),
  )
  const branches = branchesOf(content, isOnPath).filter((branch) => isOver(branch, now, weeks))
  const result = {
    bases: [...own.bases, ...branches.flatMap(({ bases }) => bases)],
    segments: [
      ...own.segments.filter(({ name }) => whole.has(name)),
      ...branches.flatMap((branch) => [...branch.segments, ...branch.cut]),
    ],
  }
  const over = new Set([...result.bases, ...result.segments].map(({ name }) => name))
  if (over.size === 0) return result
  const needed = await neededByBranches(content, { isOnPath, isOver: ({ name }) => over.has(name) })
  return {
    bases: result.bases.filter(({ name }) => !needed.has(name)),
    segments: result.segments.filter(({ name }) => !needed.has(name)),
  }
}

type Test = (object: { readonly name: string }) => boolean

/** Returns the objects of each timeline that has a base or a segment, without those on the way to the present. */
function branchesOf(content: Content, isOnPath: Test): Objects[] {
  const group = <T extends { readonly name: string; readonly timeline: string }>(objects: readonly T[]) =>
    Map.groupBy(
      objects.filter((each) => !isOnPath(each)),
      (each) => each.timeline,
    )
  const [bases, segments] = [group(content.bases), group(content.segments)]
  const [unfinished, cut] = [group(content.unfinished), group(content.cut)]
  const names = new Set([...content.bases, ...content.segments].map((each) => each.timeline))
  return [...names].map((name) => ({
    ...{ bases: bases.get(name) ?? [], segments: segments.get(name) ?? [] },
    ...{ unfinished: unfinished.get(name) ?? [], cut: cut.get(name) ?? [] },
  }))
}

/** Returns the names of the objects through which branches that are kept lead back to a base. */
async function neededByBranches(content: Content, { isOnPath, isOver }: { isOnPath: Test; isOver: Test }) {
  const isBranch = (each: { name: string }) => !isOnPath(each) && !isOver(each)
  const kept = new Set(
    [...content.bases, ...content.segments].filter(isBranch).map(({ timeline }) => timeline),
  )
  const needed = new Set<string>()
  for (const way of waysBack(content, kept, isOnPath)) {
    if (way.segments.some(isBranch)) for (const { name } of [way.base, ...way.segments]) needed.add(name)
    await yieldToEventLoop()
  }
  return needed
}

/** Yields the way to each branch from the last base before it: its first states need that one. */
function* waysBack(content: Content, names: ReadonlySet<string>, isOnPath: Test) {
  const forest = createForest(content)
  const nodes = new Map(forest.nodes.map((node) => [node.timeline, node]))
  for (const branch of content.timelines.filter(({ name }) => names.has(name))) {
    const isBefore = (base: Base) => base.timeline !== branch.name || isOnPath(base)
    const node = nodes.get(branch)
    if (!node) {
      // A second name of a timeline, with another parent.
      const way = chainOf({ ...content, bases: content.bases.filter(isBefore) }, branch)
      if (way) yield way
      continue
    }
    const { bases, ...path } = forest.pathOf(node)
    const base = bases.findLast(isBefore)
    if (base) yield { base, segments: createReach(path).linksFrom(base.seq) }
  }
}

/** Returns the timelines on the way to the present that are older than every base and unused by any branch. */
function passed({ timelines, bases, segments, unfinished, cut }: Content, timeline: Timeline): Timeline[] {
  const limits = limitsOf(timelines, timeline)
  const path = bases.filter((base) => base.seq <= (limits.get(base.timeline) ?? -1))
  const oldest = path[0]?.seq ?? Number.POSITIVE_INFINITY
  const used = new Set([...bases, ...segments, ...unfinished, ...cut].map((each) => each.timeline))
  return timelines.filter(
    ({ name }) => !used.has(name) && (limits.get(name) ?? Number.POSITIVE_INFINITY) < oldest,
  )
}

/** Sends segments as one. Damaged ones stay as they are, for the next proof. */
async function join(target: Target, segments: readonly Segment[]): Promise<void> {
  const [first, last] = [segments[0], segments.at(-1)]
  if (!first || !last) return
  await ifUndamaged(async () => {
    const contents: Buffer[] = []
    for (const { name } of segments) contents.push(await decompress(await getObject(target, name)))
    const joined = { from: first.from, to: last.to, content: Buffer.concat(contents) }
    await sendSegment(target, first.timeline, joined, last.at)
  })
}

interface MediaOptions extends Omit<CompactOptions, 'cleanUps'> {
  readonly cleanUps: Pick<CleanUps, 'isSteady'>
  /** Its `forget` is called before the media at the place change. */
  readonly replicator: Pick<Replicator, 'read' | 'betweenSteps' | 'forget'>
  readonly unreferenced: Unreferenced
  /** The media that the server has now. */
  readonly mediaNames: Pick<MediaNames, 'read' | 'marked'>
}

/** A restore point is kept for up to a week longer than `weeks`: see `replica-retention.ts`. */
const marginWeeks = 2

/**
 * Removes media that are unused by the server and by all kept restore points. Needs a base at the place, and ends at once if another computer continues the server.
 * @throws PlaceProblem
 */
export async function compactMedia(target: Target, options: MediaOptions): Promise<void> {
  const { place } = target
  const { replicator, unreferenced, mediaNames, cleanUps, weeks, signal } = options
  const own = await readOwn(options)
  if (!own) return
  const before = new Date(own.now.getTime() - (weeks + marginWeeks) * weekMs)
  // Also parts that an interrupted upload or removal has left.
  const media = await replicator.betweenSteps(() => listMediaParts(target))
  // The place may have the only file of those that are marked as missing.
  const here = new Set((await mediaNames.read()).flatMap((group) => [...group.keys()]))
  const marked = mediaNames.marked()
  const has = (name: string) => here.has(name) || marked.has(name)
  const over = await unreferenced.update(media.keys(), { has }, own.now, before)
  if (!cleanUps.isSteady) return
  for (const name of over) {
    signal?.throwIfAborted()
    await replicator.betweenSteps(async () => {
      // It may have been uploaded again.
      const groups = await mediaNames.read()
      if (groups.some((group) => group.has(name)) || mediaNames.marked().has(name)) return
      replicator.forget()
      for (const part of media.get(name) ?? []) await place.remove(part.name)
    })
  }
}
