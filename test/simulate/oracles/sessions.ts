/** Tokens of open sessions work, those of ended ones are refused, and an account has no other sessions. */
import { Violation } from '../acts/act.ts'
import { refresh, timedCall, workingToken } from '../acts/sessions.ts'
import { type Person, statusOf } from '../model/person.ts'
import type { SignIn } from '../model/sign-in.ts'
import type { World } from '../world/world.ts'

export async function checkSessions(world: World): Promise<void> {
  for (const person of world.accounts) {
    const isTakenDown = statusOf(person)?.isTakenDown
    if (isTakenDown) await refuseSignIn(world, person, 'AccountTakedown')
    else await checkAppPasswords(world, person, await workingToken(world, person))
    for (const signIn of person.signIns) await checkTokens(world, person, signIn)
    if (isTakenDown) continue
    await checkList(world, person)
    // Those that have ended were seen to be refused.
    person.signIns = person.signIns.filter(({ isOpen }) => isOpen !== 'no')
  }
}

export async function refuseSignIn(world: World, person: Person, error: string): Promise<void> {
  for (const password of person.passwords) {
    const input = { identifier: person.did, password }
    const { status, body } = await world.call(person.machine, 'com.atproto.server.createSession', { input })
    if (body?.error !== error && body?.error !== 'AuthenticationRequired')
      throw new Violation(`sign-in of ${person.name} → ${status} ${body?.error} instead of ${error}`)
  }
}

async function checkAppPasswords(world: World, person: Person, token: string): Promise<void> {
  const { machine, name } = person
  const { status, body } = await world.call(machine, 'com.atproto.server.listAppPasswords', { token })
  if (status !== 200) throw new Violation(`app passwords of ${name} → ${status} ${body?.error}`)
  const found = new Set<string>(body.passwords.map((listed: { name: string }) => listed.name))
  for (const appPassword of person.appPasswords) {
    const isFound = found.delete(appPassword.name)
    if (appPassword.exists === (isFound ? 'no' : 'yes'))
      throw new Violation(`${name} ${isFound ? 'still has' : 'has lost'} ${appPassword.name}`)
    appPassword.exists = isFound ? 'yes' : 'no'
    if (isFound) continue
    for (const signIn of person.signIns) if (signIn.appPassword === appPassword) signIn.end('no')
  }
  if (found.size > 0) throw new Violation(`${name} has ${[...found].join(', ')}`)
}

/** Uses the access token, or the refresh token if the former has expired. */
async function checkTokens(world: World, person: Person, signIn: SignIn): Promise<void> {
  const { machine, name } = person
  if (signIn.isListening && signIn.isOpen === 'no')
    throw new Violation(`session ${signIn.id} of ${name} has ended, and its stream of notifications goes on`)
  const token = signIn.access.jwt
  const { status, body, at } = await timedCall(world, machine, 'com.atproto.server.getSession', { token })
  const expected = signIn.accessWorks(at)
  const words = `session ${signIn.id} of ${name} → ${status} ${body?.error ?? ''}`
  if (status !== 200 && body?.error !== 'ExpiredToken') throw new Violation(words)
  if (expected === (status === 200 ? 'no' : 'yes'))
    throw new Violation(`${words}, but its access token ${expected === 'no' ? 'has ended' : 'lives'}`)
  if (status === 200) signIn.isOpen = 'yes'
  else if (signIn.isOpen !== 'yes' || signIn.lives(at) !== 'yes') {
    const renewed = await refresh(world, person, signIn, signIn.newest)
    if (renewed === 200) return
    if (signIn.isOpen !== 'no' && signIn.tokens.get(signIn.newest)?.maybeReplaced) forget(person, signIn)
    else signIn.end('no')
  }
}

/** The answer with its newest tokens was lost: it may be open. */
function forget(person: Person, signIn: SignIn): void {
  person.signIns = person.signIns.filter((other) => other !== signIn)
  person.lostSignIns++
}

/** Compares the list of sessions with the model. */
async function checkList(world: World, person: Person): Promise<void> {
  const { machine, name, access: token } = person
  const { status, body, at } = await timedCall(world, machine, 'com.atproto.server.listSessions', { token })
  if (status !== 200) throw new Violation(`sessions of ${name} → ${status} ${body?.error}`)
  const own = body.sessions.filter(({ openedWith }: { openedWith: string }) => openedWith !== 'oauth')
  const found = new Set<string>(own.map(({ id }: { id: string }) => id))
  for (const signIn of person.signIns) {
    const isFound = found.delete(signIn.id)
    if (signIn.lives(at) === (isFound ? 'no' : 'yes'))
      throw new Violation(`session ${signIn.id} of ${name} is ${isFound ? 'still' : 'not'} in the list`)
  }
  if (found.size > person.lostSignIns)
    throw new Violation(`${name} has ${found.size} unknown sessions: ${[...found].join(', ')}`)
  person.lostSignIns = found.size
}
