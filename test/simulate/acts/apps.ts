/** Apps that sign in by OAuth: an account allows them on the page of its server, and they get, refresh and revoke tokens. */
import { createHash } from 'node:crypto'
import type { Random } from '../../support/replicas/random.ts'
import { type Code, codeWorks, Grant, type Tokens } from '../model/grant.ts'
import { type Person, statusOf } from '../model/person.ts'
import { all, type Truth, timed } from '../model/time-span.ts'
import { type App, redirect, type TimedAnswer } from '../world/app.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { holders, homes } from './choose.ts'
import { callAs, changePasswordOf } from './passwords.ts'
import { isLost } from './sessions.ts'

/** Grants and codes that a person keeps at most. */
const [mostGrants, mostCodes] = [4, 3]

const wordsOf = ({ machine, name }: Person, app: App, what: string) =>
  `${machine.name}: ${app.name} of ${name} ${what}`

/** An app asks, the person decides, and most apps use the code at once. */
export const allowApp: Act = {
  weight: 2,
  async run(world, random) {
    const person = homes(world, random)
    if (!person || person.grants.length >= mostGrants) return undefined
    const app = random.pick(world.apps)
    const asked = await ask(world, person, app)
    if (typeof asked === 'string') return asked
    const words = wordsOf(person, app, 'asks')
    await decideByAppPassword(world, person, asked.id)
    if (random.chance(0.15)) return `${words}: ${await deny(world, person, asked.id)}`
    const code = await allow(world, person, app, asked)
    if (typeof code === 'string') return `${words}: ${code}`
    person.codes = [...person.codes, code].slice(-mostCodes)
    const kind = random.below(10)
    if (kind === 0) return `${words}: has a code`
    // An app that has stolen the code may use it first, and the account may change its password before.
    const changed = kind === 1 ? `${await changePasswordOf(world, random, person)}, ` : ''
    const user = appFor(world, random, app)
    return `${words}: ${changed}${user.name} uses ${await exchange(world, person, code, user)}`
  },
}

interface Asked {
  readonly id: string
  readonly verifier: string
}

