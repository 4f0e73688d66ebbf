/** The steps of the model of sign-in, as commands of fast-check. */
import fc from 'fast-check'
import { minute, second } from '../server/clock.ts'
import { server } from '../server/setup.ts'
import { type Attacker, guess } from './attacker.ts'
import { senders } from './driver.ts'
import { act, refresh, refreshInTwoTabs, replayRefresh, signOut } from './grants.ts'
import { beginSignIn, continueSignIn, overheard } from './honest.ts'
import type { Flow, Grant, World } from './world.ts'

export interface Scene {
  readonly world: World
  readonly attacker: Attacker
  /** Called before each step. @returns false when no more steps are to be run */
  readonly count: () => boolean
}

type Words = Readonly<Record<string, unknown>>

class Step implements fc.AsyncCommand<Scene, Scene> {
  readonly #name: string
  readonly #words: Words
  readonly #can: (scene: Scene) => boolean
  readonly #run: (scene: Scene) => Promise<void>

  constructor(
    name: string,
    words: Words,
    can: (scene: Scene) => boolean,
    run: (scene: Scene) => Promise<void>,
  ) {
    this.#name = name
    this.#words = words
    this.#can = can
    this.#run = run
  }

  check(scene: Readonly<Scene>): boolean {
    return this.#can(scene)
  }

  async run(scene: Scene): Promise<void> {
    if (!scene.count()) return
    await this.#run(scene)
    await scene.world.lookAtWindows()
  }

