/** The rules: compares what computers say with what their place truly has. Each check throws a Violation. */
import { StoreDamaged } from '../../../server/store/files/store-errors.ts'
import { day } from '../server/clock.ts'
import type { Computer } from './computer.ts'
import { isOnPath, pathTo, type State, type Truth } from './history.ts'
import type { World } from './world.ts'

/** What a place must still have after a step. */
export interface Needed {
  readonly tips: readonly State[]
  /** Hidden names. */
  readonly media: readonly string[]
}

/** Returns the newest states of the place, which are kept for weeks, and the media that the place has of them. */
export async function neededAt(world: World): Promise<Needed> {
  const isClockWrong = world.computers.some((computer) => world.tracked(computer).wasClockWrong)
  if (!world.isMounted || isClockWrong) return { tips: [], media: [] }
  const truth = await world.truth()
  const parents = new Set([...truth.reachable].map(({ parent }) => parent))
  const tips = [...truth.reachable].filter((state) => !parents.has(state) && world.time - state.at < 50 * day)
  const cids = tips.flatMap((tip) => [...pathTo(tip)].flatMap(({ cid }) => cid ?? []))
  const media = [...new Set(cids)].map((cid) => world.key.hiddenName(cid))
  return { tips, media: media.filter((name) => truth.media.has(name)) }
}

/** Checks the rules that hold after each step. */
export async function checkStep(world: World, needed: Needed): Promise<void> {
  await checkKept(world, needed)
  for (const computer of world.running) {
    checkRefusal(world, computer)
    await checkClaim(world, computer)
  }
  checkTwo(world)
}

async function checkKept(world: World, { tips, media }: Needed): Promise<void> {
  if (world.hasLostObjects || (tips.length === 0 && media.length === 0)) return
  const truth = await world.truth({ isNew: true })
  for (const tip of tips) {
    if (!truth.reachable.has(tip)) world.fail('kept', `the place had ${nameOf(tip)}, and has it no more`)
  }
  const lost = media.filter((name) => !truth.media.has(name))
  if (lost.length > 0) world.fail('kept', `${lost.length} media files of the place were removed`)
}

function checkRefusal(world: World, computer: Computer): void {
  const tracked = world.tracked(computer)
  const isRefused = computer.status?.problem?.kind === 'elsewhere'
  if (isRefused && !tracked.isRefused) checkOtherHasRun(world, computer, 'refuses writes')
  tracked.isRefused = isRefused
}

/** Called when a computer refuses writes. */
export function checkOtherHasRun(world: World, computer: Computer, words: string): void {
  const { tookOverAt } = world.tracked(computer)
  const others = world.computers.filter((each) => each !== computer)
  if (others.some((each) => world.tracked(each).lastRanAt > tookOverAt)) return
  world.fail('refusal', `${computer.name} ${words}, and no other computer has run`)
}

async function checkClaim(world: World, computer: Computer): Promise<void> {
  const { doubt, isMediaInDoubt } = world.tracked(computer)
  if (!isCurrent(computer) || doubt !== 'none') return
  if (world.place.lies > 0 && world.place.mood.kind === 'lies') return
  const truth = await world.truth({ isNew: true })
  if (!truth.reachable.has(computer.head)) {
    const has = newestOf(truth.reachable)
    world.fail('claim', `${computer.name} says that ${nameOf(computer.head)} is copied; the place has ${has}`)
  }
  if (!isMediaInDoubt) checkMedia(world, computer, truth)
}

function checkMedia(world: World, computer: Computer, truth: Truth): void {
  const { cids } = computer.media()
  const marked = marksOf(computer)
  if (!marked) return
  const lacking = cids.filter((cid) => !marked.has(cid) && !truth.media.has(world.key.hiddenName(cid)))
  const { missingMedia = 0, missingHere = 0 } = computer.status ?? {}
  if (lacking.length <= missingMedia + missingHere) return
  world.fail(
    'media',
    `${computer.name} says that all is copied; the place lacks ${lacking.length} media files`,
  )
}

/** Returns the media that its database marks as missing; undefined if their page is damaged, which the copies may not have read. */
function marksOf(computer: Computer): Set<string> | undefined {
  try {
    return computer.mediaRows('damaged_blobs')
  } catch (error) {
    if (error instanceof StoreDamaged) return undefined
    throw error
  }
}

/** Whether the status of a computer says that everything is copied. */
export function isCurrent({ status }: Computer): boolean {
  if (!status || status.problem || status.isPaused || status.copiedAt === undefined) return false
  return status.behindSeconds === 0 && status.behind === 0 && status.seq !== undefined
}

function checkTwo(world: World): void {
  const accepting = world.running.filter((computer) => {
    const { isRefused, readings } = world.tracked(computer)
    return !isRefused && readings >= 3
  })
  if (accepting.length <= 1) return
  const names = accepting.map(({ name }) => name).join(' and ')
  world.fail('two', `${names} both go on after three readings`)
}

/** Called when a computer has read an empty place. */
export function checkEmpty(world: World, computer: Computer): void {
  if (!world.tracked(computer).hasCopied || computer.status?.problem) return
  world.fail('empty', `${computer.name} copies to an empty place, which had the copy`)
}

