import { describe, expect, test } from 'vitest'
import { day, hour, minute } from '../../../support/server/clock.ts'
import { sweep } from '../../../support/server/maintenance.ts'
import { type Account, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { mentionsOf } from '../../../support/store/scan.ts'

setupServer()

type Auth = Pick<Account, 'accessJwt'>

const deactivate = (auth: Auth, input?: unknown) =>
  server.post('com.core.server.deactivateAccount', input ?? {}, auth)
const activate = (auth: Auth) => server.post('com.core.server.activateAccount', undefined, auth)
const session = async (auth: Auth) => (await server.get('com.core.server.getSession', {}, auth)).body
const inFuture = (ms: number) => new Date(server.clock.now().getTime() + ms).toISOString()

test('deactivation: the status is deactivated until the account is activated', async () => {
  const alice = await server.account('alice')
  expect((await deactivate(alice)).status).toBe(200)
  const inactive = { active: false, status: 'deactivated' }
  expect(await session(alice)).toMatchObject(inactive)
  expect((await server.signIn(alice)).body).toMatchObject(inactive)
  const refreshed = await server.post('com.core.server.refreshSession', undefined, alice.refreshJwt)
  expect(refreshed.body).toMatchObject(inactive)
  const status = () => server.get('com.core.server.checkAccountStatus', {}, alice)
  expect((await status()).body).toMatchObject({ activated: false })

  expect((await activate(alice)).status).toBe(200)
  expect(await session(alice)).toMatchObject({ active: true })
  expect(await session(alice)).not.toHaveProperty('status')
  expect((await status()).body).toMatchObject({ activated: true })
})

test('deactivation: sessions, sign-in and app passwords still work', async () => {
  const bob = await server.account('bob')
  const app = await server.appSession(bob, 'phone')
  await deactivate(bob)
  expect(await session(app)).toMatchObject({ active: false, status: 'deactivated' })
  expect((await server.signIn(app)).body).toMatchObject({ active: false })
  expect((await server.get('com.core.server.listAppPasswords', {}, bob)).status).toBe(200)
})

test('deactivation: writes are refused', async () => {
  const carla = await server.account('carla')
  await deactivate(carla)
  expect(await server.post('com.core.server.createAppPassword', { name: 'phone' }, carla)).toMatchObject(
    refusal(401, 'AccountDeactivated'),
  )
})

test('deactivation: can be repeated and undone repeatedly', async () => {
  const dan = await server.account('dan')
  for (const change of [deactivate, deactivate, activate, activate])
    expect((await change(dan)).status).toBe(200)
  expect(await session(dan)).toMatchObject({ active: true })
})

describe('deleteAfter', () => {
  test.each([
    ['in the past', '2020-01-01T00:00:00Z'],
    ['that is not a date', 'tomorrow'],
    ['without a time', '2040-01-01'],
    ['with an invalid time', '2040-02-01T25:61:00Z'],
    ['of a day that does not exist', '2040-02-31T12:00:00Z'],
    ['of a leap second', '2040-12-31T23:59:60Z'],
  ])('%s is refused', async (_, deleteAfter) => {
    const erin = await server.account(`e${crypto.randomUUID().slice(0, 8)}`)
    expect(await deactivate(erin, { deleteAfter })).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(await session(erin)).toMatchObject({ active: true })
  })

  test('of the current time is refused', async () => {
    const frank = await server.account('frank')
    const deleteAfter = server.clock.now().toISOString()
    expect(await deactivate(frank, { deleteAfter })).toMatchObject(refusal(400, 'InvalidRequest'))
  })

  test('deletes the account at that time, given in any time zone', async () => {
    const grace = await server.account('grace')
    const due = new Date(server.clock.now().getTime() + day)
    const deleteAfter = new Date(due.getTime() + 5 * hour).toISOString().replace('Z', '+05:00')
    expect((await deactivate(grace, { deleteAfter })).status).toBe(200)
    server.clock.advance(day - minute)
    await sweep(server.running.services)
    expect((await server.signIn(grace)).status).toBe(200)
    server.clock.advance(minute)
    await sweep(server.running.services)
    expect(await server.signIn(grace)).toMatchObject(refusal(401, 'AuthenticationRequired'))
    expect(mentionsOf(server.running.services.store, grace.did)).toEqual([])
  })

  test('deletes the account at the next start if the server was off', async () => {
    const heidi = await server.account('heidi')
    const deleteAfter = inFuture(day)
    await deactivate(heidi, { deleteAfter })
    const status = await server.get('com.core.server.checkAccountStatus', {}, heidi)
    expect(status.body).toMatchObject({ activated: false, deleteAfter })
    server.clock.advance(2 * day)
    await server.restart()
    await server.running.services.background.idle()
    expect(mentionsOf(server.running.services.store, heidi.did)).toEqual([])
  })

  test('is cancelled by activateAccount', async () => {
    const ivan = await server.account('ivan')
    await deactivate(ivan, { deleteAfter: inFuture(hour) })
    await activate(ivan)
    server.clock.advance(day)
    await sweep(server.running.services)
    expect((await server.signIn(ivan)).body).toMatchObject({ active: true })
  })

  test('is replaced by a later deactivation, also by one without it', async () => {
    const judy = await server.account('judy')
    await deactivate(judy, { deleteAfter: inFuture(hour) })
    await deactivate(judy)
    server.clock.advance(day)
    await sweep(server.running.services)
    expect((await server.signIn(judy)).body).toMatchObject({ active: false, status: 'deactivated' })
  })
})
