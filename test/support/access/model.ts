/** The words of the access tests: methods, account statuses, tokens, and calls. */
import { methods, subscriptions } from '../../../server/api/index.ts'
import type { Account } from '../server/server.ts'

type Subscription = (typeof subscriptions)[number]
export type Method = (typeof methods)[number] | Subscription

export const everything: readonly Method[] = [...methods, ...subscriptions].toSorted((a, b) =>
  a.nsid < b.nsid ? -1 : 1,
)
export const isSubscription = (method: Method): method is Subscription =>
  method.schema.type === 'subscription'

export const states = ['active', 'deactivated', 'suspended', 'takendown', 'deleted'] as const
export type State = (typeof states)[number]

/** The properties of a token that the rules depend on. */
export interface Token {
  readonly kind: 'none' | 'access' | 'refresh' | 'basic' | 'unverifiable'
  readonly scope?: 'full' | 'app password' | 'privileged' | 'takendown'
  /** The session was opened during a takedown. It ends with the takedown, and a takedown ends all other sessions. */
  readonly isNarrow?: true
  readonly isExpired?: true
  readonly isRevoked?: true
  readonly isOwner?: true
  /** Whether the password of Basic authentication is right. */
  readonly isRight?: true
}

const unverifiable = { kind: 'unverifiable' } as const
export const tokens = {
  none: { kind: 'none' },
  full: { kind: 'access', scope: 'full' },
  'app password': { kind: 'access', scope: 'app password' },
  privileged: { kind: 'access', scope: 'privileged' },
  takendown: { kind: 'access', scope: 'takendown', isNarrow: true },
  owner: { kind: 'access', scope: 'full', isOwner: true },
  refresh: { kind: 'refresh' },
  'takendown refresh': { kind: 'refresh', isNarrow: true },
  expired: { kind: 'access', scope: 'full', isExpired: true },
  'expired refresh': { kind: 'refresh', isExpired: true },
  revoked: { kind: 'access', scope: 'full', isRevoked: true },
  'revoked refresh': { kind: 'refresh', isRevoked: true },
  'forged signature': unverifiable,
  'alg none': unverifiable,
  'other alg': unverifiable,
  "other server's aud": unverifiable,
  'access as refresh typ': unverifiable,
  'refresh as access typ': unverifiable,
  'service token': unverifiable,
  garbage: unverifiable,
  'no scheme': unverifiable,
  'admin Basic': { kind: 'basic', isRight: true },
  'wrong Basic': { kind: 'basic' },
} as const satisfies Record<string, Token>
export type TokenName = keyof typeof tokens
export const tokenNames = Object.keys(tokens) as TokenName[]

export const badScope = 'InvalidToken: Bad token scope'
/** The refusal of a code in the input. */
export const badCode = 'InvalidToken: wrong code'
export const inactive = {
  active: undefined,
  deactivated: 'AccountDeactivated',
  suspended: 'AccountSuspended',
  takendown: 'AccountTakedown',
  deleted: 'AccountNotFound',
}

/** An account and its Authorization headers by token name. */
export interface Subject extends Account {
  readonly state: State
  readonly headers: ReadonlyMap<TokenName, string>
}

export interface Call {
  readonly params?: Record<string, string> | undefined
  readonly input?: unknown
  /** Expected error of the handler after access was granted; success if absent. */
  readonly answer?: string | undefined
}

/** By NSID. */
export type CallTable = Readonly<
  Record<
    string,
    (subject: Pick<Subject, 'did' | 'handle' | 'email' | 'password' | 'state'>, token: TokenName) => Call
  >
>

export const collection = 'com.test.note'
export const deleted = ({ state }: Pick<Subject, 'state'>) => (state === 'deleted' ? 'NotFound' : undefined)
/** The owner who signed in changes the accounts of others only. */
export const ofOther = (subject: Pick<Subject, 'state'>, token: TokenName) =>
  token === 'owner' ? 'InvalidRequest' : deleted(subject)

let names = 0
export function uniqueName(): string {
  return `subject${++names}`
}

/** Methods whose call changes what later calls need: the account's handle, password, status or session. */
export const changesItsAccount = new Set([
  'com.core.admin.deleteAccount',
  'com.core.admin.updateAccountHandle',
  'com.core.admin.updateAccountPassword',
  'com.core.identity.updateHandle',
  'com.core.server.createAppPassword',
  'com.core.server.deactivateAccount',
  'com.core.server.deleteSession',
])
