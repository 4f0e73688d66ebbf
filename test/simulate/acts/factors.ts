/** Second factors: an authenticator app is added, asked for at each sign-in, and removed. Each code counts once. */
import { TOTP } from 'otpauth'
import type { Person } from '../model/person.ts'
import { SignIn } from '../model/sign-in.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { homes } from './choose.ts'
import { callAs } from './passwords.ts'
import { isLost, timedCall } from './sessions.ts'

/** Thrown when an answer is lost: then it is unknown whether the account has a factor. */
const lost = new Error('An answer was lost.')

export const useFactor: Act = {
  weight: 1,
  async run(world, random) {
    const person = homes(world, random)
    if (!person || person.move || person.passwords.length > 1) return undefined
    const words = `${person.machine.name}: ${person.name} adds and removes an authenticator app`
    person.factor = 'maybe'
    try {
      await addAndRemove(world, person)
      person.factor = 'removed'
      return words
    } catch (error) {
      if (error !== lost) throw error
      return `${words}, an answer is lost`
    }
  },
}

/** @throws Violation, and `lost` */
async function addAndRemove(world: World, person: Person): Promise<void> {
  const [password] = person.passwords
  const { id, secret } = await call(world, person, 'startTotp', { password })
  await enter(world, person, undefined, 'opened')
  const code = new TOTP({ secret }).generate({ timestamp: person.machine.now().getTime() })
  const { recoveryCodes } = await call(world, person, 'confirmTotp', { id, name: 'phone', code })
  const [recoveryCode, other] = recoveryCodes
  await enter(world, person, undefined, 'AuthFactorTokenRequired')
  // It was used for the confirmation.
  await enter(world, person, code, 'InvalidToken')
  await enter(world, person, recoveryCode, 'opened')
  await enter(world, person, recoveryCode, 'InvalidToken')
  await call(world, person, 'removeFactor', { id, password }, 'AuthFactorTokenRequired')
  await call(world, person, 'removeFactor', { id, password, authFactorToken: other })
  await enter(world, person, undefined, 'opened')
}

/** @param refusal the error that is expected, if any @throws Violation, and `lost` */
async function call(world: World, person: Person, method: string, input: object, refusal?: string) {
  const answer = await callAs(world, person, `com.core.factor.${method}`, input)
  const { status, body } = answer
  if (isLost(answer) || body?.error === 'ExpiredToken') throw lost
  if (refusal === undefined ? status !== 200 : body?.error !== refusal)
    throw new Violation(`${person.machine.name}: ${method} of ${person.name} → ${status} ${body?.error}`)
  return body
}

/** Signs in with the password and a code, and compares what happens. */
async function enter(
  world: World,
  person: Person,
  code: string | undefined,
  expected: 'opened' | 'AuthFactorTokenRequired' | 'InvalidToken',
): Promise<void> {
  const { did, machine, name, passwords } = person
  const input = { identifier: did, password: passwords[0], authFactorToken: code }
  const answer = await timedCall(world, machine, 'com.atproto.server.createSession', { input })
  const { status, body, at } = answer
  if (isLost(answer)) person.lostSignIns++
  if (isLost(answer)) throw lost
  if (status === 200) person.signIns.push(new SignIn(body, at, undefined))
  const found = status === 200 ? 'opened' : body?.error
  if (found === expected) return
  const words = code === undefined ? 'without a code' : `with the code ${code}`
  throw new Violation(`${machine.name}: sign-in of ${name} ${words} → ${found} instead of ${expected}`)
}
