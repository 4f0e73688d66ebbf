/**
 * Who may call what: every method and subscription × every state of an account × every kind of token, over the wire, against a model of the
 * rules that is written down here once more, by itself. And the same as a page to read: `who-may-call-what.md`.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { methods, subscriptions } from '../server/api/index.ts'
import { listen } from './support/listener.ts'
import { type Account, type Answer, adminAuth, TestServer } from './support/server.ts'
import { decodeJwt, signJwt } from './support/session-jwt.ts'

type Subscription = (typeof subscriptions)[number]
type Method = (typeof methods)[number] | Subscription

const everything: readonly Method[] = [...methods, ...subscriptions]
const isSubscription = (method: Method): method is Subscription => method.schema.type === 'subscription'

test('the page who-may-call-what.md is true', async () => {
  const span = (seconds: number) =>
    seconds % 86_400 === 0
      ? `${seconds / 86_400} d`
      : seconds % 3600 === 0
        ? `${seconds / 3600} h`
        : `${seconds / 60} min`
  const limit = ({ points, seconds, per }: (typeof methods)[number]['limits'][number]) =>
    `${points} in ${span(seconds)} per ${typeof per === 'string' ? per : 'input'}`
  const limitsOf = (method: Method) =>
    isSubscription(method)
      ? [`${method.connections} at once per account`, 'listens']
      : [method.limits.map(limit).join(', '), `${method.maxBody / 1000} kB`]
  const rows = everything
    .toSorted((a, b) => (a.nsid < b.nsid ? -1 : 1))
    .map((method) => [
      `\`${method.nsid}\``,
      method.auth,
      method.active ? 'active' : 'any',
      ...limitsOf(method),
    ])
  const page = `# Who may call what

Made by \`npm run vitest -- test/access.test.ts -u\` from the lists of methods and subscriptions; held to it, and the server to the rules behind it, by the same test. The words are explained in \`server/auth/credentials.ts\`.

${[['method', 'who', 'account', 'limits', 'body'], Array(5).fill('---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')}
`
  await expect(page).toMatchFileSnapshot('who-may-call-what.md')
})

const states = ['active', 'deactivated', 'suspended', 'takendown', 'deleted'] as const
type State = (typeof states)[number]

/** What the model knows of a token. */
interface Token {
  readonly kind: 'none' | 'access' | 'refresh' | 'basic' | 'unverifiable'
  readonly scope?: 'full' | 'app password' | 'privileged' | 'takendown'
  /** Of a session that was opened while the account was taken down: it does not outlive the takedown, nor others its start. */
  readonly isNarrow?: true
  readonly isExpired?: true
  readonly isRevoked?: true
  readonly isOwner?: true
  /** Of Basic: whether the password is right. */
  readonly isRight?: true
}

