/** Computers, their place and the true time. Each step ends with the rules of `oracle.ts`. */
import type { ReplicaKey } from '../../../server/operation/replicas/replica-key.ts'
import { second } from '../server/clock.ts'
import { Computer, type Surroundings } from './computer.ts'
import { History, Reader, type State, type Truth } from './history.ts'
import { checkStep, neededAt } from './oracle.ts'
import { createRandom, type Random } from './random.ts'
import { type Rule, Violation } from './rules.ts'
import { SimulatedPlace } from './simulated-place.ts'
import { drawBytesFrom, settle } from './simulation.ts'
import { type Doubt, newTracked, raiseDoubt, type Tracked } from './tracked.ts'

export class World {
  readonly history = new History()
  readonly random: Random
  readonly place: SimulatedPlace
  readonly computers: Computer[] = []
  /** Where a computer went on without later transactions that the place may have. */
  readonly branches = new Set<State>()
  /** The steps so far. */
  readonly trace: string[] = []
  /** Stays with the person, who restores with it. */
  readonly key: ReplicaKey
  readonly around: Surroundings
  /** True time, in milliseconds since 1970. */
  time = Date.parse('2030-01-01T00:00:00Z')
  /** Number of the step. */
  at = 0
  /** Whether the place has lost objects in this step, or has others. */
  hasLostObjects = false
  readonly #reader: Reader
  readonly #enforced: readonly Rule[]
  readonly #tracked = new Map<Computer, Tracked>()
  #truth: { readonly objects: string; readonly truth: Truth } | undefined
  /** The objects of the place while it is not mounted. */
  #unmounted: Map<string, Uint8Array> | undefined

  private constructor(key: ReplicaKey, seed: number, enforced: readonly Rule[]) {
    this.random = createRandom(seed)
    this.place = new SimulatedPlace(this.random)
    this.place.onSlow = () => {
      this.time += this.random.below(60) * second
    }
    this.key = key
    this.#enforced = enforced
    this.#reader = new Reader(key, this.history)
    this.around = {
      history: this.history,
      time: () => this.time,
      credentials: JSON.stringify({ key: key.identity }),
      connect: (isOnline) => this.place.connect(isOnline),
    }
  }

  static async create(key: ReplicaKey, seed: number, enforced: readonly Rule[]): Promise<World> {
    const world = new World(key, seed, enforced)
    drawBytesFrom(createRandom(seed))
    await world.add().start()
    return world
  }

  /** Runs a step and checks the rules. @throws Violation */
  async step(words: string, work: () => Promise<void>): Promise<void> {
    this.at++
    this.time += second
    this.trace.push(words)
    this.place.beginStep()
    const needed = await neededAt(this)
    this.hasLostObjects = false
    await work()
    this.time += second
    await settle()
    for (const computer of this.running) this.tracked(computer).lastRanAt = this.at
    await checkStep(this, needed)
  }

  get running(): Computer[] {
    return this.computers.filter(({ process }) => process)
  }

  tracked(computer: Computer): Tracked {
    const tracked = this.#tracked.get(computer)
    if (!tracked) throw new Error('This computer is not tracked.')
    return tracked
  }

  /** Adds a computer, which does not run yet. */
  add(disk?: Computer['disk']): Computer {
    const computer = new Computer(String.fromCharCode(65 + this.computers.length), this.around, disk)
    this.computers.push(computer)
    this.track(computer)
    return computer
  }

  track(computer: Computer): void {
    const tracked = newTracked(this.at)
    for (const { doubt, isMediaInDoubt } of this.#tracked.values()) {
      raiseDoubt(tracked, doubt, isMediaInDoubt)
    }
    this.#tracked.set(computer, tracked)
  }

  untrack(computer: Computer): void {
    this.#tracked.delete(computer)
  }

  get isMounted(): boolean {
    return this.#unmounted === undefined
  }

  /** Replaces the disk with the copy by an empty folder. */
  unmount(): void {
    this.#unmounted = this.place.objects
    this.place.objects = new Map()
    this.#changeDisk()
  }

  mount(): void {
    if (this.#unmounted) this.place.objects = this.#unmounted
    this.#unmounted = undefined
    this.#changeDisk()
  }

  #changeDisk(): void {
    this.hasLostObjects = true
    this.doubtAll('listing', true)
  }

  /** Records that the place may have lost what it says it has. */
  doubtAll(doubt: Doubt, isMedia = false): void {
    for (const tracked of this.#tracked.values()) raiseDoubt(tracked, doubt, isMedia || doubt === 'listing')
  }

  /** Returns what the place truly has. @param isNew whether to read its objects again, although their names have not changed */
  async truth({ isNew = false } = {}): Promise<Truth> {
    const objects = this.place.names().join('\n') + this.at
    if (this.#truth?.objects === objects && !isNew) return this.#truth.truth
    const truth = await this.#reader.read(this.place.objects)
    this.#truth = { objects, truth }
    return truth
  }

  /** @throws Violation if the rule is enforced */
  fail(rule: Rule, message: string): void {
    if (this.#enforced.includes(rule)) throw new Violation(rule, message)
  }
}
