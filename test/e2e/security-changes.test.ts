/** What an account sees of changes that could lock its holder out. */
import { expect, test } from 'vitest'
import { findingsInBothSchemes } from '../support/page/accessibility.ts'
import { setupWorld, world } from '../support/server/setup-world.ts'
import { fillSignIn, heading } from '../support/server/world.ts'

setupWorld({ accounts: ['owner1'] })

test('an account without an email address sees what was changed, when and by which client', async () => {
  const account = await world.server.account('alice', { email: undefined })
  const page = await world.signedIn(account, '/account')
  await page.getByText('No changes', { exact: true }).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])

  const thief = { authorization: `Bearer ${account.accessJwt}`, 'content-type': 'application/json' }
  const { status } = await world.server.fetch('/xrpc/com.core.identity.updateHandle', {
    method: 'POST',
    headers: { ...thief, 'user-agent': 'Thief/1.0' },
    body: JSON.stringify({ handle: 'stolen.test' }),
  })
  expect(status).toBe(200)
  await page.reload()
  const changes = page.getByRole('list', { name: 'Security changes' }).getByRole('listitem')
  await changes.getByText('Handle changed').waitFor()
  await changes.getByText('Thief').waitFor()
  expect(await changes.getByRole('time').count()).toBe(1)
  expect(await findingsInBothSchemes(page)).toEqual([])

  await page.getByRole('button', { name: 'Add email' }).click()
  await page.getByLabel('New email address').fill('alice@mail.test')
  await page.getByLabel('Your password').fill(account.password)
  await page.getByRole('dialog').getByRole('button', { name: 'Add email' }).click()
  await changes.getByText('Email address changed').waitFor()
  expect(await changes.count()).toBe(2)
  await changes.first().getByText('Chrome on Linux').waitFor()

  const other = await world.visitor()
  await fillSignIn(other, { ...account, handle: 'stolen.test' })
  await heading(other, 'Home').waitFor()
})
