/** App passwords, and changes of the password. */

import type { Random } from '../../support/replicas/random.ts'
import { addressOf, closeCodes } from '../model/mail.ts'
import type { Person } from '../model/person.ts'
import type { AppPassword, Limit } from '../model/sign-in.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { holders, homes } from './choose.ts'
import { isLost, renew } from './sessions.ts'

/** App passwords that a person keeps at most. */
const most = 3

/** Calls a method with the password's session, whose access token is renewed if it has expired. */
export async function callAs(world: World, person: Person, nsid: string, input: object = {}) {
  const call = () => world.call(person.machine, nsid, { input, token: person.access })
  const answer = await call()
  if (answer.body?.error !== 'ExpiredToken' || answer.status !== 400) return answer
  return (await renew(world, person)) === 200 ? call() : answer
}

export const createAppPassword: Act = {
  weight: 1,
  async run(world, random) {
    const person = homes(world, random)
    return person && addAppPassword(world, person, random.chance(0.5))
  },
}

/** @returns what happened, in words; undefined if the person has as many as it may */
export async function addAppPassword(
  world: World,
  person: Person,
  isPrivileged: boolean,
  limit?: Limit,
): Promise<string | undefined> {
  person.appPasswords = person.appPasswords.filter(({ exists }) => exists !== 'no')
  if (person.appPasswords.length >= most) return undefined
  const input = { name: `app ${world.counter++}`, privileged: isPrivileged, limit }
  const answer = await callAs(world, person, 'com.atproto.server.createAppPassword', input)
  const { status, body } = answer
  const words = `${person.machine.name}: ${input.name} of ${person.name} → ${status} ${body?.error ?? ''}`
  if (status === 200 || isLost(answer)) {
    const exists = status === 200 ? 'yes' : 'maybe'
    person.appPasswords.push({ name: input.name, password: body?.password, isPrivileged, limit, exists })
  } else if (body?.error !== 'ExpiredToken') throw new Violation(words)
  return words
}

/** Ends the sessions of an app password. */
export const revokeAppPassword: Act = {
  weight: 1,
  async run(world, random) {
    const person = holders(world, random)
    if (!person || person.appPasswords.length === 0) return undefined
    const appPassword = random.pick(person.appPasswords)
    const { name } = appPassword
    const answer = await callAs(world, person, 'com.atproto.server.revokeAppPassword', { name })
    const { status, body } = answer
    const words = `${person.machine.name}: revokes ${name} of ${person.name} → ${status} ${body?.error ?? ''}`
    if (status === 200) revoked(person, appPassword, 'no')
    else if (isLost(answer)) revoked(person, appPassword, 'maybe')
    else if (body?.error !== 'ExpiredToken') throw new Violation(words)
    return words
  },
}

function revoked(person: Person, appPassword: AppPassword, how: 'no' | 'maybe'): void {
  if (appPassword.exists !== 'no') appPassword.exists = how
  for (const signIn of person.signIns) if (signIn.appPassword === appPassword) signIn.end(how)
}

/** Ends all sessions, grants and codes of apps, for what an administrator does as well. */
export function endAll(person: Person, how: 'no' | 'maybe', kept?: Person['current']): void {
  for (const signIn of person.signIns) if (signIn !== kept) signIn.end(how)
  for (const grant of person.grants) grant.end(how)
  for (const code of person.codes) if (code.isOpen !== 'no') code.isOpen = how
  if (how === 'no') Object.assign(person, { lostSignIns: 0, lostGrants: 0 })
}

interface PasswordChange {
  readonly password: string
  /** `maybe`: the answer was lost. */
  readonly how: 'no' | 'maybe'
  readonly kept?: Person['current'] | undefined
}

/** Notes a change of the password: it ends what was open. */
export function passwordChanged(person: Person, { password, how, kept }: PasswordChange): void {
  endAll(person, how, kept)
  closeCodes(person, how)
  person.passwords = how === 'no' ? [password] : [password, ...person.passwords]
}

export const changePassword: Act = {
  weight: 1,
  async run(world, random) {
    const person = holders(world, random)
    return person && changePasswordOf(world, random, person)
  },
}

/** Changes the password by a mailed code, signed in or not, or by the administrator. @returns what happened, in words */
export async function changePasswordOf(world: World, random: Random, person: Person): Promise<string> {
  const { machine, did, name } = person
  const password = `password ${world.counter++} of ${name}`
  const isAdmin = random.chance(0.3)
  const isSignedIn = !isAdmin && random.chance(0.5)
  const words = `${machine.name}: password of ${name}, by ${isAdmin ? 'the administrator' : 'a code'}${isSignedIn ? ', signed in' : ''}`
  if (isSignedIn && (await renew(world, person)) !== 200) return `${words}: no session`
  const code = isAdmin ? '' : await resetCode(world, person)
  if (code === undefined) return `${words}: no code`
  const answer = isAdmin
    ? await world.call(machine, 'com.atproto.admin.updateAccountPassword', {
        input: { did, password },
        isAdmin,
      })
    : await world.call(machine, 'com.atproto.server.resetPassword', {
        input: { token: code, password },
        ...(isSignedIn && { token: person.access }),
      })
  const { status, body } = answer
  if (status === 200 || isLost(answer)) {
    const how = status === 200 ? 'no' : 'maybe'
    passwordChanged(person, { password, how, kept: isSignedIn ? person.current : undefined })
  } else if (body?.error !== 'ExpiredToken') throw new Violation(`${words} → ${status} ${body?.error}`)
  return `${words} → ${status} ${body?.error ?? ''}`
}

async function resetCode(world: World, person: Person): Promise<string | undefined> {
  const { machine } = person
  const email = addressOf(person)
  if (email === undefined) return undefined
  const before = machine.codeTo(email, 'resetPassword')
  await world.call(machine, 'com.atproto.server.requestPasswordReset', { input: { email } })
  await world.time.settle()
  const code = machine.isRunning ? machine.codeTo(email, 'resetPassword') : undefined
  return code === before ? undefined : code
}

/** Calls what the token of an app password does not permit. */
export const trespass: Act = {
  weight: 1,
  async run(world, random) {
    const person = holders(world, random)
    const signIn = person?.signIns.find(({ appPassword }) => appPassword && !appPassword.limit)
    if (!person || !signIn) return undefined
    const { machine, name } = person
    const isChat = random.chance(0.5)
    const token = signIn.access.jwt
    const query = { aud: 'did:web:chat.test', lxm: 'chat.bsky.convo.listConvos' }
    const { status, body } = isChat
      ? await world.call(machine, 'com.atproto.server.getServiceAuth', { token, query })
      : await world.call(machine, 'com.atproto.server.createAppPassword', {
          token,
          input: { name: 'stolen' },
        })
    const words = `${machine.name}: ${isChat ? 'chat' : 'app password'} by ${signIn.appPassword?.name} of ${name} → ${status} ${body?.error ?? ''}`
    const mayWork = isChat && signIn.appPassword?.isPrivileged
    const isRefused = body?.error === 'ExpiredToken' || status === 0 || status >= 500
    if (!isRefused && (mayWork ? status !== 200 : body?.error !== 'InvalidToken')) throw new Violation(words)
    return words
  },
}
