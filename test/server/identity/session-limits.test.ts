/** Limits of a session: a stolen one has few guesses of the main password, and sends little mail. */
import { beforeEach, expect, test } from 'vitest'
import { type Account, refusal } from '../../support/server.ts'
import { server, setupServer } from '../../support/setup.ts'

setupServer({ accounts: ['owner-of-all'], config: { rateLimits: true } })

const core = (name: string, input: object | undefined, auth: Account) =>
  server.post(`com.core.${name}`, input, auth)
const limited = refusal(429, 'RateLimitExceeded')

let count = 0
let alice: Account
beforeEach(async () => {
  alice = await server.account(`alice${++count}`)
})

const noticesTo = async (email: string) =>
  (await server.mailsTo(email)).filter(({ purpose }) => purpose === 'notice').length

test('a date of deletion is mailed once, and few changes of it in an hour', async () => {
  const dateIn = (hours: number) => new Date(server.clock.now().getTime() + hours * 3_600_000).toISOString()
  const same = { deleteAfter: dateIn(1) }
  for (let i = 0; i < 3; i++) expect((await core('server.deactivateAccount', same, alice)).status).toBe(200)
  expect(await noticesTo(alice.email)).toBe(1)

  const answers = []
  for (let i = 0; i < 30; i++) {
    answers.push(await core('server.deactivateAccount', { deleteAfter: dateIn(i + 2) }, alice))
  }
  expect(answers.at(-1)).toMatchObject(limited)
  expect(await noticesTo(alice.email)).toBeLessThanOrEqual(20)
})

test('a session has few guesses of the main password in all methods together', async () => {
  const password = 'a guess'
  const attempts: [string, object][] = [
    ['factor.startTotp', { password }],
    ['factor.startPasskey', { password }],
    ['factor.removeFactor', { id: 'x', password }],
    ['factor.renewRecoveryCodes', { password }],
    ['identity.addRecoveryKey', { key: someKey, password }],
    ['identity.removeRecoveryKey', { key: someKey, password }],
    ['server.updateEmail', { email: 'thief@mail.test', password }],
    ['server.deleteAccount', { did: alice.did, token: 'AAAAA-AAAAA', password }],
  ]
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) {
    for (const [name, input] of attempts) statuses.push((await core(name, input, alice)).status)
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(20)
  expect(statuses.slice(20).every((status) => status === 429)).toBe(true)
  const right = { password: alice.password }
  expect(await core('factor.startTotp', right, alice)).toMatchObject(limited)

  const again = { ...alice, ...(await server.signIn(alice)).body }
  expect((await core('factor.startTotp', right, again)).status).toBe(200)
})
const someKey = 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv'
