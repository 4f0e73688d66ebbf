/** An account is active at one server, which its DID names. Moves that were signed end there, with everything. */
import { Violation } from '../acts/act.ts'
import { stepOf } from '../acts/move-steps.ts'
import { isDue } from '../acts/moves.ts'
import { timedCall } from '../acts/sessions.ts'
import { copyAt, mayBeDeleted, removeCopy } from '../model/move.ts'
import { mayBeTakenDown, type Person } from '../model/person.ts'
import { wordOf } from '../model/status.ts'
import type { World } from '../world/world.ts'

/** Steps after which a signed move is taken to hang, and the time between them. */
const [mostSteps, waitMs] = [30, 20_000]
/** The job that deletes it, and its look at the directory, take some minutes. */
const doneMs = 10 * 60_000

export async function checkMoves(world: World): Promise<void> {
  let hasArrived = false
  for (const person of [...world.people]) if (await finish(world, person)) hasArrived = true
  if (hasArrived) await world.rest()
  for (const person of world.people) {
    const { did, name, machine } = person
    if (world.serverOf(did) !== machine.url)
      throw new Violation(`${name} lives at ${machine.name}, but the directory names ${world.serverOf(did)}`)
    for (const copy of person.copies) await checkCopy(world, person, copy)
  }
}

/** Finishes a move that may be signed. @returns whether the account has moved */
async function finish(world: World, person: Person): Promise<boolean> {
  const { move, name } = person
  if (!move || (!move.isSigned && isDue(world, person))) return false
  const words: string[] = []
  for (let step = 0; step < mostSteps; step++) {
    // An account of an attempt whose answer was lost is found by another one.
    if (move.hasBegun && !move.isSigned && copyAt(person, move.to)) return false
    // The holder cannot sign in to begin it, until the take-down ends.
    if (!move.isSigned && mayBeTakenDown(person)) return false
    words.push(await stepOf(world, person))
    if (person.move !== move) return true
    await world.time.clock.advance(waitMs)
    await world.time.settle()
  }
  throw new Violation(`the move of ${name} to ${move.to.name} does not end: ${words.slice(-3).join('; ')}`)
}

/** It is deactivated, and deleted only when it must be. */
async function checkCopy(world: World, person: Person, copy: Person): Promise<void> {
  const { machine, did, name, importedAt } = copy
  const query = { did }
  const answer = await timedCall(world, machine, 'com.atproto.admin.getSubjectStatus', {
    ...{ query, isAdmin: true },
  })
  const { status, body, at } = answer
  const words = `the account of ${name} at ${machine.name}, which its DID does not name,`
  if (body?.error === 'NotFound') {
    if (!mayBeDeleted(copy, at.to)) throw new Violation(`${words} was deleted`)
    return removeCopy(person, copy)
  }
  if (status !== 200 || !body.deactivated.applied) throw new Violation(`${words} is ${JSON.stringify(body)}`)
  copy.statuses = copy.statuses.filter(
    (one) =>
      one.isSuspended === body.suspended.applied &&
      one.isTakenDown === body.takedown.applied &&
      !one.isDeleted,
  )
  const [first] = copy.statuses
  if (!first) throw new Violation(`${words} is ${JSON.stringify(body)}`)
  const isOver = copy.statuses.every(
    ({ deleteAfter }) => deleteAfter !== undefined && Date.parse(deleteAfter) + doneMs < at.from,
  )
  if (isOver) throw new Violation(`${words} should be deleted`)
  const { status: isLive, isUnknown: isMissed } = world.consumerOf(machine).accountOf(did)
  const expected = importedAt === undefined ? wordOf(first) : undefined
  const isUnknown = isLive === undefined || isLive === 'deleted'
  if (!isMissed && isLive !== expected && !(importedAt !== undefined && isUnknown))
    throw new Violation(`${words} is ${isLive} by the events`)
  const shown = await world.call(machine, 'app.bsky.actor.getProfile', { query: { actor: did } })
  if (shown.status === 200) throw new Violation(`${words} is shown`)
}
