/** What an account has allowed an app: codes, and grants with their tokens. */
import type { App } from '../world/app.ts'
import { all, lasts, type Span, type Truth } from './time-span.ts'

const minuteMs = 60_000
const accessMs = 30 * minuteMs
const codeMs = 2 * minuteMs
const repeatMs = minuteMs / 2
const grantMs = 14 * 24 * 60 * minuteMs
/** After its end, a job that runs each minute deletes a grant. */
const deletionMs = 2 * minuteMs

interface Token {
  readonly text: string
  /** When it was used first. */
  replaced: Span | undefined
  /** Its first use may have been lost: then it was replaced since this time at the earliest. */
  maybeReplaced: Span | undefined
}

/** What a server answers with the tokens of a grant. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly sub: string
  readonly scope: string
}

/** A code that an account has allowed. */
export interface Code {
  readonly app: App
  readonly text: string
  readonly verifier: string
  readonly allowed: Span
  /** Whether it was neither used nor cancelled. */
  isOpen: Truth
  /** The grant that it has opened. */
  grant: Grant | undefined
}

/** Whether a code works during a call. */
export function codeWorks({ isOpen, allowed }: Code, during: Span): Truth {
  return all(isOpen, lasts(allowed, codeMs, during))
}

export class Grant {
  readonly app: App
  readonly id: string
  /** Whether it has not been ended. */
  isOpen: Truth = 'yes'
  access: { readonly jwt: string; readonly issued: Span }
  /** From the first one to the newest one. */
  tokens: Token[]
  /** Whether the server may have forgotten replaced tokens: its clock was set. */
  isDoubtful = false
  readonly #opened: Span

  constructor(app: App, { access_token: jwt, refresh_token: text }: Tokens, at: Span) {
    this.app = app
    this.id = sessionOf(jwt)
    this.access = { jwt, issued: at }
    this.tokens = [{ text, replaced: undefined, maybeReplaced: undefined }]
    this.#opened = at
  }

  clone(): Grant {
    const { app, access, isOpen, isDoubtful } = this
    const tokens = this.tokens.map((token) => ({ ...token }))
    const first = { access_token: access.jwt, refresh_token: '', sub: '', scope: '' }
    return Object.assign(new Grant(app, first, this.#opened), { access, isOpen, isDoubtful, tokens })
  }

  get newest(): number {
    return this.tokens.length - 1
  }

  end(how: 'no' | 'maybe'): void {
    if (this.isOpen !== 'no') this.isOpen = how
  }

  accessWorks(during: Span): Truth {
    return all(this.exists(during), lasts(this.access.issued, accessMs, during))
  }

  /** Whether it can be refreshed by its newest token. */
  lives(during: Span): Truth {
    return all(this.isOpen, lasts(this.#opened, grantMs, during))
  }

  /** Whether the server has it: some time after its end, a job deletes it. */
  exists(during: Span): Truth {
    const isKept = all(this.isOpen, lasts(this.#opened, grantMs + deletionMs, during))
    return isKept === 'yes' && this.lives(during) !== 'yes' ? 'maybe' : isKept
  }

  /** Whether a refresh token works during a call. */
  refreshWorks(at: number, during: Span): Truth {
    const token = this.tokens[at]
    if (!token) return 'no'
    const successor = this.tokens[at + 1]
    const { replaced, maybeReplaced } = token
    if (!replaced) {
      const isSurelyRepeated = !maybeReplaced || lasts(maybeReplaced, repeatMs, during) === 'yes'
      return all(this.lives(during), isSurelyRepeated ? 'yes' : 'maybe')
    }
    const isLast = successor?.replaced ? 'no' : 'yes'
    const isLastNow = successor?.maybeReplaced && isLast === 'yes' ? 'maybe' : isLast
    return all(this.lives(during), isLastNow, lasts(replaced, repeatMs, during))
  }

  /** Notes the answer of a refresh. @returns the rule that it breaks */
  refreshed(used: number, answer: Tokens, at: Span): string | undefined {
    const token = this.tokens[used] as Token
    const { access_token: jwt, refresh_token: text, scope } = answer
    if (sessionOf(jwt) !== this.id) return `the tokens are of session ${sessionOf(jwt)}`
    if (scope !== this.app.scope) return `the scope is ${scope}`
    const successor = this.tokens[used + 1]
    if (successor && successor.text !== text) return 'a token has two successors'
    if (!successor && this.tokens.some((one) => one.text === text)) return 'the successor is an older token'
    const { replaced, maybeReplaced } = token
    token.replaced ??= maybeReplaced ? between(maybeReplaced, at) : at
    this.isOpen = 'yes'
    if (!successor) this.tokens.push({ text, replaced: undefined, maybeReplaced: undefined })
    // A repeated answer has the access token of the first one.
    this.access = { jwt, issued: replaced ?? token.replaced }
    return undefined
  }

  /** Notes that a refresh was refused. A token that was replaced, or that another app uses, ends the grant. */
  refused(used: number, during: Span, isOwn: boolean): void {
    const wasReplaced = this.tokens[used]?.replaced !== undefined && this.refreshWorks(used, during) === 'no'
    this.end(!this.isDoubtful && (wasReplaced || !isOwn) ? 'no' : 'maybe')
  }

  /** Notes that the answer of a refresh was lost. */
  lostRefresh(used: number, at: Span): void {
    const token = this.tokens[used]
    if (this.refreshWorks(used, at) !== 'yes') this.end('maybe')
    if (token && !token.replaced) token.maybeReplaced ??= at
  }

  /** The clock of the server was set: what is due by its new time may happen. */
  doubt(): void {
    this.end('maybe')
    this.isDoubtful = true
  }
}

/** Returns a span from one call to another. Nothing is known of it if the clock was set in between. */
function between({ from, skewMs = 0 }: Span, last: Span): Span {
  return { ...last, from, skewMs: skewMs === (last.skewMs ?? 0) ? skewMs : Number.NaN }
}

function sessionOf(jwt: string): string {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).sid
}
