/** App passwords: passwords for one client, which cannot manage the account. */
import { randomGroups } from '../../../util/random.ts'
import { accountOf, type Session, signIn } from '../account.ts'
import { expectError, expectStatus, outputOf, refusals } from '../answers.ts'
import { must, type Requirement, should } from '../requirement.ts'
import { lexicon, spec } from '../sources.ts'
import { shared, type Target } from '../target.ts'
import { expect } from '../verdict.ts'

const create = 'com.atproto.server.createAppPassword'
const list = 'com.atproto.server.listAppPasswords'
const revoke = 'com.atproto.server.revokeAppPassword'
const rules = spec('xrpc', 'App Passwords')

/** Names of this command: an earlier one that was killed may have left some. */
const newName = () => `conformance ${randomGroups(1, 8)}`
const isOwn = (name: unknown) => /^conformance [a-z\d]{8}$/.test(String(name))

interface Made {
  readonly name: string
  readonly password: string
  /** A session that it has opened. */
  readonly session: Session
}

const passwordOf = shared(async (target): Promise<Made> => {
  const { did, call } = await accountOf(target)
  const name = newName()
  target.defer(() => revokeAll(target))
  // The requirements of these methods say what is wrong with them.
  await revokeAll(target).catch(() => undefined)
  const { password } = outputOf(await call(create, { input: { name } }))
  return { name, password, session: await signIn(target, { identifier: did, password }) }
})

/** App passwords that checks which were killed may have left. */
const maxLeft = 100

/** Revokes all app passwords of this command. */
async function revokeAll(target: Target): Promise<void> {
  const { call } = await accountOf(target)
  const { passwords } = outputOf(await call(list))
  const own = passwords.filter(({ name }: { name: unknown }) => isOwn(name))
  expect(own.length <= maxLeft, `the account has ${own.length} app passwords of checks`)
  for (const { name } of own) expectStatus(await call(revoke, { input: { name } }), 200)
}

export const appPassword: readonly Requirement[] = [
  must('app-password.sign-in', 'An app password opens a session', rules, async (target) => {
    const { session } = await passwordOf(target)
    outputOf(await target.call('com.atproto.server.getSession', { token: session.accessJwt }))
  }),
  should('app-password.form', 'An app password has the form xxxx-xxxx-xxxx-xxxx', rules, async (target) => {
    const { password } = await passwordOf(target)
    expect(/^[a-z\d]{4}(?:-[a-z\d]{4}){3}$/.test(password), 'it has another form')
  }),
  must(
    'app-password.list',
    'listAppPasswords has the name, without the password',
    lexicon(list),
    async (target) => {
      const { name, password } = await passwordOf(target)
      const answer = await (await accountOf(target)).call(list)
      const { passwords } = outputOf(answer)
      expect(
        passwords.some((each: { name: string }) => each.name === name),
        'the name is absent',
      )
      expect(!answer.bytes.includes(password), 'the password is shown again')
    },
  ),
  must('app-password.name', 'A name is used once', lexicon(create), async (target) => {
    const { name } = await passwordOf(target)
    expectStatus(await (await accountOf(target)).call(create, { input: { name } }), ...refusals)
  }),
  must(
    'app-password.limits.create',
    'A session of an app password creates no app password',
    rules,
    async (target) => {
      const { session } = await passwordOf(target)
      const answer = await target.call(create, { input: { name: newName() }, token: session.accessJwt })
      expectError(answer, [400, 401, 403])
    },
  ),
  must(
    'app-password.limits.account',
    'A session of an app password cannot request the deletion of the account',
    rules,
    async (target) => {
      const { session } = await passwordOf(target)
      const ask = { method: 'POST', token: session.accessJwt }
      expectError(await target.call('com.atproto.server.requestAccountDelete', ask), [400, 401, 403])
    },
  ),
  must('app-password.revoke', 'A revoked app password opens no session', lexicon(revoke), async (target) => {
    const { did, call } = await accountOf(target)
    // At the end it is revoked with the others, if it is not here.
    await passwordOf(target)
    const name = newName()
    const { password } = outputOf(await call(create, { input: { name } }))
    const { refreshJwt } = await signIn(target, { identifier: did, password })
    expectStatus(await call(revoke, { input: { name } }), 200)
    const input = { identifier: did, password }
    expectError(await target.call('com.atproto.server.createSession', { input }), [401])
    const ask = { method: 'POST', token: refreshJwt }
    expectError(await target.call('com.atproto.server.refreshSession', ask), [400, 401])
  }),
]
