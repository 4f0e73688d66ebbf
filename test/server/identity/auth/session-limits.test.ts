/** Limits of a session: a stolen one has few guesses of the main password, and sends little mail. */
import { beforeEach, describe, expect, test } from 'vitest'
import { listOutbox } from '../../../../server/platform/mail/outbox.ts'
import { findByDid } from '../../../../server/store/tables/accounts.ts'
import { minute } from '../../../support/server/clock.ts'
import { type Account, type Answer, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

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
    ['server.createCode', { purpose: 'deleteAccount', password }],
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

test('guesses in a stolen session at another address leave the holder a code for a new password', async () => {
  const { body: stolen } = await server.signIn(alice)
  const create = (password: string, headers: Record<string, string>) =>
    server.fetch('/xrpc/com.core.server.createCode', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ purpose: 'resetPassword', password }),
    })
  const thief = { authorization: `Bearer ${stolen.accessJwt}`, 'x-forwarded-for': '192.0.2.7' }
  for (let i = 0; i < 51; i++) await create('a guess', thief)
  expect(await create('a guess', thief)).toMatchObject(limited)
  expect((await create(alice.password, { authorization: `Bearer ${alice.accessJwt}` })).status).toBe(200)
})

describe('mail to an address that is not confirmed', () => {
  const victim = 'victim@elsewhere.test'
  const hour = 60 * minute
  const dateIn = (hours: number) => new Date(server.clock.now().getTime() + hours * hour).toISOString()
  const requests = [
    'server.requestEmailConfirmation',
    'server.requestEmailUpdate',
    'server.requestAccountDelete',
    'identity.requestPlcOperationSignature',
  ]
  /** Everything that sends mail, by the holder of the account and by others. Returns the last answers by method. */
  async function sendAll(email: string): Promise<Record<string, Answer>> {
    const { password } = alice
    await core('server.updateEmail', { email, password }, alice)
    const last: Record<string, Answer> = {}
    for (let i = 0; i < 6; i++) {
      for (const name of requests) last[name] = await core(name, undefined, alice)
      for (const hours of [i + 1, i + 10]) {
        await core('server.deactivateAccount', { deleteAfter: dateIn(hours) }, alice)
      }
      await server.post('com.core.server.requestPasswordReset', { email })
    }
    return last
  }

  test('is limited in all methods together', async () => {
    const last = await sendAll(victim)
    for (const name of requests) expect(last[name]).toMatchObject(limited)
    const mails = (await server.mailsTo(victim)).map(({ purpose }) => purpose ?? '')
    const resets = mails.filter((purpose) => purpose === 'resetPassword').length
    const notices = mails.filter((purpose) => purpose === 'notice').length
    // The tenth notice went to the address before.
    const codes = mails.length - resets - notices
    expect({ resets, notices, codes }).toEqual({ resets: 3, notices: 9, codes: 10 })
  })

  test('is limited per account, which can name one address after the other', async () => {
    const { did, password } = alice
    const before = await server.mailsTo(alice.email)
    for (let i = 0; i < 15; i++) {
      await core('server.updateEmail', { email: `victim+${i}@elsewhere.test`, password }, alice)
      await core(requests[i % 4] ?? '', undefined, alice)
    }
    const sent = (await listOutbox(server.config.dataDir)).filter(({ text }) => text.includes(alice.handle))
    expect(sent.length - before.length).toBe(20)
    expect(findByDid(server.running.services.store, did)?.email).toBe('victim+14@elsewhere.test')
  })

  test('has these limits no more once it is confirmed', async () => {
    await server.confirmEmail(alice)
    for (let i = 0; i < 12; i++) {
      const answer = await core('server.deactivateAccount', { deleteAfter: dateIn(i + 1) }, alice)
      expect(answer.status).toBe(200)
    }
    expect(await noticesTo(alice.email)).toBe(12)
  })
})

const someKey = 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv'
