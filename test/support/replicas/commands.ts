/** The steps of the model of a place, as commands of fast-check: which there are, how often, and with what values. */
import fc from 'fast-check'
import { day, hour, minute, second } from '../server/clock.ts'
import * as acts from './acts.ts'
import type { Computer } from './computer.ts'
import { restore, tryRestore } from './restores.ts'
import { type Mood, moods, well } from './simulated-place.ts'
import type { World } from './world.ts'

export interface Scene {
  readonly world: World
  /** Called before each step. @returns false when no more steps are to be run */
  readonly count: () => boolean
}

type Words = Readonly<Record<string, unknown>>

class Step implements fc.AsyncCommand<Scene, Scene> {
  readonly #name: string
  readonly #words: Words
  readonly #run: (world: World) => Promise<void> | undefined

  constructor(name: string, words: Words, run: (world: World) => Promise<void> | undefined) {
    this.#name = name
    this.#words = words
    this.#run = run
  }

  check(): boolean {
    return true
  }

  async run({ world, count }: Scene): Promise<void> {
    if (!count()) return
    await world.step(this.toString(), async () => this.#run(world))
  }

  toString(): string {
    const words = Object.entries(this.#words).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    return `${this.#name}(${words.join(', ')})`
  }
}

type Drawing<Drawn> = { [Key in keyof Drawn]: fc.Arbitrary<Drawn[Key]> }

function step<Drawn extends Words>(
  name: string,
  words: Drawing<Drawn>,
  run: (world: World, drawn: Drawn) => Promise<void> | undefined,
): fc.Arbitrary<fc.AsyncCommand<Scene, Scene>> {
  return fc
    .record(words as Drawing<Words>)
    .map((drawn) => new Step(name, drawn, (world) => run(world, drawn as Drawn)))
}

/** A step of one of the computers that run. */
function by<Drawn extends Words>(
  name: string,
  words: Drawing<Drawn>,
  run: (world: World, computer: Computer, drawn: Drawn) => Promise<void> | undefined,
) {
  return step<Drawn & { who: number }>(
    name,
    { ...words, who: fc.nat({ max: 5 }) } as Drawing<Drawn & { who: number }>,
    async (world, drawn) => {
      const computer = world.running[drawn.who % Math.max(1, world.running.length)]
      if (computer) await run(world, computer, drawn)
    },
  )
}

const share = fc.constantFrom(0.1, 0.3, 0.5, 0.8, 1)
const part = fc.integer({ min: 0, max: 999 }).map((n) => n / 1000)
const pick = fc.nat({ max: 997 })
const isTrue = fc.boolean()
const rarely = fc.option(fc.integer({ min: 1, max: 25 }), { freq: 3, nil: undefined })
const maxComputers = 4

const write = by('write', { n: fc.integer({ min: 1, max: 5 }) }, (world, computer, { n }) =>
  acts.write(world, computer, n),
)
const copy = by('copy', { isWoken: isTrue }, (world, computer, { isWoken }) =>
  acts.copy(world, computer, { isWoken }),
)
const copyAndDie = by('copyAndDie', { killAt: rarely }, (world, computer, { killAt }) =>
  acts.copy(world, computer, { isWoken: true, killAt }),
)
const busy = by('busy', { n: fc.integer({ min: 5, max: 25 }) }, (world, computer, { n }) =>
  acts.busy(world, computer, n),
)
const addMedia = by('addMedia', { bytes: fc.integer({ min: 1, max: 3000 }) }, (world, computer, { bytes }) =>
  acts.addMedia(world, computer, bytes),
)
const loseMedia = by('loseMedia', { pick }, async (_, computer, { pick }) => {
  const { cids } = computer.media()
  const cid = cids[pick % Math.max(1, cids.length)]
  if (cid) await computer.loseMedia(cid)
})
const pass = step(
  'pass',
  { ms: fc.constantFrom(5 * second, minute, 6 * minute, hour, 26 * hour, 8 * day) },
  async (world, { ms }) => {
    world.time += ms
  },
)
const mood = step(
  'mood',
  { kind: fc.constantFrom(...moods), share, limit: fc.constantFrom(0, 1, 2, 3, 5, 8, 1000, 20_000) },
  async (world, drawn) => {
    world.place.mood = drawn as Mood
  },
)
const beWell = step('well', {}, async (world) => {
  world.place.mood = well
})
const prove = by('prove', {}, (world, computer) => acts.prove(world, computer))
const compact = by('compact', {}, (world, computer) => acts.compact(world, computer))
const checkpoint = by('checkpoint', {}, (_, computer) => computer.process?.store.checkpoint().catch(() => {}))
const kill = by('kill', { isPowerCut: isTrue }, (world, computer, drawn) => acts.kill(world, computer, drawn))
const restart = by('restart', {}, (world, computer) => acts.restart(world, computer))
const setClock = by(
  'setClock',
  { error: fc.constantFrom(0, 0, -3 * hour, 3 * hour, -400 * day, 400 * day) },
  async (world, computer, { error }) => acts.setClock(world, computer, error),
)
const clone = by('clone', {}, async (world, computer) => {
  if (world.computers.length < maxComputers) await acts.clone(world, computer)
})
const takeSnapshot = by('takeSnapshot', {}, async (world, computer) => acts.takeSnapshot(world, computer))
const rollBack = by('rollBack', {}, (world, computer) => acts.rollBack(world, computer))
const continueHere = by('continueHere', {}, (world, computer) => acts.continueHere(world, computer))
const restoreHere = by('restoreHere', {}, (world, computer) => restore(world, computer))
const restoreElsewhere = step('restoreElsewhere', {}, async (world) => {
  if (world.computers.length < maxComputers) await restore(world, undefined)
})
const tryRestoring = step('tryRestore', {}, tryRestore)
const failSync = by('failSync', { isWoken: isTrue }, (world, computer, { isWoken }) =>
  acts.failSync(world, computer, isWoken),
)
const damageJournal = by('damageJournal', { pick, part }, async (world, computer, { pick, part }) => {
  if (computer.damageJournal(pick, part)) world.tracked(computer).isJournalDamaged = true
})
const damagePage = by('damagePage', { part }, async (world, computer, { part }) => {
  computer.damagePage(part)
  world.tracked(computer).isPageDamaged = true
})
const damageObject = step('damageObject', { pick, part, isLost: isTrue }, async (world, drawn) =>
  acts.damageObject(world, drawn),
)
const unmount = step('unmount', {}, async (world) => {
  if (world.isMounted) world.unmount()
})
const mount = step('mount', {}, async (world) => {
  if (!world.isMounted) world.mount()
})
const calm = step('calm', {}, acts.calm)
const online = by('online', { isOnline: isTrue }, async (_, computer, { isOnline }) => {
  computer.isOnline = isOnline
})

/** As often as they are listed. */
const steps = [
  ...[write, write, write, write, copy, copy, copy, copy, copyAndDie, busy],
  ...[addMedia, loseMedia, pass, pass, pass, mood, mood, beWell, beWell],
  ...[prove, compact, compact, checkpoint, kill, restart, setClock, clone, takeSnapshot, rollBack],
  ...[continueHere, restoreHere, restoreElsewhere, tryRestoring, failSync, damageJournal, damagePage],
  ...[damageObject, unmount, mount, calm, online],
]

export const commands = fc.commands(steps, { maxCommands: 120, size: 'max' })
