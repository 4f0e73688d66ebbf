/** A session of an account, and which of its tokens must work. */
import { all, lasts, type Span, type Truth } from './time-span.ts'

const hourMs = 60 * 60_000
const accessMs = 2 * hourMs
const graceMs = 2 * hourMs
const refreshMs = 90 * 24 * hourMs

/** What an app password may be limited to. */
export const limits = ['readOnly', 'postsOnly', 'noDeletion'] as const
export type Limit = (typeof limits)[number]

export interface AppPassword {
  readonly name: string
  /** Undefined if the answer with it was lost. */
  readonly password: string | undefined
  readonly isPrivileged: boolean
  readonly limit?: Limit | undefined
  exists: Truth
}

interface RefreshToken {
  jwt: string
  /** When `jwt` was signed: the same token is signed anew for each client that replaces its predecessor. */
  issued: Span
  /** When it was used first. */
  replaced: Span | undefined
  /** Undefined if it was not used, or if the answer was lost. */
  successor: string | undefined
  /** Its first use may have been lost: then it was replaced since this time at the earliest. */
  maybeReplaced: Span | undefined
}

/** What a server answers with the tokens of a session. */
export interface TokenPair {
  readonly accessJwt: string
  readonly refreshJwt: string
}

export class SignIn {
  readonly id: string
  /** Undefined for the password of the account. */
  readonly appPassword: AppPassword | undefined
  /** Whether it has not been ended. */
  isOpen: Truth = 'yes'
  /** Whether a stream of notifications that it has opened goes on. */
  isListening = false
  access: { readonly jwt: string; readonly issued: Span }
  /** The id of the newest refresh token. */
  newest: string
  readonly tokens = new Map<string, RefreshToken>()
  #extended: Span

  constructor(pair: TokenPair, issued: Span, appPassword: AppPassword | undefined) {
    const { sid, jti } = claimsOf(pair.refreshJwt)
    this.id = sid
    this.appPassword = appPassword
    this.access = { jwt: pair.accessJwt, issued }
    this.newest = jti
    this.#extended = issued
    this.#add(pair.refreshJwt, issued)
  }

  /** @param appPassword that of the clone */
  clone(appPassword: AppPassword | undefined): SignIn {
    const { access, newest, isOpen } = this
    const pair = { accessJwt: access.jwt, refreshJwt: this.refreshJwt }
    const copy = Object.assign(new SignIn(pair, access.issued, appPassword), { newest, isOpen })
    copy.tokens.clear()
    for (const [id, token] of this.tokens) copy.tokens.set(id, { ...token })
    copy.#extended = this.#extended
    return copy
  }

  get refreshJwt(): string {
    return this.tokens.get(this.newest)?.jwt ?? ''
  }

  end(how: 'no' | 'maybe'): void {
    if (this.isOpen !== 'no') this.isOpen = how
  }

  /** Whether its access token works during a call. */
  accessWorks(during: Span): Truth {
    return all(this.isOpen, lasts(this.access.issued, accessMs, during))
  }

  /** Whether the session can be refreshed by its newest token. */
  lives(during: Span): Truth {
    return all(this.isOpen, lasts(this.#extended, refreshMs, during))
  }

  /** Whether a refresh token works during a call. */
  refreshWorks(id: string, during: Span): Truth {
    const token = this.tokens.get(id)
    if (!token) return 'no'
    const { issued, replaced, maybeReplaced } = token
    const inGrace = replaced ? lasts(replaced, graceMs, during) : 'yes'
    const maybe = !replaced && maybeReplaced && lasts(maybeReplaced, graceMs, during) !== 'yes'
    return all(this.lives(during), lasts(issued, refreshMs, during), inGrace, maybe ? 'maybe' : 'yes')
  }

  /** Notes the answer of a refresh. @returns the rule that it breaks */
  refreshed(used: string, pair: TokenPair, at: Span): string | undefined {
    const token = this.tokens.get(used)
    const { sid, jti } = claimsOf(pair.refreshJwt)
    if (!token || sid !== this.id) return `the tokens are of session ${sid}`
    if (token.successor !== undefined && token.successor !== jti) return 'a token has two successors'
    if (token.successor === undefined && this.tokens.has(jti) && !token.maybeReplaced)
      return 'the successor is older than the token'
    token.successor = jti
    token.replaced ??= token.maybeReplaced ? { from: token.maybeReplaced.from, to: at.to } : at
    this.#extended = at
    this.access = { jwt: pair.accessJwt, issued: at }
    this.#add(pair.refreshJwt, at)
    if (!this.tokens.get(jti)?.replaced) this.newest = jti
    return undefined
  }

  /** Notes that the answer of a refresh was lost. */
  lostRefresh(used: string, at: Span): void {
    const token = this.tokens.get(used)
    if (token && !token.replaced) token.maybeReplaced ??= at
    // It lives longer if the answer was lost, as long as before if the call was.
    this.#extended = { from: this.#extended.from, to: at.to }
  }

  #add(jwt: string, issued: Span): void {
    const { jti } = claimsOf(jwt)
    const known = this.tokens.get(jti)
    if (known) Object.assign(known, { jwt, issued })
    else {
      this.tokens.set(jti, {
        ...{ jwt, issued },
        ...{ replaced: undefined, successor: undefined, maybeReplaced: undefined },
      })
    }
  }
}

function claimsOf(jwt: string): { readonly sid: string; readonly jti: string } {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}
