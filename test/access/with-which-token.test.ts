/** What each kind of session may call, with each value of the header `atproto-proxy`. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hookMs } from '../support/access/client.ts'
import { everything } from '../support/access/model.ts'
import { accessPage } from '../support/access/page.ts'
import { kinds } from '../support/access/sessions.ts'
import {
  type Answered,
  appView,
  attemptsOf,
  callWith,
  leaves,
  markAnswers,
  matrixOf,
  openSessions,
} from '../support/access/with-which-token.ts'
import { setupServer } from '../support/server/setup.ts'
import { StubService } from '../support/services/stub-service.ts'
import { inlineFiles } from '../support/store/inline-files.ts'

let view: StubService
let foreign: StubService
beforeAll(async () => {
  view = await StubService.start()
  foreign = await StubService.start()
  markAnswers(view, foreign)
})
afterAll(() => Promise.all([view.close(), foreign.close()]))

setupServer({
  files: inlineFiles,
  config: () => ({
    appViewDid: 'did:web:view.test',
    appViewUrl: view.url,
    allowPrivateTargets: true,
    publicUrl: undefined,
  }),
  accounts: ['bystander'],
})

const answers: Answered[] = []
beforeAll(async () => {
  const services = { appView, foreign: `${foreign.did}#stub` }
  const sessions = await openSessions(services)
  for (const attempt of everything.flatMap(attemptsOf))
    answers.push(...(await callWith(attempt, services, sessions)))
}, hookMs)

const isHere = ({ answer }: Answered) => answer === 'here'
const isElsewhere = ({ answer }: Answered) => leaves.includes(answer)
const show = ({ name, kind, header, answer }: Answered) => `${name}, ${kind}, ${header}: ${answer}`
const namesOf = (found: readonly Answered[]) => [...new Set(found.map(({ name }) => name))].sort()

test('the header atproto-proxy opens no method of this server', () => {
  const keyOf = ({ name, kind }: Answered) => `${name} ${kind}`
  const without = answers.filter((each) => each.header === 'no header' && (isHere(each) || isElsewhere(each)))
  const allowed = new Set(without.map(keyOf))
  // Methods for anyone ignore the token unless they are forwarded.
  const isForAnyone = ({ method }: Answered) => method.auth === 'none'
  const opened = answers.filter((each) => isHere(each) && !allowed.has(keyOf(each)) && !isForAnyone(each))
  expect(opened.map(show)).toEqual([])
})

test('a call leaves for another service only with a session that may call that service', () => {
  const mayCall = [
    ...['full', 'owner', 'app: rpc:* of another service'],
    ...Object.keys(kinds).filter((kind) => /^app password: |transition:/.test(kind)),
  ]
  const left = answers.filter(({ answer }) => answer === 'to the service')
  expect(left.filter(({ kind, header }) => !mayCall.includes(kind) || header !== 'another service')).toEqual(
    [],
  )
})

/** What sessions that a person has limited may call among the methods of accounts, identities and the server. */
const callable: Readonly<Record<string, readonly string[]>> = {
  any: [
    'com.core.identity.getRecommendedDidCredentials',
    'com.core.server.checkAccountStatus',
    'com.core.server.deleteSession',
    'com.core.server.getSession',
  ],
  'app password': [
    // Takes a code that is mailed to the address that the account has.
    'com.core.server.confirmEmail',
    // Counts of records, which are public, and the size of the media.
    'com.core.server.getUsage',
    // Names and times, so that a client shows which of them it uses; no secrets.
    'com.core.server.listAppPasswords',
    // Mails that code to the same address, within limits of its own.
    'com.core.server.requestEmailConfirmation',
  ],
  'app: identity:*': ['com.core.identity.updateHandle'],
}

const isLimited = (kind: string) => /^app(?: password)?: /.test(kind)
const isUnlimitedApp = (kind: string) => /^app password: (?:ordinary|privileged)$/.test(kind)

test.each(Object.keys(kinds).filter(isLimited))('%s manages no account', (kind) => {
  const anyone = new Set(
    answers.filter((each) => each.kind === 'none' && isHere(each)).map(({ name }) => name),
  )
  const manages = /^com\.core\.(?:admin|factor|friend|identity|move|oauth|server)\./
  const allowed = answers.filter(
    (each) => each.kind === kind && (isHere(each) || isElsewhere(each)) && manages.test(each.name),
  )
  const closed = namesOf(allowed).filter(
    (name) => !anyone.has(name) && !/\.(?:getServiceAuth|refreshIdentity)\b/.test(name),
  )
  const more = [...(callable[kind] ?? []), ...(isUnlimitedApp(kind) ? (callable['app password'] ?? []) : [])]
  expect(closed).toEqual([...(callable.any ?? []), ...more].sort())
})

test('an app that may only sign in calls only public methods and those of its session', () => {
  const anyone = new Set(
    answers.filter((each) => each.kind === 'none' && isHere(each)).map(({ name }) => name),
  )
  const open = answers.filter((each) => each.kind === 'app: atproto' && (isHere(each) || isElsewhere(each)))
  const more = namesOf(open).filter((name) => !anyone.has(name))
  expect(more).toEqual([...(callable.any ?? []), 'com.core.repo.listMissingBlobs'].sort())
})

test('service tokens of limited sessions name a method and a service of their scopes', () => {
  const tokens = answers.filter(
    (each) => each.method.nsid === 'com.core.server.getServiceAuth' && isHere(each) && isLimited(each.kind),
  )
  const kindsOf = (title: string) => [
    ...new Set(tokens.filter(({ name }) => name.includes(title)).map(({ kind }) => kind)),
  ]
  expect(kindsOf('administration')).toEqual([])
  expect(kindsOf('any method')).toEqual(['app password: privileged', 'app: rpc:* of the app view'])
  expect(kindsOf('chat')).toEqual([
    'app password: privileged',
    'app: rpc:* of the app view',
    'app: transition:generic + chat.bsky',
  ])
})

test('with-which-token.md lists the answers', async () => {
  const byName = Map.groupBy(answers, ({ name }) => name)
  const matrices = new Map([...byName].map(([name, ofName]) => [name, matrixOf(ofName)]))
  const intro = `# Who may call what, with which token

Generated by \`npm run vitest -- test/access -u\`: each method is called with each kind of session and each value of the header \`atproto-proxy\`, on a server with an app view. Methods with the same answers share a table. \`here\`: the call reaches its handler; \`to the app view\`, \`to the service\`: it is forwarded; else the error.

- **Sessions**: none; full and owner (signed in with the password); admin password; refresh (a refresh token); takendown (opened during a takedown); app password by its limit; app by its scopes beside \`atproto\`.
- **Headers**: absent; this server; its app view; another service, which the scope "rpc:* of another service" names.`
  await expect(accessPage(intro, 'session', matrices)).toMatchFileSnapshot('with-which-token.md')
})
