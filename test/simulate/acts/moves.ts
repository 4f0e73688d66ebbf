/** Accounts move to another server and back, in pieces, so that everything else happens in between. */
import type { Random } from '../../support/replicas/random.ts'
import { addressOf } from '../model/mail.ts'
import { copyAt, newMove, removeCopy, ways } from '../model/move.ts'
import { type Person, statusOf } from '../model/person.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { personWith } from './choose.ts'
import { stepOf } from './move-steps.ts'
import { callAs } from './passwords.ts'
import { isLost } from './sessions.ts'

const dayMs = 24 * 60 * 60_000

/** Begins a move. */
export const moveAccount: Act = {
  weight: 2,
  async run(world, random) {
    const far = new Date(world.time.clock.now().getTime() + 10 * dayMs).toISOString()
    const person = personWith(
      world,
      random,
      ({ isTakenDown, isSuspended, deleteAfter = far }) => !isTakenDown && !isSuspended && deleteAfter >= far,
    )
    const isKnown = person?.passwords.length === 1 && person.handles.length === 1
    if (!person || !isKnown || person.move || addressOf(person) === undefined) return undefined
    // The first account of a server is its owner's.
    const possible = world.machines.filter(
      (machine) => machine !== person.machine && world.accounts.some((one) => one.machine === machine),
    )
    if (possible.length === 0) return undefined
    const to = random.pick(possible)
    const copy = copyAt(person, to)
    const status = copy && statusOf(copy)
    if (!to.isRunning || (copy && !status) || status?.deleteAfter !== undefined) return undefined
    const way = random.pick(ways)
    const handle = copy?.handles[0] ?? `moved${world.counter++}.${to.domain}`
    const password = copy?.passwords[0] ?? `password of ${handle}`
    person.move = newMove(way, to, handle, password)
    return `${person.name} moves from ${person.machine.name} to ${to.name}, way ${way}: ${await stepOf(world, person)}`
  },
}

/** Whether the old server may have deleted an account at its date. */
export function isDue({ time }: World, { statuses, machine }: Person): boolean {
  const soon = time.clock.now().getTime() + 60 * 60_000 + machine.furthestMs
  return statuses.some(({ deleteAfter }) => deleteAfter !== undefined && Date.parse(deleteAfter) <= soon)
}

/** A person whose move can go on. */
export function movingPerson(world: World, random: Random): Person | undefined {
  const moving = world.people.filter(
    (person) => person.move?.to.isRunning && person.machine.isRunning && !isDue(world, person),
  )
  return moving.length > 0 ? random.pick(moving) : undefined
}

/** Goes on with a move, while something may fail. */
export const continueMove: Act = {
  weight: 8,
  async run(world, random) {
    const person = movingPerson(world, random)
    if (!person?.move) return undefined
    const { machine, move, name } = person
    const words = [`${name} goes on to move to ${move.to.name}`]
    if (random.chance(0.12)) {
      const [victim, after] = [random.pick([machine, move.to]), random.below(25)]
      const fault = random.pick(['kill', 'power cut', 'fails'] as const)
      victim.failSoon(after, fault)
      words.push(`"${fault}" of ${victim.name} in ${after} operations`)
    }
    if (random.chance(0.12)) {
      const [one, other] = random.pick([
        [machine.name, move.to.name],
        ['plc', move.to.name],
        ['outside', move.to.name],
      ] as const)
      const isCut = random.chance(0.5)
      if (isCut) world.wire.cutNext(one, other, random.below(3000))
      else world.wire.interrupt(one, other)
      words.push(`the link of ${one} and ${other} is ${isCut ? 'cut' : 'interrupted'}`)
    }
    words.push(await stepOf(world, person))
    return words.join(': ')
  },
}

/** Cancels a move, or gives it up without a word. */
export const abandonMove: Act = {
  weight: 1,
  async run(world, random) {
    const person = movingPerson(world, random)
    const { move, machine, name } = person ?? {}
    if (!person || !move?.hasBegun || move.isSigned) return undefined
    const copy = copyAt(person, move.to)
    const words = `${name} does not move to ${move.to.name} any more`
    const driver = move.way === 'in' ? copy : person
    const isByHolder = move.way === 'in' || move.way === 'out'
    person.move = undefined
    for (const one of [machine, move.to]) if (one) one.moves++
    if (!isByHolder || !driver || random.chance(0.3)) return words
    const answer = await callAs(world, driver, 'com.core.move.cancelMove')
    const { status, body } = answer
    if (move.way === 'in' && copy?.importedAt !== undefined) {
      if (status === 200) removeCopy(person, copy)
      else if (isLost(answer))
        copy.statuses = [...copy.statuses, ...copy.statuses.map((one) => ({ ...one, isDeleted: true }))]
    }
    const isExpected = status === 200 || isLost(answer) || body?.error === 'ExpiredToken'
    if (!isExpected) throw new Violation(`${words}, cancelMove → ${status} ${JSON.stringify(body)}`)
    return `${words}, cancelMove → ${status}`
  },
}
