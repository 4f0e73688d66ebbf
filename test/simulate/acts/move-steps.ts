/** The next step of a move that one of the servers makes, as its holder or the administrator controls it. */
import { addressOf } from '../model/mail.ts'
import { addCopy, arrive, copyAt, type Move, mayBeDeleted, removeCopy } from '../model/move.ts'
import type { Person } from '../model/person.ts'
import { SignIn } from '../model/sign-in.ts'
import { timed } from '../model/time-span.ts'
import { notifiedOf } from '../oracles/notified.ts'
import type { Answer, World } from '../world/world.ts'
import { Violation } from './act.ts'
import { clientStep } from './move-client.ts'
import { callAs } from './passwords.ts'
import { isLost, openSession, renew } from './sessions.ts'

/** Takes the next step. The servers of the move must run. @returns what happened, in words */
export async function stepOf(world: World, person: Person): Promise<string> {
  const { move } = person
  if (!move) return 'no move'
  for (const machine of [person.machine, move.to]) machine.moves++
  if (!move.hasBegun) await forgetDeleted(world, person, move)
  if (move.way === 'client') return clientStep(world, person, move)
  // The answer was lost, and the servers have made the whole move since: it cannot begin again.
  if (world.serverOf(person.did) === move.to.url) move.hasBegun = true
  const copy = copyAt(person, move.to)
  if (!move.hasBegun) return begin(world, person, move)
  if (!copy) return signInThere(world, person, move)
  const driver = move.way === 'in' ? copy : person
  const answer = await readMove(world, driver, move)
  const view = answer.body?.move
  if (answer.status !== 200) {
    if (!isLost(answer) && answer.body?.error !== 'ExpiredToken')
      throw new Violation(`the move of ${person.name} → ${answer.status} ${JSON.stringify(answer.body)}`)
    return `getMove → ${answer.status}`
  }
  if (!view) throw new Violation(`the move of ${person.name} to ${move.to.name} is lost`)
  move.isSigned = move.way === 'admin' || !view.canCancel || view.writesStopped
  const words = `${view.step} ${view.need ?? ''} ${view.error ?? ''}`
  if (view.endedAt === undefined) return `${words} → ${await goOn(world, person, move, view)}`
  settle(world, person, copy)
  return `${words}, it lives there`
}

/** Notes that the account of an earlier move was deleted at the new server, if it may be: this move has it created again. */
async function forgetDeleted(world: World, person: Person, { to }: Move): Promise<void> {
  const copy = copyAt(person, to)
  if (!copy || !mayBeDeleted(copy, to.now().getTime())) return
  const { body } = await world.call(to, 'com.atproto.admin.getSubjectStatus', {
    ...{ query: { did: person.did }, isAdmin: true },
  })
  if (body?.error === 'NotFound') removeCopy(person, copy)
}

/** The account lives at its new server: which notifications exist there is not known. */
export function settle(world: World, person: Person, copy: Person): void {
  if (world.serverOf(person.did) !== copy.machine.url)
    throw new Violation(`${person.name} has moved to ${copy.machine.name}, but not by the directory`)
  arrive(world, person, copy)
  copy.notified = new Map(
    [...notifiedOf(world, copy)].map(([uri, { cid, lines }]) => [
      uri,
      { cid, lines: new Set([...lines, '']) },
    ]),
  )
}

/** Whether the new server has no account any more, and would make this one its owner. */
export function isOwnerless({ body }: Answer): boolean {
  return String(body?.message).includes('New accounts are not accepted')
}

