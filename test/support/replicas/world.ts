/** Computers and their place, and the rules that hold after each step. */
import { bringBack } from '../../../server/operation/replicas/bring-back.ts'
import type { Place } from '../../../server/operation/replicas/places/place.ts'
import { type ReplicaKey, sealedBytes } from '../../../server/operation/replicas/replica-key.ts'
import type { Sealer } from '../../../server/operation/replicas/sealer.ts'
import type { FaultyDisk } from '../../unit/platform/store/faulty-disk.ts'
import { day, minute, second } from '../clock.ts'
import { Computer, dataDir, type Surroundings, settle } from './computer.ts'
import { History, isOnPath, pathTo, Reader, type State, type Truth, Violation } from './history.ts'
import { createRandom, type Random } from './random.ts'
import { SimulatedPlace, well } from './simulated-place.ts'

/** What the rules are about. */
export const rules = {
  claim: 'a status that says "copied" is true',
  proof: 'a copy that is called proven comes back',
  media: 'media that the place lacks are counted',
  refusal: 'writes are refused only if another computer has run with the data',
  two: 'two computers that read the place do not both go on',
  restore: 'a restore is the newest state of one computer, or says what it lacks',
  kept: 'what a restore point needs stays, whatever one reading says',
  empty: 'a place that had the copy and is empty is a problem',
  recovery: 'after the faults, a copy is soon up to date',
} as const
export type Rule = keyof typeof rules

/** How little is known about what the place has: it may have lost objects, or have damaged ones of the same size. */
type Doubt = 'none' | 'listing' | 'content'
const doubts: readonly Doubt[] = ['none', 'listing', 'content']

interface Known {
  doubt: Doubt
  isMediaInDoubt: boolean
  /** Since when this computer is the one that runs, in steps. */
  tookOverAt: number
  lastRanAt: number
  /** Readings of the place without faults since another computer began to run. */
  readings: number
  isRefused: boolean
  wasClockWrong: boolean
  isJournalDamaged: boolean
  isPageDamaged: boolean
  snapshot: { readonly disk: FaultyDisk } | undefined
}

export class World {
  readonly history = new History()
  readonly random: Random
  readonly place: SimulatedPlace
  readonly computers: Computer[] = []
  readonly trace: string[] = []
  /** Stays with the person, who restores with it. */
  readonly #key: ReplicaKey
  readonly #reader: Reader
  readonly #enforced: readonly Rule[]
  readonly #known = new Map<Computer, Known>()
  readonly #around: Surroundings
  #time = Date.parse('2030-01-01T00:00:00Z')
  #step = 0
  #truth: { readonly objects: string; readonly truth: Truth } | undefined
  /** The place that is not mounted meanwhile. */
  #unmounted: Map<string, Uint8Array> | undefined
  /** Whether a disk without the copy was mounted in a step so far. */
  #lossOfObjects = false