  toString(): string {
    const words = Object.entries(this.#words).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    return `${this.#name}(${words.join(', ')})`
  }
}

const always = () => true
const pick = fc.nat({ max: 11 })
/** Mostly the newest. */
const recent = fc.nat({ max: 7 }).map((n) => Math.max(0, n - 4))
const sender = fc.constantFrom(...senders)
const scope = fc.constantFrom('atproto', 'atproto transition:generic')
const isLost = fc.integer({ min: 0, max: 4 }).map((n) => n === 0)
const isTrue = fc.boolean()

const at = <Item>(items: readonly Item[], n: number): Item => {
  const item = items[n % items.length]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

const openFlows = ({ world }: Scene) => world.flows.filter(({ stage }) => stage !== 'done')
const newest = <Item>(items: readonly Item[], n: number) => at(items.toReversed(), n)

/** A step whose words are drawn at random. */
function step<Drawn extends Words>(
  name: string,
  words: { [Key in keyof Drawn]: fc.Arbitrary<Drawn[Key]> },
  run: (scene: Scene, drawn: Drawn) => Promise<void>,
  can: (scene: Scene) => boolean = always,
): fc.Arbitrary<fc.AsyncCommand<Scene, Scene>> {
  return fc
    .record(words)
    .map((drawn) => new Step(name, drawn as Drawn, can, (scene) => run(scene, drawn as Drawn)))
}

const hasFlow = (scene: Scene) => openFlows(scene).length > 0
const hasGrant = ({ world }: Scene) => world.grants.length > 0
const hasId = ({ attacker }: Scene) => attacker.ids.length > 0
const hasForged = ({ attacker }: Scene) => attacker.forged.length > 0

const begin = step(
  'begin',
  { n: pick, hasHint: isTrue, isInWindow: isTrue, scope, steps: fc.nat({ max: 5 }) },
  async ({ world }, { n, hasHint, isInWindow, scope, steps }) => {
    const from = at(world.installations, n)
    // Without a hint only the window of the owner shows a request.
    const usesWindow = isInWindow && (hasHint || from.person.isOwner)
    const flow = beginSignIn(world, { at: from, hasHint, isInWindow: usesWindow, scope })
    for (let n = 0; n < steps && flow.stage !== 'done'; n++) await continueSignIn(world, flow, false)
  },
  (scene) => openFlows(scene).length < 3,
)

const proceed = step(
  'continue',
  { n: pick, isLost },
  async (scene, { n, isLost }) => continueSignIn(scene.world, newest(openFlows(scene), n), isLost),
  hasFlow,
)

const honest = [begin, begin, proceed, proceed, proceed]

const withGrant = <Drawn extends Words>(
  name: string,
  words: { [Key in keyof Drawn]: fc.Arbitrary<Drawn[Key]> },
  run: (scene: Scene, grant: Grant, drawn: Drawn) => Promise<void>,
) =>
  step<Drawn & { n: number }>(
    name,
    { ...words, n: pick } as {
      [Key in keyof (Drawn & { n: number })]: fc.Arbitrary<(Drawn & { n: number })[Key]>
    },
    (scene, drawn) => run(scene, newest(scene.world.grants, drawn.n), drawn),
    hasGrant,
  )

const signedIn = [
  withGrant('refresh', { isLost: isTrue }, ({ world }, grant, { isLost }) => refresh(world, grant, isLost)),
  withGrant('refreshInTwoTabs', { isFirst: isTrue }, ({ world }, grant, { isFirst }) =>
    refreshInTwoTabs(world, grant, isFirst),
  ),
  withGrant(
    'replayRefresh',
    { ms: fc.constantFrom(0, 20 * second, 40 * second) },
    ({ world }, grant, { ms }) => replayRefresh(world, grant, ms),
  ),
  withGrant('act', {}, ({ world }, grant) => act(world, grant)),
  withGrant('signOut', {}, ({ world }, grant) => signOut(world, grant)),
  withGrant('stealTokens', {}, async ({ world, attacker }, grant) => {
    world.grants.splice(world.grants.indexOf(grant), 1)
    await attacker.tryTokens(grant)
  }),
]

const push = step(
  'push',
  { n: pick, hint: fc.option(fc.nat({ max: 3 })), scope, sender },
  async ({ world, attacker }, { n, hint, scope, sender }) => {
    const accounts = [...world.people.map(({ account }) => account), world.attacker]
    await attacker.push(
      at(world.programs, n),
      hint === null ? undefined : at(accounts, hint).handle,
      scope,
      sender,
    )
  },
)

const attacks = [
  push,
  step('wait', { n: recent, sender }, async ({ attacker }, { n, sender }) => attacker.wait(n, sender), hasId),
  step(
    'snoop',
    { n: recent, sender, isSignedIn: isTrue },
    async ({ attacker }, { n, sender, isSignedIn }) => attacker.snoop(n, sender, isSignedIn),
    hasId,
  ),
  step('list', {}, async ({ attacker }) => attacker.list()),
  step(
    'decide',
    { n: recent, isAllowed: isTrue, isInWindow: isTrue, number: fc.integer({ min: 10, max: 99 }) },
    async ({ attacker }, { n, isAllowed, isInWindow, number }) =>
      attacker.decide(n, isAllowed, isInWindow, number),
    hasId,
  ),
  step(
    'lure',
    { n: recent, person: recent, isInWindow: isTrue },
    async ({ world, attacker }, { n, person, isInWindow }) =>
      attacker.lure(n, at(world.people, person), isInWindow),
    hasForged,
  ),
  step('replayCodes', {}, async ({ attacker }) => attacker.replayCodes(), hasForged),
  step(
    'refreshOwn',
    { n: recent },
    async ({ attacker }, { n }) => attacker.refreshOwn(n),
    ({ attacker }) => attacker.stolen.length > 0,
  ),
  step('guess', { n: recent }, async ({ world, attacker }, { n }) => guess(world, attacker, n)),
  step(
    'overhearId',
    { n: recent },
    async (scene, { n }) => {
      const flow: Flow = newest(openFlows(scene), n)
      if (flow.id !== '' && flow.hasHint) await scene.attacker.learn(flow.id)
    },
    hasFlow,
  ),
  step(
    'overhearCode',
    { n: recent },
    async (scene, { n }) => {
      newest(openFlows(scene), n).isOverheard = true
      overheard.onCode = (flow, code) => scene.attacker.tryCode(flow, code)
    },
    hasFlow,
  ),
]

/** Attacks that are repeated after each step of each sign-in. */
const standing = step(
  'repeat',
  {
    attack: fc.constantFrom('nothing', 'snoop', 'list and decide', 'list and deny', 'push and wait'),
    n: recent,
    sender,
  },
  async ({ world, attacker }, { attack, n, sender }) => {
    world.standing = {
      nothing: async () => {},
      snoop: () => attacker.snoop(n, sender, false),
      'list and decide': async () => {
        await attacker.list()
        await attacker.decide(n, true, true, 10)
      },
      'list and deny': async () => {
        await attacker.list()
        await attacker.decide(n, false, true, 10)
      },
      'push and wait': async () => {
        await attacker.push(at(world.programs, n), at(world.people, n).account.handle, 'atproto', sender)
        await attacker.wait(0, sender)
      },
    }[attack]
  },
)

const circumstances = [
  step(
    'pass',
    { ms: fc.constantFrom(5 * second, 20 * second, 40 * second, 6 * minute, 61 * minute) },
    async ({ world }, { ms }) => {
      await server.elapse(ms)
      // People sleep longer than a minute without blame for the server.
      if (ms < minute) return
      for (const flow of world.flows) flow.spentMs = 0
      await world.signIn()
    },
  ),
  step('restart', {}, async () => server.restart()),
]

export const commands = fc.commands(
  [
    ...honest,
    ...honest,
    ...honest,
    ...signedIn,
    push,
    push,
    ...attacks,
    standing,
    standing,
    ...circumstances,
  ],
  {
    maxCommands: 60,
    size: 'max',
  },
)

/** At the end all sign-ins that people began succeed. */
export async function finish({ world }: Scene): Promise<void> {
  if (!world.enforces('progress')) return
  for (const flow of world.flows) {
    flow.spentMs = 0
    while (flow.stage !== 'done' && flow.spentMs <= minute) await continueSignIn(world, flow, false)
  }
}
