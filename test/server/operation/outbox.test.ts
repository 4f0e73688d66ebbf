/** The outbox over HTTP, for owners who use a browser on the computer of the server. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Account, adminAuth, refusal, TestServer } from '../../support/server/server.ts'
import { owner, server, setupServer } from '../../support/server/setup.ts'

setupServer({ accounts: ['olga'] })

type Auth = Parameters<typeof server.get>[2]
const list = (auth: Auth) => server.get('com.core.admin.listOutbox', {}, auth)
const remove = (id: string, more: object = {}) =>
  server.post('com.core.admin.deleteOutboxMessage', { id, ...more }, owner)
const messages = async (auth: Auth = owner) => (await list(auth)).body.messages
const askForReset = async ({ email }: Pick<Account, 'email'>) => {
  expect((await server.post('com.core.server.requestPasswordReset', { email })).status).toBe(200)
  await server.running.services.background.idle()
}

afterEach(async () => {
  for (const { id } of await messages(adminAuth)) await remove(id)
})

test('the owner reads the codes of other people', async () => {
  const guest = await server.account('guest')
  await askForReset(guest)
  expect(await messages()).toMatchObject([
    { to: guest.email, subject: 'Reset your password', code: await server.codeTo(guest.email) },
  ])
})

test('a session of the owner gets no code that would be enough to take the own account over, the admin password does', async () => {
  await askForReset(owner)
  await server.post('com.core.server.requestAccountDelete', undefined, owner)
  await server.post('com.core.identity.requestPlcOperationSignature', undefined, owner)
  await server.post('com.core.server.requestEmailConfirmation', undefined, owner)
  expect(await messages()).toMatchObject([{ subject: 'Confirm your email address' }])
  expect(await messages(adminAuth)).toHaveLength(4)
})

test.each(['olga.@mail.test', '.olga@mail.test', 'ol..ga@mail.test', 'Olga@Mail.test', "o'l+ga@mail.test"])(
  'a session of the owner gets no code for the own account at the address %s',
  async (email) => {
    const another = await TestServer.start()
    try {
      const holder = await another.account('olga', { email })
      await another.post('com.core.server.requestAccountDelete', undefined, holder)
      const read = async (auth: Auth) =>
        (await another.get('com.core.admin.listOutbox', {}, auth)).body.messages
      expect(await read(adminAuth)).toMatchObject([{ to: email.toLowerCase() }])
      expect(await read(holder)).toEqual([])
    } finally {
      await another.close()
    }
  },
)

test('a session of the owner cannot confirm an address that the mail server refused', async () => {
  const mailing = await TestServer.start({ smtpUrl: 'smtp://127.0.0.1:1' })
  try {
    const holder = await mailing.account('olga', { email: 'typo@mail.test' })
    await mailing.post('com.core.server.requestEmailConfirmation', undefined, holder)
    const read = async (auth: Auth) =>
      (await mailing.get('com.core.admin.listOutbox', {}, auth)).body.messages
    expect(await read(adminAuth)).toMatchObject([{ subject: 'Confirm your email address' }])
    expect(await read(holder)).toEqual([])
  } finally {
    await mailing.close()
  }
})

test('others, and the owner on another computer, read nothing', async () => {
  const guest = await server.account('other')
  await askForReset(guest)
  const [{ id }] = await messages()
  expect(await list(guest)).toMatchObject(refusal(403, 'Forbidden'))
  const app = await server.appSession(owner, 'phone')
  expect((await list(app.accessJwt)).status).not.toBe(200)
  const elsewhere = { authorization: `Bearer ${owner.accessJwt}`, 'x-forwarded-for': '192.0.2.7' }
  const notHere = refusal(400, 'NotAtThisComputer')
  expect(await server.fetch('/xrpc/com.core.admin.listOutbox', { headers: elsewhere })).toMatchObject(notHere)
  const deletion = { method: 'POST', body: JSON.stringify({ id }) }
  const headers = { ...elsewhere, 'content-type': 'application/json' }
  const answer = await server.fetch('/xrpc/com.core.admin.deleteOutboxMessage', { ...deletion, headers })
  expect(answer).toMatchObject(notHere)
  expect(await messages()).toMatchObject([{ id }])
})

test('a message is deleted, and brought back until another one is deleted', async () => {
  const guest = await server.account('third')
  await askForReset(guest)
  const before = await messages()
  const { id } = before[0]
  expect((await remove(id)).status).toBe(200)
  expect(await messages()).toEqual([])
  expect((await remove(id, { undo: true })).status).toBe(200)
  expect(await messages()).toEqual(before)
  await remove(id)
  for (const other of ['../pds.sqlite', 'x', '']) expect((await remove(other)).status).toBe(200)
  await remove(id, { undo: true })
  expect(await messages()).toEqual([])
})

test('a list reads a thousand messages at most, also when it leaves them out', async () => {
  const { config } = server
  const write = (index: number, to: string) => {
    const time = `20290101T000000${String(index).padStart(3, '0')}Z`
    const head = `To: ${to}\r\nSubject: Number ${index}\r\nX-PDS-Purpose: resetPassword\r\nX-PDS-Code: ABCDE\r\n`
    writeFileSync(join(config.dataDir, `outbox/${time}-${'0'.repeat(16)}.eml`), `${head}\r\nText\r\n`)
  }
  mkdirSync(join(config.dataDir, 'outbox'), { recursive: true })
  for (let index = 0; index < 1000; index++) write(index, index === 0 ? 'oldest@mail.test' : owner.email)
  expect(await messages()).toMatchObject([{ subject: 'Number 0' }])
  expect(await messages(adminAuth)).toHaveLength(200)
  await askForReset(await server.account('fourth'))
  expect(await messages()).toMatchObject([{ subject: 'Reset your password' }])
  for (const name of readdirSync(join(config.dataDir, 'outbox'))) {
    if (name.startsWith('2029')) rmSync(join(config.dataDir, 'outbox', name))
  }
})
