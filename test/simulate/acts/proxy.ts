/** Calls that servers forward: to the app view of their settings, and to a service that the client names. */
import type { Random } from '../../support/replicas/random.ts'
import type { Person } from '../model/person.ts'
import type { AppPassword } from '../model/sign-in.ts'
import { wordOf } from '../model/status.ts'
import { all, type Span, type Truth, timed } from '../model/time-span.ts'
import { attemptHeader, outcomes, type ProxiedService, type ServiceMood } from '../world/proxied-service.ts'
import { senderOf } from '../world/push-service.ts'
import type { Answer, World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { personWith } from './choose.ts'
import { post } from './drafts.ts'
import { addAppPassword } from './passwords.ts'
import { openSession } from './sessions.ts'
import { change } from './settings.ts'

interface Call {
  readonly nsid: string
  readonly input?: object
  readonly query?: Readonly<Record<string, string>>
}

type Send = (
  options: Call & { readonly headers: Readonly<Record<string, string>>; readonly service: string | null },
) => Promise<Answer>

/** Who calls, and whether the server may forward it. */
interface Caller {
  readonly words: string
  readonly send: Send
  readonly works: (during: Span) => Truth
}

const appViewCalls: readonly ((person: Person) => Call)[] = [
  () => ({ nsid: 'app.bsky.feed.getTimeline' }),
  ({ did }) => ({ nsid: 'app.bsky.feed.getAuthorFeed', query: { actor: did } }),
  ({ did }) => ({ nsid: 'app.bsky.feed.getAuthorFeed', query: { actor: did } }),
  ({ did }) => ({ nsid: 'app.bsky.actor.getProfile', query: { actor: did } }),
  () => ({ nsid: 'app.bsky.unspecced.simulated' }),
  () => ({ nsid: 'app.bsky.unspecced.simulate', input: { value: 1 } }),
]

const chatCalls: readonly Call[] = [
  { nsid: 'chat.bsky.convo.listConvos' },
  { nsid: 'chat.bsky.convo.sendMessage', input: { text: 'simulated' } },
  { nsid: 'app.bsky.unspecced.simulated' },
]

/** A person with an active account on a server that has an app view. */
function userOf(world: World, random: Random): Person | undefined {
  const people = world.people.filter(({ machine }) => machine.services.has('appview'))
  return personWith(world, random, (status) => wordOf(status) === 'active', people)
}

export const callService: Act = {
  weight: 2,
  async run(world, random) {
    const person = userOf(world, random)
    if (!person) return undefined
    const isChat = random.chance(0.4)
    const { services } = world
    const service = isChat ? services.chat : services.appView
    const call = isChat ? random.pick(chatCalls) : random.pick(appViewCalls)(person)
    const named = isChat ? `${service.did}#chat` : `${service.did}#bsky_appview`
    if (isChat && random.chance(0.4)) await signInLimited(world, person)
    const caller = callerOf(world, random, person, call)
    return judged(world, person, {
      service,
      call,
      caller,
      named: random.chance(0.3) && !isChat ? null : named,
    })
  },
}

/** Opens a session of an app password that may not use chats, unless there is one. */
async function signInLimited(world: World, person: Person): Promise<void> {
  const isLimited = (one?: AppPassword) =>
    one?.isPrivileged === false && !one.limit && one.exists === 'yes' && one.password !== undefined
  const { signIns } = person
  if (signIns.some(({ appPassword, isOpen }) => isLimited(appPassword) && isOpen === 'yes')) return
  await addAppPassword(world, person, false)
  const appPassword = person.appPasswords.find(isLimited)
  if (appPassword) await openSession(world, person, appPassword.password ?? '', appPassword)
}

interface Planned {
  readonly service: ProxiedService
  readonly call: Call
  readonly caller: Caller
  readonly named: string | null
}

/** Makes a call and judges its answer. @returns what happened, in words */
async function judged(
  world: World,
  person: Person,
  { service, call, caller, named }: Planned,
): Promise<string> {
  const { machine } = person
  const { mood } = service
  const attempt = { did: person.did, nsid: call.nsid, permitted: undefined as Truth | undefined, received: 0 }
  const sender = senderOf(machine)
  const headers = { [attemptHeader]: service.expect(attempt) }
  const isSound = !machine.disk.hasFault
  const answer = await timed(machine, () => caller.send({ ...call, headers, service: named }))
  const { status, body } = answer
  const permitted = caller.works(answer.at)
  attempt.permitted = permitted
  const found = `${status} ${body?.error ?? ''}`.trim()
  const words = `${machine.name}: ${person.name}, ${caller.words}, calls ${call.nsid} of ${named ?? 'the app view'}, which is ${mood} → ${found}`
  if (status === 500) throw new Violation(words)
  if (permitted === 'no' && attempt.received > 0) throw new Violation(`${words}, and is not permitted`)
  if (permitted === 'no' && status !== 0 && ![400, 401, 403].includes(status)) throw new Violation(words)
  const isSure = isSound && machine.isRunning && senderOf(machine) === sender && status !== 0
  if (isSure && permitted === 'yes' && found !== outcomes[mood])
    throw new Violation(`${words}, not ${outcomes[mood]}`)
  if (status === 200 && mood === 'well' && call.nsid.endsWith('getAuthorFeed')) checkFeed(world, person, body)
  return words
}

/** Milliseconds in which an app view indexes a record, less those that calls may take. */
const freshMs = 50_000

/** The feed of an app view, which has no posts yet, must have those that were just written. */
function checkFeed(world: World, person: Person, body: Answer['body']): void {
  const { history, records, did, name, machine } = person
  const shown = new Set<string>(body.feed.map((item: { post: { uri: string } }) => item.post.uri))
  const now = world.time.clock.now().getTime()
  const isClockRight = machine.skewMs === 0 && !machine.wasSet
  for (const [path, { value }] of records) {
    const { createdAt, reply, embed } = value as { createdAt?: string; reply?: object; embed?: object }
    const isSure = history.possible(path).size === 1 && isClockRight && !reply && !embed
    if (!path.startsWith(`${post}/`) || !isSure || now - Date.parse(createdAt ?? '') > freshMs) continue
    if (!shown.has(`at://${did}/${path}`))
      throw new Violation(`the feed of ${name} lacks ${path}, which it has just written`)
  }
  for (const uri of shown) {
    const path = uri.slice(`at://${did}/`.length)
    if (uri.startsWith(`at://${did}/`) && [...history.possible(path)].every((cid) => cid === undefined))
      throw new Violation(`the feed of ${name} has ${path}, which does not exist`)
  }
}

function callerOf(world: World, random: Random, person: Person, { nsid }: Call): Caller {
  const { machine, grants } = person
  const signIns = person.signIns.filter(({ appPassword }) => !appPassword?.limit)
  const withToken =
    (token: string | undefined): Send =>
    ({ nsid, ...options }) =>
      world.call(machine, nsid, { ...options, ...(token !== undefined && { token }) })
  const kind = random.below(10)
  const never = () => 'no' as const
  // A server answers what anyone may read.
  if (kind === 0) return { words: 'signed out', send: withToken(undefined), works: () => 'maybe' }
  if (kind === 1) {
    const { access, machine: other } = random.pick(world.people)
    if (other !== machine)
      return { words: 'by the token of another server', send: withToken(access), works: never }
  }
  if (kind === 2)
    return { words: 'by a refresh token', send: withToken(person.current.refreshJwt), works: never }
  if (kind <= 4 && grants.length > 0) {
    const grant = random.pick(grants)
    const { app, access } = grant
    const isWide = app.scope.includes('transition:generic') && !nsid.startsWith('chat.')
    return {
      words: app.name,
      send: ({ nsid, service, headers, ...options }) =>
        app.call(world, machine, nsid, {
          ...{ ...options, token: access.jwt },
          headers: { ...headers, ...(service !== null && { 'atproto-proxy': service }) },
        }),
      works: (during) => all(grant.accessWorks(during), isWide ? 'maybe' : 'no'),
    }
  }
  const limited = signIns.filter(({ appPassword }) => appPassword && !appPassword.isPrivileged)
  const signIn = random.pick(random.chance(0.5) && limited.length > 0 ? limited : signIns)
  const isPrivileged = signIn.appPassword?.isPrivileged ?? true
  return {
    words: `by ${signIn.appPassword ? 'an app password' : 'the password'}`,
    send: withToken(signIn.access.jwt),
    works: (during) =>
      all(signIn.accessWorks(during), isPrivileged || !nsid.startsWith('chat.') ? 'yes' : 'no'),
  }
}

/** What no service gets: methods of the server itself, unknown services, and malformed names. */
const misdirected: readonly (readonly [nsid: string, named: string])[] = [
  ['com.atproto.server.getSession', 'did:web:chat.localhost#chat'],
  ['app.bsky.actor.getPreferences', 'did:web:appview.localhost#bsky_appview'],
  ['chat.bsky.convo.listConvos', 'did:web:nowhere.localhost#chat'],
  ['chat.bsky.convo.listConvos', 'did:web:chat.localhost#other'],
  ['chat.bsky.convo.listConvos', 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa#chat'],
  ['chat.bsky.convo.listConvos', 'chat.localhost'],
]

export const misdirectCall: Act = {
  weight: 1,
  async run(world, random) {
    const person = userOf(world, random)
    if (!person) return undefined
    const [nsid, named] = random.pick(misdirected)
    const { machine, access: token, did, name } = person
    const { chat, appView } = world.services
    const attempt = { did, nsid, permitted: 'no' as Truth, received: 0 }
    const service = named.includes('appview') ? appView : chat
    const headers = { [attemptHeader]: service.expect(attempt) }
    const { status, body } = await world.call(machine, nsid, { token, headers, service: named })
    const words = `${machine.name}: ${name} calls ${nsid} of ${named} → ${status} ${body?.error ?? ''}`
    if (attempt.received > 0 || status === 500) throw new Violation(words)
    return words
  },
}

/** Mutes or unmutes an account by the app view. */
export const muteByService: Act = {
  weight: 1,
  async run(world, random) {
    const person = userOf(world, random)
    const others = world.people.filter((other) => other !== person)
    const { appView } = world.services
    // Its own errors are those of the call.
    if (!person || others.length === 0 || appView.mood === 'errs') return undefined
    const other = random.pick(others)
    const value = random.chance(0.5)
    const nsid = `app.bsky.graph.${value ? 'muteActor' : 'unmuteActor'}`
    const attempt = { did: person.did, nsid, permitted: undefined, received: 0 }
    return change(world, person, {
      ...{ nsid, input: { actor: other.did }, name: `mute ${other.did}`, value, initial: false },
      service: `${appView.did}#bsky_appview`,
      headers: { [attemptHeader]: appView.expect(attempt) },
    })
  },
}

export const failService: Act = {
  weight: 2,
  async run(world, random) {
    if (!world.machines.some(({ services }) => services.has('appview'))) return undefined
    const service = random.pick([world.services.appView, world.services.chat])
    service.mood = random.chance(0.4) ? 'well' : random.pick(Object.keys(outcomes) as ServiceMood[])
    return `the service ${service.host.name} is ${service.mood}`
  },
}
