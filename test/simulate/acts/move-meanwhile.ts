/** Writes at the old server while the identity may change at any time. */
import type { Person } from '../model/person.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { post } from './drafts.ts'
import { stepOf } from './move-steps.ts'
import { moveAccount, movingPerson } from './moves.ts'
import { callAs } from './passwords.ts'
import { creation, keyOf } from './records.ts'
import { leftBy, type Write } from './send-writes.ts'
import { isLost } from './sessions.ts'

export const writeWhileMoving: Act = {
  weight: 2,
  async run(world, random) {
    const moving = world.people.filter(({ move, machine }) => move?.isSigned && machine.isRunning)
    const person = moving.length > 0 ? random.pick(moving) : undefined
    const draft = person && creation(world, random, person)
    return draft?.rkey === undefined ? undefined : write(world, person as Person, draft)
  },
}

/** Milliseconds of delay between servers, and the longest time between two looks; how many there are. */
const [delayMs, pauseMs, looks] = [500, 1500, 12]

/** Begins a move, or takes its next step, between servers that are far from each other, and writes when the identity has just changed. */
export const writeDuringStep: Act = {
  weight: 2,
  async run(world, random) {
    slowAll(world, delayMs)
    const person = movingPerson(world, random)
    const begun = person ? await stepOf(world, person) : await moveAccount.run(world, random)
    const mover = person ?? world.people.find(({ move }) => move)
    const words = [`${mover?.name} moves slowly: ${begun}`]
    for (let look = 0; look < looks && mover?.move && mover.machine.isRunning; look++) {
      await world.time.clock.advance(random.below(pauseMs))
      const isSoon = world.serverOf(mover.did) === mover.machine.url && !random.chance(0.1)
      if (isSoon || !mover.machine.isRunning) continue
      const value = { $type: post, text: 'moving', createdAt: world.time.clock.now().toISOString() }
      const draft = { action: 'create', collection: post, rkey: keyOf(world), value } as const
      words.push(await write(world, mover, draft))
    }
    slowAll(world, 0)
    return mover && words.join('; ')
  },
}

function slowAll({ machines, wire }: World, ms: number): void {
  for (const one of machines) for (const other of machines) wire.slow(one.name, other.name, ms)
}

/** Creates a record. @returns what happened, in words */
async function write(world: World, person: Person, draft: Write): Promise<string> {
  const { machine, did: repo, name, history, records, move } = person
  const { collection, rkey, value: record } = draft
  // A record that is written after the identity has changed may stay behind.
  const isHere = () => world.serverOf(repo) === machine.url
  const wasHere = isHere()
  const input = { repo, collection, rkey, record }
  const answer = await callAs(world, person, 'com.atproto.repo.createRecord', input)
  const left = leftBy(draft, undefined)
  const words = `${machine.name}: ${name} writes ${left.path} while moving → ${answer.status} ${answer.body?.error ?? ''}`
  const isStopped = !wasHere && (move?.way === 'out' || move?.way === 'admin')
  if (answer.status === 200 && isStopped) throw new Violation(`${words}, after its last copy`)
  if (answer.status === 200 && wasHere && isHere()) {
    history.made([left], answer.body.commit)
    if (left.stored) records.set(left.path ?? '', left.stored)
  } else if (answer.status === 200 || isLost(answer)) history.lost([left])
  return words
}