/** Starts the move. It may have begun, too, when the answer is lost: then the call is repeated. */
async function begin(world: World, person: Person, move: Move): Promise<string> {
  const { machine, did } = person
  const { way, to, handle, password } = move
  // A server signs in at the other one, or lets the account be created there.
  person.lostSignIns++
  if (way === 'in') {
    const answer = await timed(to, () =>
      world.call(to, 'com.core.move.moveIn', {
        input: {
          ...{ identifier: did, server: machine.url, password: person.passwords[0] },
          ...{ handle, newPassword: password },
        },
        isAdmin: true,
      }),
    )
    const { status, body, at } = answer
    if (status === 200) {
      move.hasBegun = true
      signedIn(world, person, move, new SignIn(body, at, undefined))
    }
    if (isLost(answer)) move.lostSignIns++
    if (isOwnerless(answer)) person.move = undefined
    return refusalOf(answer)
  }
  const input = { server: to.url, handle, password }
  const answer =
    way === 'out'
      ? await callAs(world, person, 'com.core.move.moveOut', input)
      : await world.call(machine, 'com.core.admin.moveAccount', { input: { did, ...input }, isAdmin: true })
  if (answer.status === 200) move.hasBegun = true
  if (isOwnerless(answer)) person.move = undefined
  const copy = copyAt(person, to)
  if (copy) copy.lostSignIns++
  return `${refusalOf(answer)}, ${await signInThere(world, person, move)}`
}

function refusalOf({ status, body }: Answer): string {
  return `begins → ${status} ${body?.error ?? ''} ${body?.message ?? ''}`
}

/** Opens a session of the holder at the new server, if the account is there. */
async function signInThere(world: World, person: Person, move: Move): Promise<string> {
  const { to, password } = move
  const copy = copyAt(person, to)
  if (copy) return `sign-in there → ${(await openSession(world, copy, password)).status}`
  const input = { identifier: person.did, password }
  const answer = await timed(to, () => world.call(to, 'com.atproto.server.createSession', { input }))
  const { status, body, at } = answer
  if (isLost(answer)) move.lostSignIns++
  if (status === 200) {
    signedIn(world, person, move, new SignIn(body, at, undefined))
    const created = copyAt(person, to)
    // That of the server that moves it.
    if (created) created.lostSignIns++
  }
  return `sign-in there → ${status}`
}

/** Notes a session at the new server. */
export function signedIn(world: World, person: Person, move: Move, signIn: SignIn): Person {
  const copy = copyAt(person, move.to)
  if (!copy) {
    // An account that was deleted there may come back.
    world.consumerOf(move.to).forget(person.did)
    return addCopy(person, move, signIn)
  }
  copy.signIns.push(signIn)
  copy.current = signIn
  return copy
}

async function readMove(world: World, driver: Person, { way }: Move): Promise<Answer> {
  const { machine, did } = driver
  const read = () =>
    way === 'admin'
      ? world.call(machine, 'com.core.admin.getMove', { query: { did }, isAdmin: true })
      : world.call(machine, 'com.core.move.getMove', { token: driver.access })
  const answer = await read()
  if (answer.body?.error !== 'ExpiredToken') return answer
  return (await renew(world, driver)) === 200 ? read() : answer
}

/** What `getMove` shows. */
interface MoveView {
  readonly need?: string
}

/** Gives a move what it needs. */
async function goOn(world: World, person: Person, move: Move, { need }: MoveView): Promise<string> {
  const { machine, did } = person
  const email = addressOf(person)
  const copy = copyAt(person, move.to)
  const code =
    need === 'code' && email !== undefined && machine.isRunning
      ? machine.codeTo(email, 'signPlcOperation')
      : undefined
  const old = move.way === 'in' ? person : copy
  const password = need === 'signIn' ? old?.passwords[0] : undefined
  if (need === 'signIn' && old) old.lostSignIns++
  const input = { ...(code !== undefined && { code }), ...(password !== undefined && { password }) }
  const driver = move.way === 'in' ? copy : person
  if (!driver) return ''
  if (code !== undefined) move.isSigned = true
  const answer =
    move.way === 'admin'
      ? await world.call(machine, 'com.core.admin.moveAccount', {
          input: { did, server: move.to.url, password: password ?? move.password },
          isAdmin: true,
        })
      : await callAs(world, driver, 'com.core.move.continueMove', input)
  const { status, body } = answer
  // The code is refused, so nothing is signed.
  if (code !== undefined && status === 400) move.isSigned = false
  const isExpected = status === 200 || isLost(answer) || ['MoveRefused', 'ExpiredToken'].includes(body?.error)
  if (!isExpected) throw new Violation(`${person.name} goes on → ${status} ${JSON.stringify(body)}`)
  return `${need === undefined ? 'again' : need} ${code ?? ''} → ${status} ${body?.message ?? ''}`
}
