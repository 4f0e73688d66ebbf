/** App passwords with a limit: their sessions write what it permits, and nothing else. */
import type { Random } from '../../support/replicas/random.ts'
import type { Person } from '../model/person.ts'
import { type Limit, limits, type SignIn } from '../model/sign-in.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { drafted } from './app-calls.ts'
import { homes } from './choose.ts'
import { post } from './drafts.ts'
import { addAppPassword } from './passwords.ts'
import { inputOf, judge, type Write, wordsOf } from './send-writes.ts'
import { isLost, openSession, refresh, timedCall } from './sessions.ts'

function permits(limit: Limit, { action, collection }: Write): boolean {
  if (limit === 'readOnly' || action !== 'create') return false
  return limit === 'noDeletion' || collection === post
}

const isLimited = ({ appPassword, isOpen }: SignIn) => appPassword?.limit !== undefined && isOpen === 'yes'

/** Opens a session of a limited app password, unless there is one. */
async function limitedSession(world: World, random: Random, person: Person): Promise<SignIn | undefined> {
  const open = person.signIns.filter(isLimited)
  if (open.length > 0 && random.chance(0.8)) return random.pick(open)
  await addAppPassword(world, person, false, random.pick(limits))
  const added = person.appPasswords.findLast(({ limit, password }) => limit && password !== undefined)
  return added?.exists === 'yes'
    ? (await openSession(world, person, added.password ?? '', added)).signIn
    : undefined
}

export const writeLimited: Act = {
  weight: 1,
  async run(world, random) {
    const person = homes(world, random)
    const signIn = person && (await limitedSession(world, random, person))
    const limit = signIn?.appPassword?.limit
    const request = person && drafted(world, random, person)
    if (!limit || !request) return undefined
    // Renewed tokens have the same limit.
    if (random.chance(0.3)) await refresh(world, person, signIn, signIn.newest)
    const answer = await timedCall(world, person.machine, `com.atproto.repo.${request.method}`, {
      ...{ token: signIn.access.jwt, input: inputOf(person, request) },
    })
    const { status, body, at } = answer
    const words = `${wordsOf(person, request)} by ${signIn.appPassword?.name}, ${limit}`
    if (body?.error === 'ExpiredToken' && signIn.accessWorks(at) !== 'yes') return `${words} → ExpiredToken`
    if (request.writes.every((write) => permits(limit, write)))
      return judge(world, person, { request, answer, words })
    if (!isLost(answer) && body?.error !== 'ScopeMissingError')
      throw new Violation(`${words} → ${status} ${body?.error ?? ''}`)
    return `${words} → ${status} ${body?.error ?? ''}`
  },
}
