/** A lost device: the person at the computer removes the second steps of sign-in. */
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../../support/desktop/bridge.ts'
import { Machine } from '../../support/desktop/desktop.ts'
import { fillSignIn, heading } from '../../support/server/world.ts'

let machine: Machine

beforeAll(async () => {
  machine = await Machine.create()
})
afterAll(() => machine.close())

test('the app window removes the second steps of an account, and signs in with the password', async () => {
  const app = await machine.start()
  const page = await app.page()
  await call(page, 'server.start')
  const alice = { handle: 'alice.test', password: 'alice-password' }
  const { accessJwt } = await send<{ accessJwt: string }>('server.createAccount', alice)
  const { id, secret } = await send<{ id: string; secret: string }>(
    'factor.startTotp',
    { password: alice.password },
    accessJwt,
  )
  const code = new TOTP({ secret }).generate()
  await send('factor.confirmTotp', { id, name: 'Phone', code }, accessJwt)

  expect(await call(page, 'factors.remove', 'bob.test')).toMatchObject({ ok: false })
  await page.evaluate("location.hash = '#/sign-in'")
  await fillSignIn(page, alice)
  await heading(page, 'Second step').waitFor()
  expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Lost your device?' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove all' }).click()
  await heading(page, 'Home').waitFor()

  await page.evaluate("location.hash = '#/account'")
  const changes = page.getByRole('list', { name: 'Security changes' }).getByRole('listitem')
  await changes.first().getByText('By the administrator of the server').waitFor()
  expect(await changes.getByText(/^Second step (?:added|removed)$/).allTextContents()).toEqual([
    'Second step removed',
    'Second step added',
  ])
})

async function send<T>(method: string, input?: object, token?: string): Promise<T> {
  const answer = await fetch(`${machine.endpoint}/xrpc/com.core.${method}`, {
    method: 'POST',
    headers: {
      ...(input && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(input && { body: JSON.stringify(input) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return (text === '' ? undefined : JSON.parse(text)) as T
}
