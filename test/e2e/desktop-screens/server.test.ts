/** The Server screen. With a scripted bridge. */
import { describe, expect, test } from 'vitest'
import { done, failed } from '../../support/desktop/desktop-bridge.ts'
import { alice, desktop, setupScreens, signedIn } from '../../support/desktop/desktop-screens.ts'
import { focused } from '../../support/page/accessibility.ts'
import { heading, open } from '../../support/server/world.ts'

setupScreens()

describe('server', () => {
  test('an invalid setting shows an error at its field, a valid one is saved', async () => {
    const page = await signedIn('/server')
    const port = page.getByLabel('Port', { exact: true })
    const change = desktop.handlers['settings.change']
    desktop.handlers['settings.change'] = () => ({ port: 'It must be a number up to 65535.' })
    await port.fill('99999')
    await page.getByText('Saving restarts the server').waitFor()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('It must be a number up to 65535.').waitFor()
    await port.and(page.locator(':focus[aria-invalid=true]')).waitFor()

    desktop.handlers['settings.change'] = change
    await port.fill('2600')
    await page.keyboard.press('Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(desktop.callsOf('settings.change').at(-1)).toEqual([{ port: '2600' }])
    expect(await page.getByText('Saving restarts the server').count()).toBe(0)
    await page.getByRole('link', { name: 'Home' }).click()
    await heading(page, 'Home').waitFor()
  })

  test('leaving with unsaved changes asks first', async () => {
    const page = await signedIn('/')
    await open(page, 'Server')
    const domains = page.getByLabel('Handle domains')
    await domains.fill('.example')
    await expect.poll(() => desktop.unsaved).toBe(true)
    const dialog = page.getByRole('dialog', { name: 'Discard changes?' })
    await page.getByRole('link', { name: 'Home' }).click()
    await expect.poll(() => focused(page)).toBe('Keep editing')
    await page.keyboard.press('Enter')
    expect(await domains.inputValue()).toBe('.example')
    await desktop.emit('navigate', '/notifications')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate('history.go(-3)')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    expect(await domains.inputValue()).toBe('.example')
    await open(page, 'Account')
    await dialog.getByRole('button', { name: 'Discard changes' }).click()
    await heading(page, 'Account').waitFor()
    await open(page, 'Server')
    expect(await domains.inputValue()).toBe('')
    await domains.fill('.example')
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => desktop.unsaved).toBe(false)
    await page.getByRole('link', { name: 'Home' }).click()
    await heading(page, 'Home').waitFor()
  })

  test('mail settings are tested before saving, and the password is never shown again', async () => {
    const page = await signedIn('/server')
    await page.getByLabel('Mail server').fill('smtp.example.com')
    await page.getByLabel('User name').fill('me')
    await page.getByLabel('Password', { exact: true }).fill('geheim')
    await page.getByLabel('Encryption').selectOption('STARTTLS')
    await page.getByRole('button', { name: 'Send a test' }).click()
    desktop.handlers['mail.test'] = () => failed('The mail server rejected the password. Check it.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('The mail server rejected the password. Check it.').waitFor()
    desktop.handlers['mail.test'] = () => done(undefined)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText(`Test message sent to ${alice.email}`).waitFor()
    const mail = { host: 'smtp.example.com', user: 'me', security: 'starttls' }
    expect(desktop.callsOf('mail.test').at(-1)).toEqual([
      expect.objectContaining(mail),
      'geheim',
      alice.email,
    ])
    expect(desktop.callsOf('mail.change')).toEqual([])

    await page.getByLabel('Mail server').press('Enter')
    await page.getByText('A password is saved. Leave empty to keep it.').waitFor()
    expect(desktop.callsOf('mail.change')).toEqual([[expect.objectContaining(mail), 'geheim']])
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
    desktop.handlers['mail.change'] = () => ({ from: 'This is not an address.' })
    await page.getByLabel('Sender').fill('unknown')
    await page.keyboard.press('Enter')
    await page.getByText('This is not an address.').waitFor()
    expect(desktop.callsOf('mail.change').at(-1)).toEqual([
      expect.objectContaining({ from: 'unknown' }),
      undefined,
    ])

    const remove = page.getByRole('switch', { name: 'Remove the saved password' })
    await remove.check()
    expect(await page.getByLabel('Password', { exact: true }).isDisabled()).toBe(true)
    desktop.handlers['mail.change'] = (changed) => {
      desktop.view = { ...desktop.view, mail: changed, hasMailPassword: false }
      return {}
    }
    await page.getByLabel('Sender').press('Enter')
    await remove.waitFor({ state: 'detached' })
    expect(desktop.callsOf('mail.change').at(-1)?.[1]).toBe('')
  })

  test('stop and start work, and a restart keeps the screen and is announced', async () => {
    const page = await signedIn('/server')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('alert').getByText('The server is stopped.').waitFor()
    await page.getByRole('complementary').getByText('Stopped').waitFor()
    await page.getByRole('alert').getByRole('button', { name: 'Start' }).click()
    await page.getByRole('complementary').getByText('Running').waitFor()
    await page.getByLabel('Port', { exact: true }).fill('2601')
    await page.evaluate(`
      announcements = []
      new MutationObserver(() => announcements.push(document.querySelector('[role=alert]')?.innerText))
        .observe(document.body, { childList: true, subtree: true })
    `)
    await desktop.setState({ kind: 'stopping' })
    await desktop.setState({ kind: 'stopped' })
    await desktop.setState({ kind: 'starting' })
    await page.getByText('The server is restarting. Clients reconnect automatically.').waitFor()
    expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true)
    await desktop.setState(desktop.running())
    await page.getByRole('complementary').getByText('Running').waitFor()
    expect(await page.getByLabel('Port', { exact: true }).inputValue()).toBe('2601')
    expect(String(await page.evaluate('announcements'))).not.toContain('is stopped')
  })

  test('the tray setting is hidden without a tray, and a warning appears without a keyring', async () => {
    desktop.view = { ...desktop.view, hasTray: false, secretProtection: 'plain' }
    const page = await signedIn('/server')
    await page.getByText('No system keyring is available.').waitFor()
    await page.getByRole('button', { name: 'Open folder' }).click()
    await expect.poll(() => desktop.callsOf('app.openFolder')).toEqual([['data']])
    await open(page, 'Settings')
    await page.getByRole('switch', { name: 'Start when I sign in to this computer' }).waitFor()
    expect(await page.getByText('Keep running when the window is closed').count()).toBe(0)
  })
})
