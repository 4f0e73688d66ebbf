/** Calls of apps: they write what their scope permits, and try what it does not. */
import type { Random } from '../../support/replicas/random.ts'
import type { Grant } from '../model/grant.ts'
import { isWith, type Person } from '../model/person.ts'
import type { App, TimedAnswer } from '../world/app.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { anyGrant, refreshGrantBy } from './apps.ts'
import { creation, deletion } from './records.ts'
import { inputOf, judge, type Request, type Write, wordsOf } from './send-writes.ts'
import { isLost } from './sessions.ts'

/** Whether a token was refused. @throws Violation if it must work, or works although it must not */
export function isTokenRefused(grant: Grant, { status, body, at }: TimedAnswer, words: string): boolean {
  const isRefused = status === 401 && body?.error === 'invalid_token'
  const expected = grant.accessWorks(at)
  if (isRefused ? expected === 'yes' : expected === 'no')
    throw new Violation(`${words} ${status} ${body?.error ?? ''}: its access token works is ${expected}`)
  return isRefused
}

/** A record to be created, or deleted. */
export function drafted(world: World, random: Random, author: Person): Request | undefined {
  const isDeletion = random.chance(0.25)
  const write: Write | undefined = isDeletion
    ? deletion(world, random, author)
    : creation(world, random, author)
  return write && { method: isDeletion ? 'deleteRecord' : 'createRecord', writes: [write] }
}

export const writeAsApp: Act = {
  weight: 4,
  async run(world, random) {
    const found = anyGrant(world, random)
    const request = found && isWith(found.person, 'active') ? drafted(world, random, found.person) : undefined
    if (!found || !request) return undefined
    const { person, grant } = found
    const { app, access } = grant
    const answer = await app.call(world, person.machine, `com.atproto.repo.${request.method}`, {
      ...{ token: access.jwt, input: inputOf(person, request) },
    })
    const { status, body } = answer
    const words = `${wordsOf(person, request)} by ${app.name}`
    const isPermitted = request.writes.every(({ collection, action }) => app.mayWrite(collection, action))
    if (isLost(answer) && !isPermitted) return `${words} → ${status}`
    if (!isLost(answer) && isTokenRefused(grant, answer, words))
      return `${words} → ${await renew(world, person, grant)}`
    if (isPermitted) return judge(world, person, { request, answer, words })
    if (body?.error !== 'ScopeMissingError') throw new Violation(`${words} → ${status} ${body?.error ?? ''}`)
    return `${words} → ${body.error}`
  },
}

async function renew(world: World, person: Person, grant: Grant): Promise<string> {
  const status = await refreshGrantBy(world, person, grant, { used: grant.newest, app: grant.app })
  return `invalid_token, refresh ${status}`
}

interface Forbidden {
  readonly nsid: string
  readonly input?: object
  readonly query?: Readonly<Record<string, string>>
}

/** Calls that no scope of these apps permits. */
const forbidden: readonly ((world: World, person: Person) => Forbidden)[] = [
  () => ({ nsid: 'com.atproto.server.createAppPassword', input: { name: 'stolen' } }),
  () => ({ nsid: 'com.atproto.server.deactivateAccount', input: {} }),
  () => ({ nsid: 'com.core.server.listSessions' }),
  ({ counter }, { machine: { domain } }) => ({
    nsid: 'com.atproto.identity.updateHandle',
    input: { handle: `stolen${counter}.${domain}` },
  }),
  () => ({
    nsid: 'com.atproto.server.getServiceAuth',
    query: { aud: 'did:web:chat.test', lxm: 'chat.bsky.convo.listConvos' },
  }),
]

/** Calls what no scope permits, or with the token of another app. */
export const trespassAsApp: Act = {
  weight: 1,
  async run(world, random) {
    const found = anyGrant(world, random)
    if (!found || !isWith(found.person, 'active')) return undefined
    const { person, grant } = found
    const app: App = random.chance(0.7) ? grant.app : random.pick(world.apps)
    const { nsid, ...call } = random.pick(forbidden)(world, person)
    const answer = await app.call(world, person.machine, nsid, { ...call, token: grant.access.jwt })
    const { status, body } = answer
    const words = `${person.machine.name}: ${app.name} calls ${nsid} by the token of ${grant.app.name} of ${person.name} → ${status} ${body?.error ?? ''}`
    if (isLost(answer)) return words
    if (app !== grant.app ? body?.error !== 'invalid_token' : status < 400) throw new Violation(words)
    if (app === grant.app && !isTokenRefused(grant, answer, words) && status !== 403)
      throw new Violation(words)
    return words
  },
}
