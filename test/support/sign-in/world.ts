/** The world of the model of sign-in: people, apps, what each of them has, and the rules that every step must keep. */
import { createHash, randomBytes } from 'node:crypto'
import { App } from '../accounts/oauth-app.ts'
import { second } from '../server/clock.ts'
import type { Account } from '../server/server.ts'
import { server } from '../server/setup.ts'
import { listRequests, type View } from './driver.ts'

/** The rules. Each can be switched off, so that one broken rule does not hide another. */
export const rules = {
  theft: 'the attacker has no tokens for the account of another person',
  account: 'an app is signed in to the account of the person who uses it and allowed it',
  scope: 'tokens have only scopes that were shown to the person who allowed them',
  progress: 'a sign-in that is repeated after failures succeeds within a minute',
  session: 'an app that repeats a refresh within 30 seconds stays signed in',
  replay: 'a replaced refresh token is refused after 30 seconds and ends its grant',
  number: 'a number allows only the request on whose page it is',
  order: 'the dialog that is open in the app window stays the first',
} as const

export type Rule = keyof typeof rules

class Violation extends Error {}

/** A program that people use. */
export interface Program {
  readonly name: string
  readonly clientId: string
  readonly redirect: string
  readonly scope: string
}

export interface Person {
  readonly name: string
  account: Account
  /** Whether the window on the server's computer belongs to them. */
  readonly isOwner: boolean
  /** The request in the dialog that is open in their app window. */
  dialog: string | undefined
}

/** A program on the device of a person. */
export interface Installation {
  readonly program: Program
  readonly person: Person
  readonly app: App
  /** Its open sign-ins, by `state`. */
  readonly pending: Map<string, Flow>
}

/** A sign-in of an honest person. */
export interface Flow {
  readonly at: Installation
  readonly hasHint: boolean
  readonly isInWindow: boolean
  readonly scope: string
  stage: 'new' | 'pushed' | 'shown' | 'waiting' | 'done'
  secret: Secret
  id: string
  number: number | undefined
  /** What the person allowed in the app window without an answer. */
  unanswered: View | undefined
  failures: number
  /** Milliseconds of attempts without a lost answer since it was begun. */
  spentMs: number
  /** Whether the attacker reads the location that carries the code. */
  isOverheard: boolean
}

export interface Secret {
  readonly state: string
  readonly verifier: string
}

/** An app that is signed in. */
export interface Grant {
  readonly at: Installation
  readonly sub: string
  readonly scope: string
  access: string
  refresh: string
  /** When a refresh was sent whose answer was lost. */
  lostAt: number | undefined
  previous: { readonly token: string; readonly at: number } | undefined
}

/** Tokens that the server issued, and to whom. */
export interface Issued {
  readonly holder: Installation | 'attacker'
  readonly request: string
  readonly sub: string
  readonly scope: string
}

interface Allowed {
  readonly did: string
  readonly scope: string
}

export class World {
  readonly people: readonly Person[]
  attacker: Account
  readonly programs: readonly Program[]
  readonly installations: Installation[] = []
  readonly flows: Flow[] = []
  readonly grants: Grant[] = []
  /** What people allowed, by the id of the request. */
  readonly allowed = new Map<string, Allowed>()
  /** The ids of requests by their `state`. */
  readonly ids = new Map<string, string>()
  /** The numbers on the pages of requests. */
  readonly numbers = new Map<string, number>()
  readonly #enforced: ReadonlySet<Rule>
  /** What the attacker does after each step of a sign-in. */
  standing: () => Promise<void> = async () => {}

  private constructor(accounts: readonly Account[], programs: readonly Program[], enforced: readonly Rule[]) {
    const [attacker, ...people] = accounts.toReversed() as [Account, ...Account[]]
    this.attacker = attacker
    this.people = people
      .toReversed()
      .map((account, index) => ({ name: account.handle, account, isOwner: index === 0, dialog: undefined }))
    this.programs = programs
    this.#enforced = new Set(enforced)
  }

  /** @param accounts the owner, other people, and at last the account of the attacker */
  static async create(
    accounts: readonly Account[],
    programs: readonly Program[],
    enforced: readonly Rule[],
  ): Promise<World> {
    const world = new World(accounts, programs, enforced)
    await world.signIn()
    for (const person of world.people) {
      for (const program of programs) {
        const app = await App.create(program.scope, program.clientId)
        world.installations.push({ program, person, app, pending: new Map() })
      }
    }
    return world
  }

  /** Opens new sessions, because time ends the old ones. */
  async signIn(): Promise<void> {
    const again = async (account: Account) => ({ ...account, ...(await server.signIn(account)).body })
    for (const person of this.people) person.account = await again(person.account)
    this.attacker = await again(this.attacker)
  }

  get time(): number {
    return server.clock.now().getTime()
  }

  enforces(rule: Rule): boolean {
    return this.#enforced.has(rule)
  }

  break(rule: Rule, what: string): void {
    if (this.enforces(rule)) throw new Violation(`${rule}: ${what}, but ${rules[rule]}`)
  }

  /** Checks tokens at the moment when they are issued. */
  check({ holder, request, sub, scope }: Issued): void {
    const allowed = this.allowed.get(request)
    const name = [...this.people].find(({ account }) => account.did === sub)?.name ?? 'the attacker'
    if (holder === 'attacker') {
      if (sub !== this.attacker.did) this.break('theft', `the attacker has tokens of ${name}`)
    } else if (sub !== holder.person.account.did)
      this.break('account', `${holder.program.name} of ${holder.person.name} is signed in as ${name}`)
    else if (allowed?.did !== sub) this.break('account', `${holder.person.name} did not allow the request`)
    const shown = new Set(allowed?.scope.split(' '))
    const hidden = allowed && scope.split(' ').find((one) => !shown.has(one))
    if (hidden !== undefined) this.break('scope', `${hidden} was granted without being shown`)
  }

  /** Looks at the app windows, as they do every few seconds. */
  async lookAtWindows(): Promise<void> {
    for (const person of this.people) {
      const ids = (await listRequests(person.account)).map(({ id }) => id)
      const { dialog } = person
      if (dialog !== undefined && ids.includes(dialog) && ids[0] !== dialog)
        this.break('order', `the dialog of ${person.name} shows another request`)
      person.dialog = ids[0]
    }
  }

  /** Spends the time of one attempt of a person or an app. */
  spend(flow: Flow): void {
    server.clock.advance(2 * second)
    flow.spentMs += 2 * second
    if (flow.spentMs > 60 * second)
      this.break('progress', `${flow.at.person.name} cannot sign in to ${flow.at.program.name}`)
  }
}

export function newSecret(): Secret {
  return { state: randomBytes(12).toString('base64url'), verifier: randomBytes(32).toString('base64url') }
}

export function challengeOf({ verifier }: Secret): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
