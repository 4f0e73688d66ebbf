/**
 * The attacker: has an account of the server, starts requests in the name of any public app with own keys, runs pages on foreign
 * and on local origins, lures people to links, and reads what others lose.
 */

import { App } from '../accounts/oauth-app.ts'
import { second } from '../server/clock.ts'
import { server } from '../server/setup.ts'
import {
  callAll,
  decide,
  type Headers,
  listRequests,
  openLink,
  readRequest,
  senders,
  type View,
  waitForWindow,
} from './driver.ts'
import { allow, decideAs, visit } from './honest.ts'
import {
  challengeOf,
  type Flow,
  type Grant,
  newSecret,
  type Person,
  type Program,
  type Secret,
  type World,
} from './world.ts'

/** A request that the attacker pushed. */
interface Forged {
  readonly id: string
  readonly app: App
  readonly program: Program
  readonly secret: Secret
}

interface Stolen {
  readonly app: App
  readonly request: string
  readonly tokens: { readonly access_token: string; refresh_token: string }
}

export class Attacker {
  readonly #world: World
  readonly #apps = new Map<Program, App>()
  readonly forged: Forged[] = []
  /** Ids of requests, own and of others. */
  readonly ids: string[] = []
  /** Requests that a page or a list showed. */
  readonly #seen = new Map<string, View>()
  readonly stolen: Stolen[] = []
  readonly #codes = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  /** Pushes a request in the name of an app. @param hint the account that it names */
  async push(program: Program, hint: string | undefined, scope: string, sender: Headers): Promise<void> {
    const app = this.#apps.get(program) ?? (await App.create(program.scope, program.clientId))
    this.#apps.set(program, app)
    const secret = newSecret()
    const fields = {
      redirect_uri: program.redirect,
      scope,
      state: secret.state,
      code_challenge: challengeOf(secret),
      login_hint: hint,
    }
    const { status, body } = await app.request(fields, undefined, { ...sender })
    if (status !== 201) return
    const id = body.request_uri.split(':').at(-1)
    this.#world.ids.set(secret.state, id)
    this.forged.push({ id, app, program, secret })
    await this.learn(id)
  }

  /** Learns the id of a request. */
  async learn(id: string): Promise<void> {
    if (!this.ids.includes(id)) this.ids.push(id)
    await this.#read(id)
  }

  idOf(n: number): string | undefined {
    return this.ids.length > 0 ? this.ids.at(-1 - (n % this.ids.length)) : undefined
  }

  /** Makes a request wait for an app window. */
  async wait(n: number, sender: Headers): Promise<void> {
    const id = this.idOf(n)
    if (id === undefined) return
    const number = await waitForWindow(id, sender)
    if (number !== undefined) this.#world.numbers.set(id, number)
  }

