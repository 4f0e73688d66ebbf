import { expect, test } from 'vitest'
import { type Account, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer()

type Auth = Pick<Account, 'accessJwt'>

const session = (auth: Auth) => server.get('com.core.server.getSession', {}, auth)
const suspended = refusal(401, 'AccountSuspended')

async function suspendedAccount(name: string): Promise<Account> {
  const account = await server.account(name)
  await server.setStatus(account.did, { suspended: true })
  return account
}

test('suspension: the account can sign in, keeps its sessions and has the status suspended', async () => {
  const alice = await suspendedAccount('alice')
  const inactive = { active: false, status: 'suspended' }
  expect((await session(alice)).body).toMatchObject(inactive)
  expect((await server.signIn(alice)).body).toMatchObject(inactive)
  const refreshed = await server.post('com.core.server.refreshSession', undefined, alice.refreshJwt)
  expect(refreshed.body).toMatchObject(inactive)
  const status = await server.get('com.core.server.checkAccountStatus', {}, alice)
  expect(status.body).toMatchObject({ activated: false })
})

test('suspension: writes are refused', async () => {
  const bob = await suspendedAccount('bob')
  const make = () => server.post('com.core.server.createAppPassword', { name: 'phone' }, bob)
  expect(await make()).toMatchObject(suspended)
  await server.setStatus(bob.did, { suspended: false })
  expect((await make()).status).toBe(200)
})

test('suspension: an owner loses admin rights', async () => {
  const other = await TestServer.start()
  try {
    const owner = await other.account('owner-of-all')
    await other.setStatus(owner.did, { suspended: true })
    expect(await other.post('com.core.server.createInviteCode', { useCount: 1 }, owner)).toMatchObject(
      suspended,
    )
  } finally {
    await other.close()
  }
})

test('suspension: activateAccount is refused, also after deactivateAccount', async () => {
  const carla = await suspendedAccount('carla')
  const activate = () => server.post('com.core.server.activateAccount', undefined, carla)
  expect(await activate()).toMatchObject(suspended)
  expect((await server.post('com.core.server.deactivateAccount', {}, carla)).status).toBe(200)
  expect(await activate()).toMatchObject(suspended)
  expect((await session(carla)).body).toMatchObject({ status: 'suspended' })
})

test('suspension: email, password, sessions and deletion still work', async () => {
  const dan = await suspendedAccount('dan')
  await server.confirmEmail(dan)
  expect((await session(dan)).body).toMatchObject({ emailConfirmed: true })
  await server.post('com.core.server.requestPasswordReset', { email: dan.email })
  const reset = { token: await server.codeTo(dan.email), password: 'a new password' }
  expect((await server.post('com.core.server.resetPassword', reset)).status).toBe(200)
  const { body } = await server.signIn(dan, { password: 'a new password' })
  expect((await server.get('com.core.server.listSessions', {}, body)).body.sessions).toHaveLength(1)
  await server.post('com.core.server.requestAccountDelete', undefined, body)
  const input = { did: dan.did, password: 'a new password', token: await server.codeTo(dan.email) }
  expect((await server.post('com.core.server.deleteAccount', input, body)).status).toBe(200)
})

test('suspension: a deactivation stays after it is lifted', async () => {
  const erin = await suspendedAccount('erin')
  await server.post('com.core.server.deactivateAccount', {}, erin)
  await server.setStatus(erin.did, { suspended: false })
  expect((await session(erin)).body).toMatchObject({ active: false, status: 'deactivated' })
  expect((await server.post('com.core.server.activateAccount', undefined, erin)).status).toBe(200)
})

test('status: the most severe of several states is shown', async () => {
  const frank = await server.account('frank')
  await server.setStatus(frank.did, { deactivated: true, suspended: true })
  expect((await session(frank)).body).toMatchObject({ status: 'suspended' })
  await server.setStatus(frank.did, { takedown: true })
  expect((await server.signIn(frank, { allowTakendown: true })).body).toMatchObject({ status: 'takendown' })
})
