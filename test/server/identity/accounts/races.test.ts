import { once } from 'node:events'
import { expect, test } from 'vitest'
import { findByDid } from '../../../../server/store/tables/accounts.ts'
import { decodeJwt } from '../../../support/accounts/jwt.ts'
import { passwords } from '../../../support/server/passwords.ts'
import { open } from '../../../support/server/raw-http.ts'
import { type Account, type Answer, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['owner-of-all'] })

const ten = Array.from({ length: 10 }, (_, number) => number)
const atOnce = (attempt: (number: number) => Promise<Answer>) => Promise.all(ten.map(attempt))

/** Expects one success and this error for all others. */
function expectOneWinner(answers: readonly Answer[], error: string): Answer {
  const [winner, ...others] = answers.filter(({ status }) => status === 200)
  expect(others).toEqual([])
  const refused = answers.filter(({ status }) => status !== 200).map(({ body }) => body.error)
  expect(refused).toEqual(Array(answers.length - 1).fill(error))
  if (!winner) throw new Error('no answer succeeded')
  return winner
}

test('ten concurrent sign-ups for one handle: one succeeds', async () => {
  const answers = await atOnce((number) =>
    server.post('com.core.server.createAccount', {
      handle: number % 2 ? 'wanted.test' : 'Wanted.TEST',
      email: `wanted${number}@mail.test`,
      password: `password ${number}`,
    }),
  )
  const winner = expectOneWinner(answers, 'HandleNotAvailable')
  const password = `password ${answers.indexOf(winner)}`
  expect((await server.signIn({ handle: 'wanted.test', password })).body.did).toBe(winner.body.did)
})

test('ten concurrent sign-ups with one email address: one succeeds', async () => {
  const answers = await atOnce((number) =>
    server.post('com.core.server.createAccount', {
      handle: `mail-${number}.test`,
      email: 'same@mail.test',
      password: 'a good password',
    }),
  )
  expectOneWinner(answers, 'InvalidRequest')
})

test('ten concurrent first sign-ups: one account becomes the owner', async () => {
  const fresh = await TestServer.start()
  try {
    await Promise.all(ten.map((number) => fresh.account(`first-${number}`)))
    const { body } = await fresh.get('com.core.admin.listAccounts', {}, adminAuth)
    expect(body.accounts).toHaveLength(10)
    expect(body.accounts.filter(({ owner }: { owner: boolean }) => owner)).toHaveLength(1)
  } finally {
    await fresh.close()
  }
})

test('ten concurrent uses of a single-use invite code: one succeeds', async () => {
  const { body: invite } = await server.post('com.core.server.createInviteCode', { useCount: 1 }, adminAuth)
  const answers = await atOnce((number) =>
    server.post('com.core.server.createAccount', {
      handle: `invited-${number}.test`,
      password: 'a good password',
      inviteCode: invite.code,
    }),
  )
  const winner = expectOneWinner(answers, 'InvalidInviteCode')
  expect(
    server.running.services.store.all(
      'SELECT u.used_by, c.available FROM invite_codes c JOIN invite_code_uses u USING (code) WHERE code = ?',
      [invite.code],
    ),
  ).toEqual([{ used_by: winner.body.did, available: 0 }])
})

test('ten concurrent refreshes of one token return one successor', async () => {
  const alice = await server.account('alice')
  const answers = await atOnce(() =>
    server.post('com.core.server.refreshSession', undefined, alice.refreshJwt),
  )
  expect(answers.map(({ status }) => status)).toEqual(ten.map(() => 200))
  const successors = new Set(answers.map(({ body }) => decodeJwt(body.refreshJwt).claims.jti))
  expect(successors.size).toBe(1)

  const { sid, jti } = decodeJwt(alice.refreshJwt).claims
  const [successor] = successors
  const rows = server.running.services.store.all<{ jti: string; successor: string | null }>(
    'SELECT jti, successor FROM refresh_tokens WHERE session_id = ?',
    [sid],
  )
  expect(rows).toHaveLength(2)
  expect(rows).toEqual(
    expect.arrayContaining([
      { jti, successor },
      { jti: successor, successor: null },
    ]),
  )
})

test('ten concurrent app passwords of one name: one is created', async () => {
  const bob = await server.account('bob')
  const answers = await atOnce(() => server.post('com.core.server.createAppPassword', { name: 'phone' }, bob))
  const winner = expectOneWinner(answers, 'DuplicateAppPassword')
  expect((await server.signIn(bob, { password: winner.body.password })).status).toBe(200)
})