  /** Calls every method for requests, and keeps what the responses reveal. Only what others decided is decided again. */
  async snoop(n: number, sender: Headers, isSignedIn: boolean): Promise<void> {
    const id = this.idOf(n) ?? 'a'.repeat(22)
    const found = await callAll(id, sender, isSignedIn ? this.#world.attacker : undefined)
    for (const { number } of found) if (number !== undefined) this.#world.numbers.set(id, number)
    for (const text of found.flatMap(textsIn)) await this.#readLocation(text, id)
    const seen = this.#seen.get(id)
    if ((await readRequest(id)) === undefined && seen) await this.#decide(seen, true, undefined)
  }

  /** Reads the list of an app window, signed in with the attacker's account. */
  async list(): Promise<void> {
    for (const view of await listRequests(this.#world.attacker)) {
      await this.learn(view.id)
      this.#seen.set(view.id, view)
    }
  }

  /** Decides a request with the attacker's account. @param guess the number that is entered if it is not known */
  async decide(n: number, isAllowed: boolean, isInWindow: boolean, guess: number): Promise<void> {
    const id = this.idOf(n)
    if (id === undefined) return
    const view = await this.#read(id)
    if (view) await this.#decide(view, isAllowed, isInWindow ? guess : undefined)
  }

  async #decide(view: View, isAllowed: boolean, guess: number | undefined): Promise<void> {
    const { attacker, numbers } = this.#world
    const number = guess === undefined ? undefined : (numbers.get(view.id) ?? guess)
    const location = isAllowed
      ? await decideAs(this.#world, attacker, view, number)
      : await decide(attacker, { id: view.id, isAllowed, number })
    if (location !== undefined) await this.#readLocation(location, view.id)
  }

  /** Reads a request, or remembers what it was before its decision. */
  async #read(id: string): Promise<View | undefined> {
    const view = await readRequest(id)
    if (view) this.#seen.set(id, view)
    return this.#seen.get(id)
  }

  /** Sends a person a link to a request. The person allows it on the page, or in the app window. */
  async lure(n: number, person: Person, isInWindow: boolean): Promise<void> {
    const one = this.forged.length > 0 ? this.forged.at(-1 - (n % this.forged.length)) : undefined
    const id = one && (await openLink(one.app, one.id))
    if (id === undefined) return
    if (!isInWindow) {
      const view = await readRequest(id)
      if (view) await allow(this.#world, person, view, false)
      return
    }
    const number = await waitForWindow(id)
    if (number === undefined) return
    this.#world.numbers.set(id, number)
    const view = (await listRequests(person.account)).find(({ client }) => client === one?.app.clientId)
    if (view) await allow(this.#world, person, view, false, number)
  }

  /** Uses what a location reveals: own requests give tokens, answers to others are sent to their browsers. */
  async #readLocation(text: string, id: string): Promise<void> {
    if (!/^[\w.+-]+:/.test(text) || !/[?&#]code=/.test(text)) return
    const code = URL.parse(text)?.searchParams.get('code') ?? ''
    const own = this.forged.find((one) => one.id === id)
    if (own) return this.#exchange(own, code)
    for (const person of this.#world.people) if (await visit(this.#world, person, text)) return
  }

  async #exchange({ app, program, secret, id }: Forged, code: string): Promise<void> {
    this.#codes.add(code)
    const { status, body } = await app.exchange(code, {
      redirect_uri: program.redirect,
      code_verifier: secret.verifier,
      scope: program.scope,
    })
    if (status === 200) this.#got(app, id, body)
  }

  #got(app: App, request: string, tokens: Stolen['tokens'] & { sub: string; scope: string }): void {
    this.stolen.push({ app, request, tokens })
    this.#world.check({ holder: 'attacker', request, ...tokens })
  }

  /** Tries the code of a person, which was read on its way, before and after it is used. */
  async tryCode({ at, id }: Flow, code: string): Promise<void> {
    const own = this.forged.findLast(({ program }) => program === at.program)
    if (!own) return
    this.#codes.add(code)
    await this.#exchange({ ...own, id }, code)
  }

  async replayCodes(): Promise<void> {
    for (const own of this.forged.slice(-2))
      for (const code of [...this.#codes].slice(-3)) await this.#exchange(own, code)
  }

  /** Refreshes own tokens, with more scope than was granted. */
  async refreshOwn(n: number): Promise<void> {
    const one = this.stolen[n % Math.max(this.stolen.length, 1)]
    if (!one) return
    const { status, body } = await one.app.refresh(one.tokens.refresh_token, {
      scope: 'atproto transition:generic',
    })
    if (status === 200) this.#got(one.app, one.request, body)
  }

  /** Uses the tokens of another person, without the key of the app. */
  async tryTokens({ at, access, refresh }: Grant): Promise<void> {
    const app = this.#apps.get(at.program) ?? (await App.create(at.program.scope, at.program.clientId))
    const name = at.person.name
    const called = await app.call('com.atproto.server.getSession', { access_token: access })
    const bearer = await server.get('com.atproto.server.getSession', {}, access)
    if (called.status === 200 || bearer.status === 200)
      this.#world.break('theft', `a stolen access token of ${name} works without its key`)
    const { status } = await app.refresh(refresh)
    if (status === 200) this.#world.break('theft', `a stolen refresh token of ${name} works without its key`)
  }
}

/** Tries ids, and codes that no request has. */
export async function guess(world: World, attacker: Attacker, n: number): Promise<void> {
  const own = attacker.forged[n % Math.max(attacker.forged.length, 1)]
  if (own) await own.app.exchange(newSecret().state, { code_verifier: own.secret.verifier })
  for (const headers of senders) await callAll(newSecret().state.slice(0, 22), headers, world.attacker)
  server.clock.advance(second)
}

/** Returns all texts of a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
