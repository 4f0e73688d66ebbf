/** Sign-in, refresh and sign-out. */
import type { Random } from '../../support/replicas/random.ts'
import { mayBeTakenDown, type Person } from '../model/person.ts'
import { type AppPassword, SignIn } from '../model/sign-in.ts'
import { type Span, timed } from '../model/time-span.ts'
import type { Machine } from '../world/machine.ts'
import type { Answer, CallOptions, World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { holders } from './choose.ts'

/** Sessions that a person keeps at most. */
const most = 6

/** For the calls of a check. */
const soonMs = 10 * 60_000

/** Whether a call may have had its effect, and may have had none. */
export const isLost = ({ status }: Answer) => status === 0 || status >= 500

/** Calls a method. @returns the answer, and when the server gave it */
export function timedCall(
  world: World,
  machine: Machine,
  nsid: string,
  options: CallOptions,
): Promise<Answer & { readonly at: Span }> {
  return timed(machine, () => world.call(machine, nsid, options))
}

/** Signs in with a password of the account, or with an app password. @returns the session; undefined if it was refused or lost */
export async function openSession(
  world: World,
  person: Person,
  password: string,
  appPassword?: AppPassword,
): Promise<{ readonly signIn: SignIn | undefined; readonly status: number }> {
  const { machine, did, name } = person
  const input = { identifier: did, password }
  const signIn = () => timedCall(world, machine, 'com.atproto.server.createSession', { input })
  const first = await signIn()
  const needsCode = first.body?.error === 'AuthFactorTokenRequired' && person.factor !== 'none'
  const answer = needsCode && (await removeFactors(world, person)) ? await signIn() : first
  const { status, body, at } = answer
  if (isLost(answer)) person.lostSignIns++
  else if (status !== 200 && status !== 401)
    throw new Violation(`${machine.name}: sign-in of ${name} → ${status} ${JSON.stringify(body)}`)
  if (status !== 200) return { signIn: undefined, status }
  const opened = new SignIn(body, at, appPassword)
  person.signIns.push(opened)
  return { signIn: opened, status }
}

/** The administrator removes second factors whose codes are lost. @returns whether there are none */
async function removeFactors(world: World, person: Person): Promise<boolean> {
  const input = { did: person.did }
  const { status } = await world.call(person.machine, 'com.core.admin.removeSecondFactors', {
    ...{ input, isAdmin: true },
  })
  if (status === 200) person.factor = 'removed'
  return status === 200
}

/** Signs in with the password of the account, which may be one of two. */
export async function signInAgain(world: World, person: Person): Promise<number> {
  for (const password of person.passwords) {
    const { signIn, status } = await openSession(world, person, password)
    if (signIn) Object.assign(person, { current: signIn, passwords: [password] })
    if (status !== 401) return status
  }
  // It moves, or calls as before, while a take-down is not known to its holder.
  if (mayBeTakenDown(person)) return 401
  throw new Violation(`${person.name} cannot sign in with the password`)
}

/** Refreshes a session by one of its refresh tokens, and compares the answer with what must be true of the token. */
export async function refresh(world: World, person: Person, signIn: SignIn, used: string): Promise<number> {
  const { machine, name } = person
  const token = signIn.tokens.get(used)?.jwt ?? ''
  const answer = await timedCall(world, machine, 'com.atproto.server.refreshSession', { token, input: {} })
  const { status, body, at } = answer
  const words = `${machine.name}: refresh of ${name} → ${status} ${body?.error ?? ''}`
  const expected = signIn.refreshWorks(used, at)
  if (isLost(answer)) signIn.lostRefresh(used, at)
  else if (status === 200) {
    if (expected === 'no') throw new Violation(`${words} by a token that has ended`)
    const broken = signIn.refreshed(used, body, at)
    if (broken !== undefined) throw new Violation(`${words}: ${broken}`)
    signIn.isOpen = 'yes'
  } else {
    // An import that was not activated is deleted after a while.
    const isOfDeleted = person.importedAt !== undefined && body?.error === 'AccountNotFound'
    if (!isOfDeleted && (expected === 'yes' || body?.error !== 'ExpiredToken'))
      throw new Violation(`${words}, ${body?.message}, by a token that lives`)
    if (used === signIn.newest) signIn.end('maybe')
  }
  return status
}

/** Refreshes the tokens of a person, or signs in anew if the session has ended. Call it when the server runs. @returns the access token */
export async function freshToken(world: World, person: Person): Promise<string> {
  const status = await renew(world, person)
  if (status !== 200) throw new Violation(`${person.name} gets no session: ${status}`)
  return person.access
}

/** As `freshToken`, but returns the token that the person has if it surely works for a while. */
export async function workingToken(world: World, person: Person): Promise<string> {
  const now = world.time.clock.now().getTime()
  const works = person.current.accessWorks({ from: now, to: now + soonMs })
  return works === 'yes' ? person.access : freshToken(world, person)
}

/** As `freshToken`, at any time. @returns the status of the answer */
export async function renew(world: World, person: Person): Promise<number> {
  const { current } = person
  const status = await refresh(world, person, current, current.newest)
  return status === 400 ? signInAgain(world, person) : status
}

function anySession(world: World, random: Random): { person: Person; signIn: SignIn } | undefined {
  const person = holders(world, random)
  return person && { person, signIn: random.pick(person.signIns) }
}

export const signIn: Act = {
  weight: 2,
  async run(world, random) {
    const person = holders(world, random)
    if (!person) return undefined
    const { machine, name } = person
    const isFull = person.signIns.filter(({ isOpen }) => isOpen !== 'no').length >= most
    const appPassword = random.chance(0.5)
      ? person.appPasswords.find(({ exists, password }) => exists === 'yes' && password !== undefined)
      : undefined
    if (isFull) return undefined
    if (!appPassword) return `${machine.name}: sign-in of ${name} → ${await signInAgain(world, person)}`
    const { status } = await openSession(world, person, appPassword.password ?? '', appPassword)
    if (status === 401) throw new Violation(`${name} cannot sign in with ${appPassword.name}`)
    return `${machine.name}: sign-in of ${name} with ${appPassword.name} → ${status}`
  },
}

export const refreshSession: Act = {
  weight: 4,
  async run(world, random) {
    const session = anySession(world, random)
    if (!session) return undefined
    const { person, signIn } = session
    const used = random.chance(0.6) ? signIn.newest : random.pick([...signIn.tokens.keys()])
    const status = await refresh(world, person, signIn, used)
    const age = used === signIn.newest ? 'a new' : 'an old'
    return `${person.machine.name}: refresh of ${person.name} by ${age} token → ${status}`
  },
}

export const signOut: Act = {
  weight: 1,
  async run(world, random) {
    const session = anySession(world, random)
    if (!session) return undefined
    const { person, signIn } = session
    const { machine, name } = person
    const token = random.chance(0.5) ? signIn.access.jwt : signIn.refreshJwt
    const answer = await world.call(machine, 'com.atproto.server.deleteSession', { token, input: {} })
    const { status, body } = answer
    const words = `${machine.name}: sign-out of ${name} → ${status}`
    if (isLost(answer)) signIn.end('maybe')
    else if (status === 200) signIn.end('no')
    else throw new Violation(`${words} ${JSON.stringify(body)}`)
    return words
  },
}