/** Pushes a request, and reads it as the page does. @returns the words of what was refused or lost */
async function ask(world: World, person: Person, app: App): Promise<Asked | string> {
  const { machine } = person
  const verifier = `verifier-${String(world.counter++).padStart(40, '0')}`
  const pushed = await app.post(world, machine, '/oauth/par', {
    ...{ redirect_uri: redirect, response_type: 'code', scope: app.scope, state: 'state' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const words = wordsOf(person, app, `asks → ${pushed.status} ${pushed.body?.error ?? ''}`)
  if (isLost(pushed)) return words
  if (pushed.status !== 201) throw new Violation(words)
  const id: string = pushed.body.request_uri.split(':').at(-1)
  const shown = await world.call(machine, 'com.core.oauth.getRequest', { query: { id } })
  if (isLost(shown)) return `${words}, the page → ${shown.status}`
  if (shown.body?.client !== app.clientId || shown.body.scope !== app.scope)
    throw new Violation(`${words}, the page shows ${shown.status} ${JSON.stringify(shown.body)}`)
  return { id, verifier }
}

const decide = (world: World, person: Person, id: string, isAllowed: boolean) =>
  callAs(world, person, 'com.core.oauth.decideRequest', { id, isAllowed })

/** Only a session of the password may allow an app. */
async function decideByAppPassword(
  world: World,
  { machine, name, signIns }: Person,
  id: string,
): Promise<void> {
  const signIn = signIns.find(({ appPassword }) => appPassword)
  if (!signIn) return
  const { status } = await world.call(machine, 'com.core.oauth.decideRequest', {
    input: { id, isAllowed: true },
    token: signIn.access.jwt,
  })
  if (status === 200) throw new Violation(`${machine.name}: an app password of ${name} allows an app`)
}

async function deny(world: World, person: Person, id: string): Promise<string> {
  const denied = await decide(world, person, id, false)
  if (denied.status !== 200) return `denies → ${denied.status} ${denied.body?.error ?? ''}`
  if (codeIn(denied.body.location) !== null)
    throw new Violation(`${person.name} denies, and the app gets a code`)
  const { status } = await decide(world, person, id, true)
  if (status === 200) throw new Violation(`${person.name} allows what was denied`)
  return `denies → ${status}`
}

const codeIn = (location: string) => new URL(location).searchParams.get('code')

/** @returns the words of what was refused or lost */
async function allow(
  world: World,
  person: Person,
  app: App,
  { id, verifier }: Asked,
): Promise<Code | string> {
  const answer = await timed(person.machine, () => decide(world, person, id, true))
  const { status, body, at: allowed } = answer
  const words = `allows → ${status} ${body?.error ?? ''}`
  if (status !== 200 && (isLost(answer) || body?.error === 'ExpiredToken')) return words
  const text = status === 200 ? codeIn(body.location) : null
  if (text === null) throw new Violation(`${person.name} ${words}, and the app gets no code`)
  return { app, text, verifier, allowed, isOpen: 'yes', grant: undefined }
}

/** Whether apps get tokens for an account. */
function getsTokens(person: Person): Truth {
  const status = statusOf(person)
  if (!status) return 'maybe'
  return status.isSuspended || status.isTakenDown ? 'no' : 'yes'
}

/** An app uses a code: its own, or one that it has stolen. */
async function exchange(world: World, person: Person, code: Code, app: App): Promise<string> {
  const answer = await app.post(world, person.machine, '/oauth/token', {
    ...{ grant_type: 'authorization_code', code: code.text, code_verifier: code.verifier },
    redirect_uri: redirect,
  })
  const words = `${app === code.app ? 'a code' : `a code of ${code.app.name}`} → ${answer.status} ${answer.body?.error ?? ''}`
  const expected = app === code.app ? all(codeWorks(code, answer.at), getsTokens(person)) : 'no'
  if (isLost(answer)) {
    if (expected !== 'no') person.lostGrants++
    if (code.isOpen === 'yes') code.isOpen = 'maybe'
    code.grant?.end('maybe')
    return words
  }
  const { status, body, at } = answer
  const isRefused = status === 400 && body.error === 'invalid_grant'
  if ((status !== 200 && !isRefused) || expected === (isRefused ? 'yes' : 'no'))
    throw new Violation(`${person.name}: ${app.name}, ${words}: works is ${expected}`)
  code.isOpen = 'no'
  if (isRefused) code.grant?.end('no')
  else code.grant = opened(person, app, body, at)
  return words
}

function opened(person: Person, app: App, tokens: Tokens, at: TimedAnswer['at']): Grant {
  if (tokens.sub !== person.did || tokens.scope !== app.scope)
    throw new Violation(`${person.name}: ${app.name} gets ${tokens.scope} of ${tokens.sub}`)
  const grant = new Grant(app, tokens, at)
  person.grants.push(grant)
  return grant
}

/** A code is used late, again, or by another app, which has stolen it. */
export const exchangeCode: Act = {
  weight: 1,
  async run(world, random) {
    const person = holders(world, random)
    if (!person || person.codes.length === 0) return undefined
    const code = random.pick(person.codes)
    const app = appFor(world, random, code.app)
    return wordsOf(person, app, await exchange(world, person, code, app))
  },
}

/** Another app of the same client has keys of its own. */
function appFor({ apps }: World, random: Random, own: App): App {
  if (random.chance(0.7)) return own
  const twin = apps.find((app) => app !== own && app.clientId === own.clientId)
  return twin && random.chance(0.5) ? twin : random.pick(apps)
}

/** Refreshes a grant, and compares the answer with what must be true of the token. @returns the status */
export async function refreshGrantBy(
  world: World,
  person: Person,
  grant: Grant,
  { used, app }: { readonly used: number; readonly app: App },
): Promise<number> {
  const token = grant.tokens[used]?.text ?? ''
  const fields = { grant_type: 'refresh_token', refresh_token: token }
  const answer = await app.post(world, person.machine, '/oauth/token', fields)
  const { status, body, at } = answer
  const isOwn = app === grant.app
  const expected = isOwn ? all(grant.refreshWorks(used, at), getsTokens(person)) : 'no'
  const words = wordsOf(
    person,
    app,
    `refreshes a grant of ${grant.app.name} → ${status} ${body?.error ?? ''}`,
  )
  if (isLost(answer)) {
    if (isOwn) grant.lostRefresh(used, at)
    else grant.end('maybe')
  } else if (status === 200) {
    if (expected === 'no') throw new Violation(`${words} by a token that does not count`)
    const broken = grant.refreshed(used, body, at)
    if (broken !== undefined) throw new Violation(`${words}: ${broken}`)
  } else {
    if (expected === 'yes' || status !== 400 || body.error !== 'invalid_grant')
      throw new Violation(`${words}, ${body?.error_description}, by a token that counts`)
    grant.refused(used, at, isOwn)
  }
  return status
}

/** Returns a grant of an account that is not taken down. */
export function anyGrant(world: World, random: Random): { person: Person; grant: Grant } | undefined {
  const person = holders(world, random)
  return person && person.grants.length > 0 ? { person, grant: random.pick(person.grants) } : undefined
}

/** By a new token, an old one, or one that another app has stolen. */
export const refreshGrant: Act = {
  weight: 2,
  async run(world, random) {
    const found = anyGrant(world, random)
    if (!found) return undefined
    const { person, grant } = found
    const used = random.chance(0.7) ? grant.newest : random.below(grant.tokens.length)
    const app = random.chance(0.9) ? grant.app : random.pick(world.apps)
    const status = await refreshGrantBy(world, person, grant, { used, app })
    return wordsOf(person, app, `refreshes token ${used} of ${grant.newest} of ${grant.app.name} → ${status}`)
  },
}

/** Revokes a grant by one of its tokens, or by the list of sessions. */
export const revokeGrant: Act = {
  weight: 1,
  async run(world, random) {
    const found = anyGrant(world, random)
    if (!found) return undefined
    const { person, grant } = found
    const { app, id, tokens, access } = grant
    const isByList = random.chance(0.4)
    const token = random.chance(0.5) ? access.jwt : (random.pick(tokens).text ?? '')
    const answer = isByList
      ? await callAs(world, person, 'com.core.server.revokeSession', { id })
      : await app.post(world, person.machine, '/oauth/revoke', { token })
    const { status, body } = answer
    const words = wordsOf(person, app, `is revoked ${isByList ? 'in the list' : 'by itself'} → ${status}`)
    // The server may have forgotten an old refresh token.
    if (status === 200) grant.end(isByList || token !== access.jwt ? endOf(grant, isByList) : 'no')
    else if (isLost(answer)) grant.end('maybe')
    else if (body?.error !== 'ExpiredToken') throw new Violation(`${words} ${JSON.stringify(body)}`)
    return words
  },
}

const endOf = ({ isDoubtful }: Grant, isByList: boolean) => (isByList || !isDoubtful ? 'no' : 'maybe')