/** Called when a computer has proven the copy. */
export async function checkProof(world: World, computer: Computer, head: State): Promise<void> {
  // A proof replaces damaged objects under their names.
  if ((await world.truth({ isNew: true })).reachable.has(head)) return
  world.fail('proof', `${computer.name} has proven a copy, which lacks ${nameOf(head)}`)
}

/** Called when all faults have ended and each computer has read the place some times. */
export async function checkRecovery(world: World, accepting: readonly Computer[]): Promise<void> {
  const { reachable } = await world.truth({ isNew: true })
  for (const computer of accepting) {
    // The status names the damage of this computer; segments go on, also from a base that the place has damaged.
    const isContinued = reachable.has(computer.head) || computer.status?.seq === computer.head.seq
    if (world.tracked(computer).isPageDamaged && isContinued) continue
    if (!canCopy(world, computer) || isCurrent(computer)) continue
    const { problem } = computer.status ?? {}
    world.fail('recovery', `${computer.name} is not up to date after six calm steps: ${problem?.message}`)
  }
}

/** Whether its disk has what a copy needs. */
function canCopy(world: World, computer: Computer): boolean {
  const { isJournalDamaged, isPageDamaged } = world.tracked(computer)
  // After a failed write the store reads its journals again.
  if (isJournalDamaged && !computer.process?.store.writable) return false
  return !isPageDamaged || (!isJournalDamaged && computer.status?.seq !== undefined)
}

export interface Restored {
  readonly computer: Computer
  /** What the place had. */
  readonly truth: Truth
  /** Whether the place and the way to it had no faults. */
  readonly isWell: boolean
  /** The media that the restore has named as missing. */
  readonly missing: readonly string[]
  /** What it has said to lack. */
  readonly losses: readonly string[]
}

/** Called when a restored computer has started. */
export function checkRestored(world: World, { computer, truth, isWell, missing, losses }: Restored): void {
  if (!computer.process) {
    world.fail('restore', `${computer.name} does not start: ${computer.damage}`)
    return
  }
  const { head } = computer
  for (const state of pathTo(head)) {
    if (state.isRefused) world.fail('restore', `it has transaction ${nameOf(state)}, which was refused`)
  }
  const { cids, lost } = computer.media()
  const rows = computer.mediaRows('blobs')
  const forgotten = cids.filter((cid) => !rows.has(cid) && truth.media.has(world.key.hiddenName(cid)))
  if (forgotten.length > 0) {
    world.fail('restore', `it has forgotten ${forgotten.length} media files that the place has`)
  }
  if (!isWell) return
  checkNewest(world, head, truth, losses)
  // Those that the copy has marked are in the list of missing media.
  const marked = computer.mediaRows('damaged_blobs')
  const unsaid = lost.filter((cid) => !missing.includes(cid) && !marked.has(cid))
  if (unsaid.length > 0) world.fail('restore', `it does not say that it lacks ${unsaid.length} media files`)
}

/** Checks that a restored state is the newest one of the highest generation. Earlier generations have ended before it. */
function checkNewest(world: World, head: State, { newest }: Truth, losses: readonly string[]): void {
  const further = [...newest].find((state) => state !== head && isOnPath(head, state))
  if (newest.has(head) && (!further || world.branches.has(head) || isBranch(world, head))) return
  const words = losses.length > 0 ? `, and it says: ${losses.join(' ')}` : ''
  const has = further ? nameOf(further) : newestOf(newest)
  world.fail('restore', `it ends at ${nameOf(head)}; the place has ${has}${words}`)
}

/** Whether a timeline of the place ends at this state: a computer continued from here, apart from those that got further. */
function isBranch(world: World, { seq }: State): boolean {
  const parents = new Map<string, { seq: number; name: string }>()
  const ends = new Map<string, number>()
  const begun: string[] = []
  for (const name of world.place.names()) {
    const [, own = '', at, parent] = /^timelines\/(\d+_[0-9a-f]+)-(\d+)-(\d+_[0-9a-f]+)$/.exec(name) ?? []
    if (parent) parents.set(own, { seq: Number(at), name: parent })
    const pattern = /^(?:bases\/|segments\/\d+-)(\d+)-.*-(\d+_[0-9a-f]+)(?:\/end)?$/
    const [, last, timeline = ''] = pattern.exec(name) ?? []
    if (!last) continue
    ends.set(timeline, Math.max(ends.get(timeline) ?? 0, Number(last)))
    if (Number(last) === seq) begun.push(timeline)
  }
  const isContinued = (timeline: string): boolean => {
    if ((ends.get(timeline) ?? 0) > seq) return true
    const children = [...parents].filter(([, parent]) => parent.name === timeline && parent.seq >= seq)
    return children.some(([name]) => isContinued(name))
  }
  return begun.some((timeline) => !isContinued(timeline))
}

/** Called when a restore of a place without faults has failed. */
export function failRestore(world: World, truth: Truth, error: unknown): void {
  if (truth.reachable.size === 0) return
  world.fail('restore', `the place has ${newestOf(truth.reachable)}, and the restore says: ${error}`)
}

/** Names the newest of some states. */
function newestOf(states: ReadonlySet<State>): string {
  const [first, ...others] = states
  if (!first) return 'nothing'
  return nameOf(others.reduce((newest, state) => (state.seq > newest.seq ? state : newest), first))
}

function nameOf({ seq, token }: State): string {
  return `transaction ${seq} (${token.slice(0, 4)})`
}