test('a sign-in with the old password during a reset fails, or its session is revoked', async () => {
  const carla = await server.account('carla')
  await server.post('com.core.server.requestPasswordReset', { email: carla.email })
  const reset = { token: await server.codeTo(carla.email), password: 'a new password' }
  const [done, ...signIns] = await Promise.all([
    server.post('com.core.server.resetPassword', reset),
    ...ten.map(() => server.signIn(carla)),
  ])
  expect(done.status).toBe(200)
  for (const { status, body } of signIns) {
    if (status !== 200) expect(body.error).toBe('AuthenticationRequired')
    else {
      expect(await server.get('com.core.server.getSession', {}, body)).toMatchObject(
        refusal(400, 'ExpiredToken', 'Token has been revoked'),
      )
    }
  }
})

test('a sign-in during a takedown fails, or its session is revoked', async () => {
  const dan = await server.account('dan')
  const signIns = ten.map(() => server.signIn(dan))
  await server.setStatus(dan.did, { takedown: true })
  for (const { status, body } of await Promise.all(signIns)) {
    if (status !== 200) expect(['AuthenticationRequired', 'AccountTakedown']).toContain(body.error)
    else expect((await server.get('com.core.server.getSession', {}, body)).status).toBe(400)
  }
})

test('a sign-in with an app password during its revocation fails, or its session is revoked', async () => {
  const erin = await server.account('erin')
  const app = await server.appSession(erin, 'phone')
  const signIns = ten.map(() => server.signIn(app))
  await server.post('com.core.server.revokeAppPassword', { name: 'phone' }, erin)
  for (const { status, body } of await Promise.all(signIns)) {
    if (status !== 200) expect(body.error).toBe('AuthenticationRequired')
    else expect((await server.get('com.core.server.getSession', {}, body)).status).toBe(400)
  }
})

test('a call whose session ends while its body arrives is refused', async () => {
  const slow = await server.account('slow')
  const body = JSON.stringify({ name: 'left behind' })
  const connection = await open(server.running.port)
  const head = [
    'POST /xrpc/com.core.server.createAppPassword HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${slow.accessJwt}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ]
  const goOn = once(connection.socket, 'data')
  connection.send(`${head.join('\r\n')}\r\n\r\n`)
  await goOn
  expect((await server.post('com.core.server.deleteSession', undefined, slow.accessJwt)).status).toBe(200)
  connection.send(body)
  const [answer] = await connection.answers(1)
  connection.socket.destroy()
  expect(answer).toMatchObject(refusal(400, 'ExpiredToken', 'Token has been revoked'))
  const { body: session } = await server.signIn(slow)
  const { body: list } = await server.get('com.core.server.listAppPasswords', {}, session)
  expect(list.passwords).toEqual([])
})

test('a session that a reset ends while its password is checked changes nothing', async () => {
  let during: (() => Promise<unknown>) | undefined
  const verify: typeof passwords.verify = async (...given) => {
    await during?.()
    return passwords.verify(...given)
  }
  const slow = await TestServer.start({}, undefined, { passwords: { ...passwords, verify } })
  try {
    await slow.account('owner-of-all')
    const holder = await slow.account('holder')
    const { email, password, did } = holder
    await slow.post('com.core.server.requestPasswordReset', { email })
    const token = await slow.codeTo(email)
    during = () => slow.post('com.core.server.resetPassword', { token, password: 'a new password' })
    const thief = { email: 'thief@mail.test', password }
    expect(await slow.post('com.core.server.updateEmail', thief, holder)).toMatchObject(
      refusal(400, 'ExpiredToken'),
    )
    expect(findByDid(slow.running.services.store, did)?.email).toBe(email)
  } finally {
    await slow.close()
  }
})

test('an account that is deleted while its password is checked gets neither an error of the server nor rows', async () => {
  let during: (() => Promise<unknown>) | undefined
  const verify: typeof passwords.verify = async (...given) => {
    await during?.()
    return passwords.verify(...given)
  }
  const slow = await TestServer.start({}, undefined, { passwords: { ...passwords, verify } })
  try {
    await slow.account('owner-of-all')
    const attempts: [status: number, (account: Account) => Promise<Answer>][] = [
      [403, (account) => slow.post('com.core.factor.startTotp', { password: account.password }, account)],
      [401, (account) => slow.signIn(account)],
    ]
    for (const [number, [status, attempt]] of attempts.entries()) {
      const account = await slow.account(`brief-${number}`)
      await slow.confirmEmail(account)
      const { email, password, did } = account
      await slow.post('com.core.server.updateEmail', { email, password, emailAuthFactor: true }, account)
      during = () => slow.post('com.core.admin.deleteAccount', { did }, adminAuth)
      expect((await attempt(account)).status).toBe(status)
      during = undefined
    }
    expect(slow.running.services.store.all('PRAGMA foreign_key_check')).toEqual([])
  } finally {
    await slow.close()
  }
})