const unverifiable = { kind: 'unverifiable' } as const
const tokens = {
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
type TokenName = keyof typeof tokens
const tokenNames = Object.keys(tokens) as TokenName[]

const badScope = 'InvalidToken: Bad token scope'
const scopesOf: Record<string, readonly string[]> = {
  optional: ['full', 'app password', 'privileged'],
  access: ['full', 'app password', 'privileged'],
  'access or takendown': ['full', 'app password', 'privileged', 'takendown'],
  full: ['full'],
  'full or takendown': ['full', 'takendown'],
  admin: ['full'],
}
const inactive = {
  active: undefined,
  deactivated: 'AccountDeactivated',
  suspended: 'AccountSuspended',
  takendown: 'AccountTakedown',
  deleted: 'AccountNotFound',
}

/** How the door refuses a token, or undefined when it lets it pass. */
function refusal({ auth, active }: Method, state: State, token: Token): string | undefined {
  if (auth === 'none' || auth === 'import') return undefined
  if (auth === 'admin' && token.kind === 'basic') return token.isRight ? undefined : 'AuthenticationRequired'
  if (token.kind === 'none') return auth === 'optional' ? undefined : 'AuthMissing'
  if (token.kind === 'unverifiable' || token.kind === 'basic') return 'InvalidToken'
  if (auth === 'ending') return undefined
  if (token.isExpired) return 'ExpiredToken: Token has expired'
  if (auth === 'refresh' && token.kind !== 'refresh') return badScope
  if (auth !== 'refresh' && token.kind !== 'access') return 'InvalidToken'
  if (state === 'deleted') return 'AccountNotFound'
  const isOpen = !token.isRevoked && (state === 'takendown') === (token.isNarrow ?? false)
  if (!isOpen) return 'ExpiredToken: Token has been revoked'
  if (auth === 'refresh') return undefined
  if (!scopesOf[auth]?.includes(token.scope ?? '')) return badScope
  if (active && inactive[state]) return inactive[state]
  return auth === 'admin' && !token.isOwner ? 'Forbidden' : undefined
}

/** An account and whichever of its tokens a test wants. */
interface Subject extends Account {
  readonly state: State
  readonly headers: ReadonlyMap<TokenName, string>
}

interface Call {
  readonly params?: Record<string, string>
  readonly input?: unknown
  /** What the handler answers to whom the door lets pass; success when absent. */
  readonly answer?: string | undefined
}

const collection = 'com.test.note'
const gone = ({ state }: Subject) => (state === 'deleted' ? 'NotFound' : undefined)
const device = { serviceDid: 'did:web:push.test', token: 'token', platform: 'web', appId: 'app' }
const filterable = { include: 'all', list: true, push: true }
const plain = { list: true, push: true }
const preferences = {
  ...Object.fromEntries(
    'chat follow like likeViaRepost mention quote reply repost repostViaRepost'
      .split(' ')
      .map((name) => [name, filterable]),
  ),
  ...{ starterpackJoined: plain, subscribedPost: plain, unverified: plain, verified: plain },
}

/** A call of each method that its handler has something to say to. */
const calls: Record<string, (subject: Subject, token: TokenName) => Call> = {
  'app.example.actor.getProfile': () => ({ params: { actor: bystander.handle } }),
  'app.example.notification.getPreferences': () => ({}),
  'app.example.notification.getUnreadCount': () => ({}),
  'app.example.notification.listActivitySubscriptions': () => ({}),
  'app.example.notification.listNotifications': () => ({}),
  'app.example.notification.putActivitySubscription': () => ({
    input: { subject: bystander.did, activitySubscription: { post: true, reply: false } },
  }),
  'app.example.notification.putPreferences': () => ({ input: { preferences } }),
  'app.example.notification.putPreferencesV2': () => ({ input: { chat: filterable } }),
  'app.example.notification.registerPush': () => ({ input: device }),
  'app.example.notification.subscribe': () => ({}),
  'app.example.notification.unregisterPush': () => ({ input: device }),
  'app.example.notification.updateSeen': () => ({ input: { seenAt: '2030-01-01T00:00:00.000Z' } }),
  'com.core.admin.deleteAccount': (subject) => ({ input: { did: subject.did }, answer: gone(subject) }),
  'com.core.admin.disableInviteCodes': ({ did }) => ({ input: { accounts: [did] } }),
  'com.core.admin.getSubjectStatus': (subject) => ({ params: { did: subject.did }, answer: gone(subject) }),
  'com.core.admin.listAccounts': () => ({}),
  'com.core.admin.updateAccountPassword': (subject) => ({
    input: { did: subject.did, password: 'another password' },
    answer: gone(subject),
  }),
  'com.core.admin.updateSubjectStatus': (subject) => ({
    input: { subject: { $type: 'com.core.admin.defs#repoRef', did: subject.did } },
    answer: gone(subject),
  }),
  'com.core.identity.resolveHandle': () => ({ params: { handle: bystander.handle } }),
  'com.core.repo.applyWrites': ({ did }) => ({
    input: {
      repo: did,
      writes: [{ $type: 'com.core.repo.applyWrites#create', collection, rkey: 'two', value: {} }],
    },
  }),
  'com.core.repo.createRecord': ({ did }) => ({ input: { repo: did, collection, record: {} } }),
  'com.core.repo.deleteRecord': ({ did }) => ({ input: { repo: did, collection, rkey: 'none' } }),
  'com.core.repo.describeRepo': () => ({ params: { repo: bystander.did } }),
  'com.core.repo.getRecord': () => ({
    params: { repo: bystander.did, collection, rkey: 'none' },
    answer: 'RecordNotFound',
  }),
  'com.core.repo.listRecords': () => ({ params: { repo: bystander.did, collection } }),
  'com.core.repo.putRecord': ({ did }) => ({ input: { repo: did, collection, rkey: 'one', record: {} } }),
  'com.core.server.activateAccount': ({ state }) => ({
    answer: state === 'suspended' || state === 'takendown' ? inactive[state] : undefined,
  }),
  'com.core.server.checkAccountStatus': () => ({}),
  'com.core.server.confirmEmail': () => ({
    input: { email: 'another@mail.test', token: 'AAAAA-AAAAA' },
    answer: 'InvalidEmail',
  }),
  'com.core.server.createAccount': () => ({ input: { handle: `${uniqueName()}.test` } }),
  'com.core.server.createAppPassword': () => ({ input: { name: 'another' } }),
  'com.core.server.createInviteCode': () => ({ input: { useCount: 1 } }),
  'com.core.server.createInviteCodes': () => ({ input: { codeCount: 1, useCount: 1 } }),
  'com.core.server.createSession': ({ state, handle, password }) => ({
    input: { identifier: handle, password },
    answer: { takendown: 'AccountTakedown', deleted: 'AuthenticationRequired' }[state as string],
  }),
  'com.core.server.deactivateAccount': () => ({ input: {} }),
  'com.core.server.deleteAccount': ({ did }) => ({
    input: { did, password: 'wrong', token: 'AAAAA-AAAAA' },
    answer: 'AuthenticationRequired',
  }),
  'com.core.server.deleteSession': () => ({}),
  'com.core.server.describeServer': () => ({}),
  'com.core.server.getAccountInviteCodes': () => ({}),
  'com.core.server.getServiceAuth': (_, token) => ({
    params: { aud: 'did:web:pds.example', lxm: 'com.core.server.createAccount' },
    answer: token === 'app password' ? 'InvalidToken: Bad token method' : undefined,
  }),
  'com.core.server.getSession': () => ({}),
  'com.core.server.listAppPasswords': () => ({}),
  'com.core.server.listSessions': () => ({}),
  'com.core.server.refreshSession': (_, token) => ({
    answer: token === 'takendown refresh' ? 'AccountTakedown' : undefined,
  }),
  'com.core.server.requestAccountDelete': () => ({}),
  'com.core.server.requestEmailConfirmation': () => ({}),
  'com.core.server.requestEmailUpdate': () => ({}),
  'com.core.server.requestPasswordReset': ({ email }) => ({ input: { email } }),
  'com.core.server.reserveSigningKey': () => ({ input: { did: `did:web:${uniqueName()}.example` } }),
  'com.core.server.resetPassword': () => ({
    input: { token: 'AAAAA-AAAAA', password: 'another password' },
    answer: 'InvalidToken',
  }),
  'com.core.server.revokeAppPassword': (_, token) => ({
    input: { name: 'another' },
    answer: token === 'app password' || token === 'privileged' ? badScope : undefined,
  }),
  'com.core.server.revokeSession': () => ({ input: { id: 'none' } }),
  'com.core.server.updateEmail': () => ({ input: { email: `${uniqueName()}@mail.test` } }),
  'com.core.sync.getRepo': () => ({ params: { did: bystander.did } }),
}

let server: TestServer
let bystander: Account
/** For calls that must not get through, or change nothing. */
const ordinary = new Map<State, Subject>()
const owners = new Map<State, Subject>()

beforeAll(async () => {
  server = await TestServer.start()
  bystander = await server.account('bystander')
  const withoutOwner = tokenNames.filter((name) => name !== 'owner')
  for (const state of states) {
    ordinary.set(state, await makeSubject(state, withoutOwner))
    owners.set(state, await makeSubject(state, ['owner']))
  }
})

afterAll(() => server.close())

test.each(everything.map((method) => [method.nsid, method] as const))('%s', async (nsid, method) => {
  const call = calls[nsid]
  if (!call) throw new Error(`Give ${nsid} a line in the table of calls`)
  const wrong: unknown[] = []
  for (const state of states) {
    for (const token of tokenNames) {
      const expected = refusal(method, state, tokens[token])
      const subject = await subjectFor(method, state, token, expected)
      const { params, input, answer: passed = 'success' } = call(subject, token)
      const header = subject.headers.get(token)
      const got = await ask(method, { params, input }, header)
      if (got !== (expected ?? passed)) wrong.push({ state, token, expected: expected ?? passed, got })
    }
  }
  expect(wrong).toEqual([])
})

/** Makes the call and tells its outcome: success, an error, or one with its message where a name alone says too little. */
async function ask(method: Method, { params, input }: Call, header?: string): Promise<string> {
  const { nsid, schema } = method
  const url = `${server.url}/xrpc/${nsid}?${new URLSearchParams(params)}`
  if (isSubscription(method)) return connect(url, header)
  const init: RequestInit = schema.type === 'query' ? {} : { method: 'POST' }
  if (input !== undefined) init.body = JSON.stringify(input)
  const type = input === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await fetch(url, { ...init, headers: { ...type, ...(header && { authorization: header }) } })
  const text = await answer.text()
  return answer.status === 200 ? 'success' : outcome(JSON.parse(text))
}

async function connect(url: string, header?: string): Promise<string> {
  const got = await listen(url, header === undefined ? {} : { headers: { authorization: header } })
  if (!('socket' in got)) return outcome(got.body)
  got.close()
  await got.ended()
  return 'success'
}

function outcome({ error, message }: { error: string; message: string }): string {
  const isAmbiguous = error === 'ExpiredToken' || /^Bad token/.test(message)
  return isAmbiguous ? `${error}: ${message}` : error
}

/** An account of its own for a call that may do something to it. */
async function subjectFor({ schema, auth }: Method, state: State, token: TokenName, expected?: string) {
  const isHarmless =
    expected !== undefined || schema.type !== 'procedure' || auth === 'none' || auth === 'import'
  const kept = isHarmless && (token === 'owner' ? owners : ordinary).get(state)
  return kept || makeSubject(state, [token])
}

let names = 0
function uniqueName(): string {
  return `subject${++names}`
}

async function makeSubject(state: State, wanted: readonly TokenName[]): Promise<Subject> {
  const account = await server.account(uniqueName())
  const headers = new Map<TokenName, string>()
  const wantsNarrow = wanted.some((name) => 'isNarrow' in tokens[name])
  const setStatus = (status: Record<string, unknown>) =>
    succeed(
      server.post(
        'com.core.admin.updateSubjectStatus',
        { subject: { $type: 'com.core.admin.defs#repoRef', did: account.did }, ...status },
        adminAuth,
      ),
    )
  const signIn = (password = account.password) =>
    succeed(
      server.post('com.core.server.createSession', {
        identifier: account.did,
        password,
        allowTakendown: true,
      }),
    )
  const keepNarrow = async () => {
    const { accessJwt, refreshJwt } = await signIn()
    headers.set('takendown', `Bearer ${accessJwt}`).set('takendown refresh', `Bearer ${refreshJwt}`)
  }
  if (wantsNarrow && state !== 'takendown') {
    await setStatus({ takedown: { applied: true } })
    await keepNarrow()
    await setStatus({ takedown: { applied: false } })
  }
  if (wanted.includes('owner')) {
    await server.running.services.store.transact((tx) =>
      tx.run('UPDATE accounts SET is_owner = 1 WHERE did = ?', [account.did]),
    )
  }
  const full = await signIn()
  for (const name of wanted) {
    const header = await makeHeader(name, full, signIn)
    if (header !== undefined) headers.set(name, header)
  }
  if (state === 'deleted')
    await succeed(server.post('com.core.admin.deleteAccount', { did: account.did }, adminAuth))
  else if (state === 'takendown') await setStatus({ takedown: { applied: true } })
  else if (state !== 'active') await setStatus({ [state]: { applied: true } })
  if (wantsNarrow && state === 'takendown') await keepNarrow()
  return { ...account, state, headers }
}

interface Session {
  readonly accessJwt: string
  readonly refreshJwt: string
}

async function makeHeader(
  name: TokenName,
  full: Session,
  signIn: (password?: string) => Promise<Session>,
): Promise<string | undefined> {
  const key = server.running.services.secrets.tokenKey
  const [header, claims] = decodeJwt(full.accessJwt)
  const [refreshHeader, refreshClaims] = decodeJwt(full.refreshJwt)
  const past = { iat: 1_600_000_000, exp: 1_600_000_001 }
  const withAppPassword = async (privileged: boolean) => {
    const input = { name, privileged }
    const { password } = await succeed(server.post('com.core.server.createAppPassword', input, full))
    return (await signIn(password)).accessJwt
  }
  const afterwards = async (ended: Session) => {
    await succeed(server.post('com.core.server.deleteSession', undefined, ended))
    return ended
  }
  switch (name) {
    case 'full':
    case 'owner':
      return `Bearer ${full.accessJwt}`
    case 'app password':
    case 'privileged':
      return `Bearer ${await withAppPassword(name === 'privileged')}`
    case 'refresh':
      return `Bearer ${full.refreshJwt}`
    case 'expired':
      return `Bearer ${signJwt(header, { ...claims, ...past }, key)}`
    case 'expired refresh':
      return `Bearer ${signJwt(refreshHeader, { ...refreshClaims, ...past }, key)}`
    case 'revoked':
      return `Bearer ${(await afterwards(await signIn())).accessJwt}`
    case 'revoked refresh':
      return `Bearer ${(await afterwards(await signIn())).refreshJwt}`
    case 'forged signature':
      return `Bearer ${signJwt(header, claims, Buffer.alloc(32))}`
    case 'alg none':
      return `Bearer ${signJwt({ ...header, alg: 'none' }, claims, key)}`
    case 'other alg':
      return `Bearer ${signJwt({ ...header, alg: 'HS512' }, claims, key)}`
    case "other server's aud":
      return `Bearer ${signJwt(header, { ...claims, aud: 'did:web:other.example' }, key)}`
    case 'access as refresh typ':
      return `Bearer ${signJwt(refreshHeader, claims, key)}`
    case 'refresh as access typ':
      return `Bearer ${signJwt(header, refreshClaims, key)}`
    case 'service token':
      return `Bearer ${(await succeed(server.get('com.core.server.getServiceAuth', { aud: String(claims.aud) }, full))).token}`
    case 'garbage':
      return 'Bearer garbage'
    case 'no scheme':
      return full.accessJwt
    case 'admin Basic':
      return adminAuth
    case 'wrong Basic':
      return `Basic ${Buffer.from('admin:wrong').toString('base64')}`
    default:
      return undefined
  }
}

async function succeed(call: Promise<Answer>) {
  const { status, body } = await call
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}
