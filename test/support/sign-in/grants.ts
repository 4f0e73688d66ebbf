/** What apps do that are signed in: they refresh, also twice and after a lost answer, act, and sign out. */
import { second } from '../server/clock.ts'
import type { Answer } from '../server/server.ts'
import { server } from '../server/setup.ts'
import type { Grant, World } from './world.ts'

/** Within it a repeated refresh must succeed, after the second it must fail. Between them either may happen. */
const [graceMs, pastMs] = [28 * second, 33 * second]

const nameOf = ({ at }: Grant) => `${at.program.name} of ${at.person.name}`

function drop(world: World, grant: Grant): void {
  world.grants.splice(world.grants.indexOf(grant), 1)
}

/** Refreshes once. @param isLost whether the answer does not arrive */
export async function refresh(world: World, grant: Grant, isLost: boolean): Promise<void> {
  const answer = await grant.at.app.refresh(grant.refresh)
  judge(world, grant, answer)
  if (!world.grants.includes(grant)) return
  if (isLost) grant.lostAt ??= world.time
  else accept(world, grant, answer)
}

/** Two tabs of an app refresh with the same token. Each keeps what it got; one of them refreshes next. */
export async function refreshInTwoTabs(world: World, grant: Grant, isFirst: boolean): Promise<void> {
  const { app } = grant.at
  const token = grant.refresh
  const answers = await Promise.all([app.refresh(token), app.refresh(token)])
  for (const answer of answers) if (world.grants.includes(grant)) judge(world, grant, answer)
  if (!world.grants.includes(grant)) return
  for (const { body } of answers) {
    const { status } = await app.call('com.atproto.server.getSession', body)
    if (status !== 200) return signedOut(world, grant, 'a tab cannot use its token')
  }
  accept(world, grant, answers[isFirst ? 0 : 1])
}

/** Checks the answer to a refresh with the newest token that the app has. */
function judge(world: World, grant: Grant, { status, body }: Answer): void {
  const agoMs = grant.lostAt === undefined ? 0 : world.time - grant.lostAt
  if (status !== 200) {
    if (agoMs <= graceMs) signedOut(world, grant, `the refresh is refused: ${JSON.stringify(body)}`)
    else drop(world, grant)
  } else if (agoMs > pastMs) world.break('replay', `${nameOf(grant)} repeated a refresh after ${agoMs} ms`)
  else if (body.sub !== grant.sub || body.scope !== grant.scope)
    world.break('scope', `a refresh gives ${body.scope} of ${body.sub}`)
}

function signedOut(world: World, grant: Grant, why: string): void {
  drop(world, grant)
  world.break('session', `${nameOf(grant)} is signed out, ${why}`)
}

function accept(world: World, grant: Grant, { body }: Answer): void {
  grant.previous = { token: grant.refresh, at: grant.lostAt ?? world.time }
  Object.assign(grant, { lostAt: undefined, access: body.access_token, refresh: body.refresh_token })
}

/** Sends the refresh token before the newest one again, with the right key. @param ms time that passes before */
export async function replayRefresh(world: World, grant: Grant, ms: number): Promise<void> {
  if (grant.lostAt !== undefined) return
  if (!grant.previous) await refresh(world, grant, false)
  server.clock.advance(ms)
  const { previous, at } = grant
  if (!previous) return
  const agoMs = world.time - previous.at
  if (agoMs > graceMs && agoMs <= pastMs) return
  const { status, body } = await at.app.refresh(previous.token)
  if (agoMs <= graceMs) {
    if (status !== 200) return signedOut(world, grant, 'a repeated refresh is refused')
    return void Object.assign(grant, { access: body.access_token, refresh: body.refresh_token })
  }
  if (status === 200) world.break('replay', `${nameOf(grant)} used a token again after ${agoMs} ms`)
  const still = await at.app.call('com.atproto.server.getSession', { access_token: grant.access })
  if (status !== 200 && still.status === 200) world.break('replay', `${nameOf(grant)} stays signed in`)
  drop(world, grant)
}

/** Acts in the name of the account: what was granted works, and nothing else. Expired tokens are refreshed before. */
export async function act(world: World, grant: Grant): Promise<void> {
  let answer = await post(world, grant)
  if (answer.status === 401) {
    await refresh(world, grant, false)
    if (!world.grants.includes(grant)) return
    answer = await post(world, grant)
  }
  const { status, body } = answer
  const mayWrite = grant.scope.includes('transition:generic')
  if (mayWrite && status !== 200) signedOut(world, grant, `it cannot write: ${JSON.stringify(body)}`)
  if (!mayWrite && status === 200) world.break('scope', `${nameOf(grant)} wrote without a scope for it`)
}

function post(world: World, { at, sub, access }: Grant): Promise<Answer> {
  const record = { text: 'hello', createdAt: new Date(world.time).toISOString() }
  const input = { repo: sub, collection: 'app.example.feed.post', record }
  return at.app.call('com.atproto.repo.createRecord', { access_token: access }, { input })
}

/** Signs an app out. Its tokens end. */
export async function signOut(world: World, grant: Grant): Promise<void> {
  const { app, program } = grant.at
  await app.send('/oauth/revoke', { client_id: program.clientId, token: grant.refresh })
  const { status } = await app.call('com.atproto.server.getSession', { access_token: grant.access })
  drop(world, grant)
  if (status === 200) world.break('replay', `${nameOf(grant)} is signed in after signing out`)
}
