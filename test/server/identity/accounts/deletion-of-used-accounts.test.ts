/** Deletion of accounts that have been used: jobs have written rows about them, apps and second factors sign in to them. */
import { TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { App } from '../../../support/accounts/oauth-app.ts'
import { hour, minute } from '../../../support/server/clock.ts'
import { sweep } from '../../../support/server/maintenance.ts'
import { type Account, adminAuth } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { mentionsOf } from '../../../support/store/scan.ts'

setupServer({ config: { publicUrl: undefined } })

/** Tables by DID that only fill with use. */
const tables = ['session_uses', 'oauth_requests', 'second_factors', 'recovery_codes']

const write = (account: Account) =>
  server.post(
    'com.core.repo.createRecord',
    { repo: account.did, collection: 'com.example.note', record: {} },
    account,
  )

/** An account with rows in all of these tables. */
async function usedAccount(name: string): Promise<Account> {
  const account = await server.account(name)
  const app = await App.create()
  await app.signIn(account)
  await app.code(account)
  const { body } = await server.post('com.core.factor.startTotp', { password: account.password }, account)
  const code = new TOTP({ secret: body.secret }).generate({ timestamp: server.clock.now().getTime() })
  await server.post('com.core.factor.confirmTotp', { id: body.id, name: 'Phone', code }, account)
  expect((await write(account)).status).toBe(200)
  const { identity, store } = server.running.services
  await identity.uses.write()
  await identity.lastUsed.write()
  const mentioned = new Set(mentionsOf(store, account.did).map((text) => text.split('.')[0]))
  expect(tables.filter((table) => !mentioned.has(table))).toEqual([])
  return account
}

/** Deletes an account, and expects that nothing mentions it, also after jobs have written what they noted before. */
async function expectNoRows(account: Account, remove: () => Promise<unknown>): Promise<void> {
  // Noted in memory only.
  expect((await write(account)).status).toBe(200)
  await remove()
  const { identity, store, background } = server.running.services
  await identity.uses.write()
  await identity.lastUsed.write()
  await sweep(server.running.services)
  await background.idle()
  expect(mentionsOf(store, account.did)).toEqual([])
}

test('deletion: an account that has been used is deleted by its holder', async () => {
  const account = await usedAccount('ada')
  await expectNoRows(account, async () => {
    await server.post('com.core.server.requestAccountDelete', undefined, account)
    const token = await server.codeTo(account.email)
    const input = { did: account.did, password: account.password, token }
    expect((await server.post('com.core.server.deleteAccount', input, account)).status).toBe(200)
  })
})

test('deletion: an account that has been used is deleted by the administrator', async () => {
  const account = await usedAccount('ben')
  await expectNoRows(account, async () => {
    const { status } = await server.post('com.core.admin.deleteAccount', { did: account.did }, adminAuth)
    expect(status).toBe(200)
  })
})

test('deletion: an account that has been used is deleted at its date', async () => {
  const account = await usedAccount('cid')
  await expectNoRows(account, async () => {
    const deleteAfter = new Date(server.clock.now().getTime() + hour).toISOString()
    await server.post('com.core.server.deactivateAccount', { deleteAfter }, account)
    server.clock.advance(hour + minute)
    await sweep(server.running.services)
  })
})
