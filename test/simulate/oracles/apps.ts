/** Apps have the tokens that accounts have allowed, and no others. Those of revoked grants work nowhere. */
import { Violation } from '../acts/act.ts'
import { isTokenRefused } from '../acts/app-calls.ts'
import { refreshGrantBy } from '../acts/apps.ts'
import { timedCall, workingToken } from '../acts/sessions.ts'
import type { Grant } from '../model/grant.ts'
import { mayBeTakenDown, type Person } from '../model/person.ts'
import type { World } from '../world/world.ts'

interface Listed {
  readonly id: string
  readonly openedWith: string
  readonly app: string
  readonly scope: string
}

export async function checkApps(world: World): Promise<void> {
  for (const person of world.people) {
    if (!mayBeTakenDown(person)) await checkList(world, person)
    for (const grant of person.grants) await checkTokens(world, person, grant)
    // Those that have ended were seen to be refused.
    person.grants = person.grants.filter(({ isOpen }) => isOpen !== 'no')
  }
  for (const person of world.deleted)
    for (const grant of person.grants.slice(-2)) await refuse(world, person, grant)
}

/** Compares the list of grants with the model, which then knows which ones there are. */
async function checkList(world: World, person: Person): Promise<void> {
  const { machine, name, grants } = person
  const token = await workingToken(world, person)
  const { status, body, at } = await timedCall(world, machine, 'com.core.server.listSessions', { token })
  if (status !== 200) throw new Violation(`apps of ${name} → ${status} ${body?.error}`)
  const listed: readonly Listed[] = body.sessions
  const found = new Map(listed.filter(({ openedWith }) => openedWith === 'oauth').map((one) => [one.id, one]))
  for (const { scope, app } of found.values())
    if (!world.apps.some((one) => one.scope === scope && one.clientId === app))
      throw new Violation(`${name} has allowed ${app}: ${scope}`)
  for (const grant of grants) {
    const isFound = found.delete(grant.id)
    const expected = grant.exists(at)
    if (expected === (isFound ? 'no' : 'yes'))
      throw new Violation(
        `the grant ${grant.id} of ${grant.app.name} of ${name} is ${isFound ? 'still' : 'not'} there`,
      )
    if (isFound) grant.isOpen = 'yes'
    else grant.end('no')
  }
  if (found.size > person.lostGrants)
    throw new Violation(`${name} has ${found.size} unknown grants: ${[...found.keys()].join(', ')}`)
  person.lostGrants = found.size
}

/** Uses the access token, or the refresh token if the former has expired. */
async function checkTokens(world: World, person: Person, grant: Grant): Promise<void> {
  const { machine, name } = person
  const { app, access } = grant
  const answer = await app.call(world, machine, 'com.atproto.server.getSession', { token: access.jwt })
  const { status, body } = answer
  const words = `grant ${grant.id} of ${app.name} of ${name} →`
  if (!isTokenRefused(grant, answer, words)) {
    if (status !== 200 || body.did !== person.did) throw new Violation(`${words} ${status} ${body?.error}`)
    if ('email' in body) throw new Violation(`${words} the app sees the email address`)
    return
  }
  await refreshGrantBy(world, person, grant, { used: grant.newest, app })
}

/** The account was deleted. */
async function refuse(
  world: World,
  { machine, name }: Person,
  { app, access, tokens }: Grant,
): Promise<void> {
  const called = await app.call(world, machine, 'com.atproto.server.getSession', { token: access.jwt })
  const refreshed = await app.post(world, machine, '/oauth/token', {
    ...{ grant_type: 'refresh_token', refresh_token: tokens.at(-1)?.text ?? '' },
  })
  if (called.status !== 401 || refreshed.body?.error !== 'invalid_grant')
    throw new Violation(
      `${app.name} of ${name}, which is deleted → ${called.status}, refresh ${refreshed.status} ${refreshed.body?.error}`,
    )
}
