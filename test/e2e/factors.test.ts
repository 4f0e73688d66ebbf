import { readFile } from 'node:fs/promises'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { findingsInBothSchemes, overflowAt } from '../support/page/accessibility.ts'
import { minute } from '../support/server/clock.ts'
import { owner as alice, setupWorld, world } from '../support/server/setup-world.ts'
import { fillSignIn, heading } from '../support/server/world.ts'

setupWorld({ accounts: ['alice'] })

const codes = async (page: Page) => {
  await page.getByRole('dialog', { name: 'Your recovery codes' }).waitFor()
  const text = await page.getByRole('status', { name: 'Recovery codes' }).textContent()
  await page.getByRole('button', { name: 'I saved it' }).click()
  return text?.split('\n') ?? []
}

/** A device with a fingerprint sensor. */
async function addDevice(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

test('an authenticator app: added by its QR code, asked for at sign-in, replaced by a recovery code, removed', async () => {
  const page = await world.signedIn(alice, '/account')
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  await page.getByLabel('Your password').fill('wrong password')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Wrong password.').waitFor()
  await page.getByLabel('Your password').fill(alice.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  const secret = await page
    .getByRole('dialog')
    .getByText(/^[A-Z2-7]{32}$/)
    .textContent()
  const totp = new TOTP({ secret: secret ?? '' })
  const code = () => totp.generate({ timestamp: world.server.clock.now().getTime() })
  await page.getByLabel('Code that the app shows').fill('000000')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('This code is wrong.').waitFor()
  await page.getByLabel('Code that the app shows').fill(code())
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('dialog', { name: 'Your recovery codes' }).waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as a file' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe('recovery-codes-alice.test.txt')
  const saved = await readFile(await file.path(), 'utf8')
  expect(await findingsInBothSchemes(page)).toEqual([])
  expect(await overflowAt(page, [320, 1280])).toEqual([0, 0])
  const shown = await codes(page)
  expect(saved.trim().split('\n').slice(-10)).toEqual(shown)
  const [recovery = ''] = shown
  expect(recovery).toMatch(/^[A-Z2-7]{5}-[A-Z2-7]{5}$/)
  await page.getByText('10 codes left').waitFor()

  await world.server.clock.advance(minute)
  const other = await world.visitor()
  await fillSignIn(other, alice)
  await heading(other, 'Second step').waitFor()
  expect(await other.getByRole('button', { name: /new code$/ }).count()).toBe(0)
  await other.getByLabel('Code').fill('000000')
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByText('This code is wrong or was used before.').waitFor()
  await other.getByLabel('Code').fill(code())
  await other.getByRole('button', { name: 'Sign in' }).click()
  await heading(other, 'Home').waitFor()

  const third = await world.visitor()
  await fillSignIn(third, alice)
  await third.getByLabel('Code').fill(recovery)
  await third.getByRole('button', { name: 'Sign in' }).click()
  await heading(third, 'Home').waitFor()

  await page.reload()
  await page.getByText('9 codes left').waitFor()
  await page.getByRole('button', { name: 'Remove Phone' }).click()
  await page.getByLabel('Your password').fill('wrong password')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Wrong password.').waitFor()
  await page.getByLabel('Your password').fill(alice.password)
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByLabel('Second step').fill('000000')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('This code is wrong or was used before.').waitFor()
  await world.server.clock.advance(minute)
  await page.getByLabel('Second step').fill(code())
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Phone removed').waitFor()
  await page.getByText('codes left').waitFor({ state: 'detached' })
})

test('a passkey: added and used in a browser', async () => {
  const account = await world.server.account('bob')
  const page = await world.signedIn(account, '/account')
  await addDevice(page)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Laptop')
  await page.getByLabel('Your password').fill('wrong password')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Wrong password.').waitFor()
  await page.getByLabel('Your password').fill(account.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  expect(await codes(page)).toHaveLength(10)
  await page.getByText('For sign-in on localhost').waitFor()

  await page.getByRole('button', { name: 'bob.test' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await fillSignIn(page, account)
  await heading(page, 'Second step').waitFor()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await heading(page, 'Home').waitFor()
})

test('a browser without the passkey says so, and a code still signs in', async () => {
  const account = await world.server.account('carla')
  const page = await world.signedIn(account, '/account')
  await addDevice(page)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Your password').fill(account.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  const [recovery = ''] = await codes(page)
  const other = await world.visitor()
  await addDevice(other)
  await fillSignIn(other, account)
  await other.getByRole('button', { name: 'Use a passkey' }).click()
  await other.getByText('The browser did not complete the passkey.').waitFor()
  await other.getByLabel('Code').fill(recovery)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await heading(other, 'Home').waitFor()
})

test('the owner removes the second steps of an account whose device is lost', async () => {
  const account = await world.server.account('dan')
  const { body } = await world.server.post(
    'com.core.factor.startTotp',
    { password: account.password },
    account,
  )
  const code = new TOTP({ secret: body.secret }).generate({ timestamp: world.server.clock.now().getTime() })
  await world.server.post('com.core.factor.confirmTotp', { id: body.id, name: 'Phone', code }, account)
  const page = await world.signedIn(alice, '/accounts')
  await page.getByRole('button', { name: 'Actions for dan.test' }).click()
  await page.getByRole('menuitem', { name: 'Remove second steps' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove second steps' }).click()
  await page.getByText('Second steps of dan.test removed').waitFor()
  expect((await world.server.signIn(account)).status).toBe(200)
})
