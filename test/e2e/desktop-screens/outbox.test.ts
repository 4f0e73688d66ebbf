/** The Outbox screen. With a scripted bridge. */
import { describe, expect, test } from 'vitest'
import { done, failed } from '../../support/desktop/desktop-bridge.ts'
import {
  alice,
  confirmation,
  desktop,
  reset,
  setupScreens,
  signedIn,
  visitor,
} from '../../support/desktop/desktop-screens.ts'
import { focused } from '../../support/page/accessibility.ts'
import { world } from '../../support/server/setup-ordinary-world.ts'
import { heading } from '../../support/server/world.ts'

setupScreens()

describe('outbox', () => {
  test('an empty outbox links to the mail settings', async () => {
    const page = await signedIn('/outbox')
    await page.getByText('The outbox is empty').waitFor()
    await page.getByRole('link', { name: 'Set up a mail server' }).click()
    await heading(page, 'Server').waitFor()
  })

  test('new messages appear first, and codes can be copied', async () => {
    desktop.outbox = [confirmation]
    const page = await signedIn('/outbox')
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Server' })
    await link.getByRole('img', { name: '1 message' }).waitFor()
    await desktop.addMessage(reset)
    await link.getByRole('img', { name: '2 messages' }).waitFor()
    const rows = page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
    expect(await rows.getByRole('heading').allTextContents()).toEqual([reset.subject, confirmation.subject])
    await rows.first().getByText('The mail server did not accept this message.').waitFor()
    await rows
      .first()
      .getByText(reset.failure ?? '')
      .waitFor()
    await page.getByRole('button', { name: 'Copy code AAAAA-22222' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('AAAAA-22222')
    expect(await page.getByText(confirmation.text).isVisible()).toBe(false)
    await page.getByText('Show message').last().click()
    await page.getByText(confirmation.text).waitFor()
  })

  test('a banner announces messages until it is dismissed, and again for a new one', async () => {
    desktop.outbox = [confirmation]
    const page = await signedIn()
    const banner = page.getByRole('alert')
    await banner.getByText('A message could not be emailed.').waitFor()
    await banner.getByRole('button', { name: 'Dismiss' }).click()
    await banner.waitFor({ state: 'detached' })
    await desktop.addMessage(reset)
    await banner.getByText('A message could not be emailed.').waitFor()
    await banner.getByRole('link', { name: 'Open outbox' }).click()
    await heading(page, 'Outbox').waitFor()
    expect(await banner.count()).toBe(0)
  })

  test('undo by keyboard restores a deleted message', async () => {
    desktop.outbox = [confirmation, reset]
    const page = await signedIn('/outbox')
    const remove = (name: RegExp) => page.getByRole('button', { name })
    await remove(/^Delete Reset/).focus()
    await page.keyboard.press('Enter')
    await remove(/^Delete Reset/).waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Delete Confirm your email address to alice@mail.test')
    await page.getByText('Message deleted').waitFor()
    for (let tabs = 0; (await focused(page)) !== 'Undo' && tabs < 6; tabs++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await remove(/^Delete Reset/).waitFor()
    expect(desktop.callsOf('outbox.restore')).toEqual([['second']])
  })

  test('a test message is sent, or shows the error', async () => {
    const page = await signedIn('/outbox')
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('No mail server is set up. The test message is in the outbox').waitFor()
    desktop.view = { ...desktop.view, mail: { ...desktop.view.mail, host: 'smtp.example.com' } }
    await desktop.emit('settings', desktop.view)
    await page.getByRole('button', { name: 'Send a test message' }).click()
    const to = page.getByLabel('To', { exact: true })
    expect(await to.inputValue()).toBe(alice.email)
    desktop.handlers['outbox.test'] = () => failed('smtp.example.com refused the sender. Change it.')
    await to.fill('carla@mail.test')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('smtp.example.com refused the sender. Change it.').waitFor()
    desktop.handlers['outbox.test'] = () => done(undefined)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Test message sent to carla@mail.test').waitFor()
    expect(desktop.callsOf('outbox.test').at(-1)).toEqual(['carla@mail.test'])
  })

  test('the outbox opens in a dialog from the code field', async () => {
    desktop.outbox = [reset]
    const page = await visitor('/reset')
    await page.getByLabel('Email').fill('bob@mail.test')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Open outbox' }).click()
    await page.getByRole('dialog', { name: 'Outbox' }).getByText('BBBBB-33333').first().waitFor()
    await page.keyboard.press('Escape')
    await heading(page, 'Set a new password').waitFor()

    await world.closeProfiles()
    const account = await signedIn('/account')
    await account.getByRole('button', { name: 'Confirm' }).click()
    await account.getByRole('button', { name: 'Open outbox' }).click()
    await account.getByRole('dialog', { name: 'Outbox' }).getByText('BBBBB-33333').first().waitFor()
    await account.keyboard.press('Escape')
    await account.getByRole('dialog', { name: 'Outbox' }).waitFor({ state: 'detached' })
    await account.getByLabel('Code', { exact: true }).waitFor()
  })
})