  private constructor(key: ReplicaKey, seed: number, enforced: readonly Rule[]) {
    this.random = createRandom(seed)
    this.place = new SimulatedPlace(this.random)
    this.place.onSlow = () => {
      this.#time += this.random.below(60) * second
    }
    this.#key = key
    this.#enforced = enforced
    this.#reader = new Reader(key, this.history)
    this.#around = {
      history: this.history,
      time: () => this.#time,
      credentials: JSON.stringify({ key: key.identity }),
      connect: (isOnline) => this.place.connect(isOnline),
    }
  }

  static async create(key: ReplicaKey, seed: number, enforced: readonly Rule[]): Promise<World> {
    const world = new World(key, seed, enforced)
    await world.#add(new Computer('A', world.#around)).start()
    return world
  }

  get running(): Computer[] {
    return this.computers.filter(({ process }) => process)
  }

  get isMounted(): boolean {
    return this.#unmounted === undefined
  }

  known(computer: Computer): Known {
    const known = this.#known.get(computer)
    if (!known) throw new Error('This computer is not known.')
    return known
  }

  /** Runs a step and checks the rules. */
  async step(words: string, work: () => Promise<void>): Promise<void> {
    this.#step++
    this.#time += second
    this.trace.push(words)
    this.place.beginStep()
    const needed = await this.#needed()
    this.#lossOfObjects = false
    await work()
    this.#time += second
    await settle()
    for (const computer of this.running) this.known(computer).lastRanAt = this.#step
    await this.#checkKept(needed)
    for (const computer of this.running) {
      await this.#checkRefusal(computer)
      await this.#checkClaim(computer)
    }
    this.#checkTwo()
  }

  // Steps

  async write(computer: Computer, count: number): Promise<void> {
    for (let left = count; left > 0; left--) this.#wrote(computer, await computer.write())
  }

  async addMedia(computer: Computer, bytes: number): Promise<void> {
    this.#wrote(computer, await computer.addMedia(bytes))
  }

  /** @param killAt operation of the place at which the process is killed */
  async copy(computer: Computer, isWoken: boolean, killAt?: number): Promise<void> {
    const { place } = this
    let operations = 0
    place.onOperation = () => {
      if (++operations !== killAt || !computer.process) return
      computer.process.isAlive = false
      computer.disk.kill()
    }
    await computer.copy(isWoken)
    place.onOperation = () => {}
    if (computer.process?.isAlive === false) {
      await computer.kill()
      await this.start(computer)
      return
    }
    this.#hasRead(computer, isWoken)
  }

  /** Writes that are each copied, for some minutes. */
  async busy(computer: Computer, count: number): Promise<void> {
    for (let left = count; left > 0 && computer.process; left--) {
      await this.write(computer, 1)
      this.#time += 10 * second
      this.place.beginStep()
      await computer.copy(false)
      if (this.place.lies > 0) this.#doubtAll('listing')
    }
  }

  pass(ms: number): void {
    this.#time += ms
  }

  /** A write whose sync fails while its frame is in the journal, and the place is copied to meanwhile. */
  async failSync(computer: Computer, isWoken: boolean): Promise<void> {
    computer.failingSync = () => computer.copy(isWoken)
    await this.write(computer, 1)
    computer.failingSync = undefined
    if (this.place.lies > 0) this.#doubtAll('listing')
  }

  async start(computer: Computer): Promise<void> {
    await computer.start()
    this.known(computer).readings = 0
    for (const other of this.running) this.known(other).readings = 0
    if (computer.process) await this.copy(computer, true)
  }

  async kill(computer: Computer, isPowerCut: boolean): Promise<void> {
    await computer.kill(isPowerCut)
    await this.start(computer)
  }

  async restart(computer: Computer): Promise<void> {
    await computer.stop()
    await this.start(computer)
  }

  setClock(computer: Computer, error: number): void {
    computer.clockError = error
    if (error !== 0) this.known(computer).wasClockWrong = true
  }

  async clone(computer: Computer): Promise<void> {
    const name = String.fromCharCode(65 + this.computers.length)
    const clone = this.#add(new Computer(name, this.#around, computer.disk.clone()))
    Object.assign(this.known(clone), { ...this.known(computer), tookOverAt: -1, readings: 0 })
    await this.start(clone)
  }

  takeSnapshot(computer: Computer): void {
    this.known(computer).snapshot = { disk: computer.disk.clone() }
  }

  /** The disk loses what it has got since the snapshot. */
  async rollBack(computer: Computer): Promise<void> {
    const { snapshot } = this.known(computer)
    if (!snapshot) return
    await computer.kill()
    computer.disk = snapshot.disk.clone()
    await this.start(computer)
  }

  async continueHere(computer: Computer): Promise<void> {
    await computer.process?.copies.continueHere()
    await settle()
    if (!this.known(computer).isRefused) return
    this.known(computer).tookOverAt = this.#step
    await this.copy(computer, true)
  }

  /** Restores the copy on a computer, or on a new one. */
  async restore(on: Computer | undefined): Promise<void> {
    const computer =
      on ?? this.#add(new Computer(String.fromCharCode(65 + this.computers.length), this.#around))
    if (computer.process) await computer.stop()
    computer.disk.restart()
    const truth = await this.truth()
    const before = truth.reachable.size
    const isWell = this.place.mood.kind === 'well' && computer.isOnline
    const result = await this.#bringBack(computer).catch((error: unknown) => {
      if (error instanceof Violation) throw error
      if (isWell && before > 0) {
        this.#fail('restore', `the place has ${nameOf(newestOf(truth))}, and the restore says: ${error}`)
      }
      return undefined
    })
    computer.damage = undefined
    // Without a copy, a person does not go on there.
    if (!result && !on) {
      this.computers.splice(this.computers.indexOf(computer), 1)
      return
    }
    await computer.start()
    if (result) {
      await this.#checkRestored(computer, truth, isWell, result.missing)
      this.known(computer).tookOverAt = this.#step
      Object.assign(this.known(computer), {
        ...{ snapshot: undefined, isRefused: false, isJournalDamaged: false, isPageDamaged: false },
      })
    }
    for (const each of this.computers) this.known(each).readings = 0
    if (computer.process) await this.copy(computer, true)
  }

  /** Restores what the place truly has on a computer of its own, without any trace. */
  async tryRestore(): Promise<void> {
    const truth = await this.truth()
    const objects = new Map(this.place.objects)
    const trial = new Computer('trial', this.#around)
    const place = new SimulatedPlace(createRandom(1))
    place.objects = new Map(objects)
    if (truth.reachable.size === 0) return
    let missing: readonly string[]
    try {
      missing = (
        await this.#bringBack(
          trial,
          place.connect(() => true),
        )
      ).missing
    } catch (error) {
      return this.#fail('restore', `the place has ${nameOf(newestOf(truth))}, and a restore says: ${error}`)
    }
    this.#known.set(trial, newKnown(this.#step))
    trial.isOnline = false
    await trial.start()
    await this.#checkRestored(trial, truth, true, missing)
    await trial.kill()
    this.#known.delete(trial)
  }

  /** @param isLost false: a bit of it flips */
  damageObject(pick: number, at: number, isLost: boolean): string | undefined {
    const names = this.place.names()
    const name = names[pick % Math.max(1, names.length)]
    if (!name) return undefined
    if (isLost) this.place.lose(name)
    else this.place.rot(name, at)
    this.#lossOfObjects = true
    this.#doubtAll(isLost ? 'listing' : 'content', name.startsWith('media/'))
    return name
  }

  /** Instead of the disk with the copy there is an empty folder. */
  unmount(): void {
    this.#unmounted = this.place.objects
    this.place.objects = new Map()
    this.#lossOfObjects = true
    this.#doubtAll('listing', true)
  }

  mount(): void {
    if (this.#unmounted) this.place.objects = this.#unmounted
    this.#unmounted = undefined
    this.#lossOfObjects = true
    this.#doubtAll('listing', true)
  }

  async prove(computer: Computer): Promise<void> {
    const { head, process } = computer
    if (!process) return
    const url = computer.status?.url ?? ''
    const proof = await process.copies.prove(url).catch(() => undefined)
    await settle()
    if (!proof || proof.problem !== undefined || !this.isMounted) return
    // Wrong answers may hide that an object is damaged.
    if (this.place.wrongReads > 0 || this.place.lies > 0) return
    const truth = await this.truth()
    if (!truth.reachable.has(head)) {
      this.#fail('proof', `${computer.name} has proven a copy, which lacks ${nameOf(head)}`)
    }
    const known = this.known(computer)
    known.doubt = 'none'
    known.isMediaInDoubt = false
  }

  async compact(computer: Computer): Promise<void> {
    await computer.process?.copies.compact()
    if (this.place.lies > 0) this.#doubtAll('listing')
  }

  async checkpoint(computer: Computer): Promise<void> {
    await computer.process?.store.checkpoint().catch(() => {})
  }

  /** All faults end. */
  async calm(): Promise<void> {
    this.place.mood = well
    if (!this.isMounted) this.mount()
    for (const computer of this.computers) {
      computer.isOnline = true
      computer.clockError = 0
    }
    // Longer than any clock was ahead, for what was written then.
    for (let round = 0; round < 6; round++) {
      this.#time += 10 * minute
      for (const computer of this.running) await this.copy(computer, true)
    }
    const accepting = this.running.filter(({ status }) => status?.problem?.kind !== 'elsewhere')
    this.#truth = undefined
    const { reachable } = await this.truth()
    for (const computer of accepting) {
      // The status names the damage of this computer; segments go on.
      if (this.known(computer).isPageDamaged && reachable.has(computer.head)) continue
      if (this.#canCopy(computer) && !this.#isCurrent(computer)) {
        const { problem } = computer.status ?? {}
        this.#fail('recovery', `${computer.name} is not up to date after six calm steps: ${problem?.message}`)
      }
    }
  }

  /** Whether its disk has what a copy needs. */
  #canCopy(computer: Computer): boolean {
    const { isJournalDamaged, isPageDamaged } = this.known(computer)
    return !isPageDamaged || (!isJournalDamaged && computer.status?.seq !== undefined)
  }

  // Rules

  /** What the place truly has. */
  async truth(): Promise<Truth> {
    const objects = this.place.names().join('\n') + this.#step
    if (this.#truth?.objects === objects) return this.#truth.truth
    const truth = await this.#reader.read(this.place.objects)
    this.#truth = { objects, truth }
    return truth
  }

  #isCurrent(computer: Computer): boolean {
    const { status } = computer
    if (!status || status.problem || status.isPaused || status.copiedAt === undefined) return false
    const { behind = 0 } = status as { behind?: number }
    return status.behindSeconds === 0 && behind === 0 && status.seq !== undefined
  }

  async #checkClaim(computer: Computer): Promise<void> {
    const { doubt, isMediaInDoubt } = this.known(computer)
    if (!this.#isCurrent(computer) || doubt !== 'none') return
    if (this.place.lies > 0 && this.place.mood.kind === 'lies') return
    this.#truth = undefined
    const truth = await this.truth()
    if (!truth.reachable.has(computer.head)) {
      const has = truth.reachable.size > 0 ? nameOf(newestOf(truth)) : 'nothing'
      this.#fail(
        'claim',
        `${computer.name} says that ${nameOf(computer.head)} is copied; the place has ${has}`,
      )
    }
    if (isMediaInDoubt) return
    const { cids } = computer.media()
    const lacking = cids.filter((cid) => !truth.media.has(this.#key.hiddenName(cid)))
    const { missingMedia = 0, missingHere = 0 } = computer.status as {
      missingMedia?: number
      missingHere?: number
    }
    if (lacking.length > missingMedia + missingHere) {
      this.#fail(
        'media',
        `${computer.name} says that all is copied; the place lacks ${lacking.length} media files`,
      )
    }
  }

  async #checkRefusal(computer: Computer): Promise<void> {
    const known = this.known(computer)
    const isRefused = computer.status?.problem?.kind === 'elsewhere'
    if (isRefused && !known.isRefused) {
      const others = this.computers.filter((each) => each !== computer)
      if (!others.some((each) => this.known(each).lastRanAt > known.tookOverAt)) {
        this.#fail('refusal', `${computer.name} refuses writes, and no other computer has run`)
      }
    }
    known.isRefused = isRefused
  }

  #checkTwo(): void {
    const accepting = this.running.filter(
      (computer) => !this.known(computer).isRefused && this.known(computer).readings >= 3,
    )
    if (accepting.length > 1) {
      this.#fail('two', `${accepting.map(({ name }) => name).join(' and ')} both go on after three readings`)
    }
  }

  /** The newest states of the place, which are kept for weeks, and the media that the place has of them. */
  async #needed(): Promise<{ readonly tips: readonly State[]; readonly media: readonly string[] }> {
    const isClockWrong = this.computers.some((computer) => this.known(computer).wasClockWrong)
    if (!this.isMounted || isClockWrong) return { tips: [], media: [] }
    const truth = await this.truth()
    const parents = new Set([...truth.reachable].map(({ parent }) => parent))
    const tips = [...truth.reachable].filter(
      (state) => !parents.has(state) && this.#time - state.at < 50 * day,
    )
    const cids = tips.flatMap((tip) => [...pathTo(tip)].flatMap(({ cid }) => cid ?? []))
    const media = [...new Set(cids)].map((cid) => this.#key.hiddenName(cid))
    return { tips, media: media.filter((name) => truth.media.has(name)) }
  }

  async #checkKept({ tips, media }: { tips: readonly State[]; media: readonly string[] }): Promise<void> {
    if (this.#lossOfObjects || (tips.length === 0 && media.length === 0)) return
    this.#truth = undefined
    const truth = await this.truth()
    for (const tip of tips) {
      if (!truth.reachable.has(tip)) this.#fail('kept', `the place had ${nameOf(tip)}, and has it no more`)
    }
    const lost = media.filter((name) => !truth.media.has(name))
    if (lost.length > 0) this.#fail('kept', `${lost.length} media files of the place were removed`)
  }

  async #checkRestored(computer: Computer, truth: Truth, isWell: boolean, missing: readonly string[]) {
    if (!computer.process) return this.#fail('restore', `${computer.name} does not start: ${computer.damage}`)
    const { head } = computer
    for (const state of pathTo(head)) {
      if (state.isRefused) this.#fail('restore', `it has transaction ${nameOf(state)}, which was refused`)
    }
    const rows = computer.mediaRows()
    const forgotten = computer
      .media()
      .cids.filter((cid) => !rows.has(cid) && truth.media.has(this.#key.hiddenName(cid)))
    if (forgotten.length > 0) {
      this.#fail('restore', `it has forgotten ${forgotten.length} media files that the place has`)
    }
    if (!isWell) return
    const further = [...truth.reachable].find((state) => state !== head && isOnPath(head, state))
    if (further) this.#fail('restore', `it ends at ${nameOf(head)}; the place has ${nameOf(further)}`)
    const { lost } = computer.media()
    const unsaid = lost.filter((cid) => !missing.includes(cid))
    if (unsaid.length > 0) this.#fail('restore', `it does not say that it lacks ${unsaid.length} media files`)
  }

  #checkEmpty(computer: Computer): void {
    if (this.isMounted || !computer.status?.copiedAt) return
    if (!computer.status.problem) {
      this.#fail('empty', `${computer.name} copies to an empty place, which had the copy`)
    }
  }

  #fail(rule: Rule, message: string): void {
    if (this.#enforced.includes(rule)) throw new Violation(rule, message)
  }

  #wrote(computer: Computer, result: 'acknowledged' | 'failed' | 'refused'): void {
    if (result !== 'refused') return
    const known = this.known(computer)
    const others = this.computers.filter((each) => each !== computer)
    if (!others.some((each) => this.known(each).lastRanAt > known.tookOverAt)) {
      this.#fail('refusal', `${computer.name} refuses a write, and no other computer has run`)
    }
  }

  #hasRead(computer: Computer, isWoken: boolean): void {
    const known = this.known(computer)
    if (this.place.lies > 0) this.#doubtAll('listing')
    if (isWoken) this.#checkEmpty(computer)
    const isWell = this.place.wrongReads === 0 && this.place.lies === 0
    if (!isWoken || !isWell || computer.status?.problem || !computer.isOnline) return
    if (this.place.mood.kind === 'well') known.readings++
    if (known.doubt === 'listing') known.doubt = 'none'
  }

  #doubtAll(doubt: Doubt, isMedia = false): void {
    for (const known of this.#known.values()) {
      if (doubts.indexOf(doubt) > doubts.indexOf(known.doubt)) known.doubt = doubt
      known.isMediaInDoubt ||= isMedia || doubt === 'listing'
    }
  }

  async #bringBack(computer: Computer, place?: Place) {
    const key = this.#key
    const { fingerprint } = key
    const sealer: Sealer = {
      fingerprint,
      hiddenName: (name) => key.hiddenName(name),
      sealedBytes,
      seal: (name, content) => key.seal(name, content),
      open: (name, sealed) => key.open(name, sealed),
      end: async () => {},
    }
    const target = { place: place ?? this.place.connect(() => computer.isOnline), sealer }
    const { now, disk } = computer
    return bringBack({ target, dataDir, now, files: disk.files })
  }

  #add(computer: Computer): Computer {
    this.computers.push(computer)
    const known = newKnown(this.#step)
    this.#known.set(computer, known)
    for (const { doubt, isMediaInDoubt } of this.#known.values()) {
      if (doubts.indexOf(doubt) > doubts.indexOf(known.doubt)) known.doubt = doubt
      known.isMediaInDoubt ||= isMediaInDoubt
    }
    return computer
  }
}

function newKnown(step: number): Known {
  return {
    ...{ doubt: 'none', isMediaInDoubt: false, tookOverAt: step, lastRanAt: 0, readings: 0 },
    ...{ isRefused: false, wasClockWrong: false, isJournalDamaged: false, isPageDamaged: false },
    snapshot: undefined,
  }
}

function newestOf({ reachable }: Truth): State {
  return [...reachable].reduce((newest, state) => (state.seq > newest.seq ? state : newest))
}

function nameOf({ seq, token }: State): string {
  return `transaction ${seq} (${token.slice(0, 4)})`
}
