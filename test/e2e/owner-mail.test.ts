/** The mail server in a browser on the computer of the server, which `npm run serve` starts again. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { findingsInBothSchemes } from '../support/page/accessibility.ts'
import { launchBrowser } from '../support/page/browser.ts'
import { ServeProcess } from '../support/server/serve-process.ts'
import type { Account } from '../support/server/server.ts'
import { World } from '../support/server/world.ts'
import { type SmtpServer, startSmtpServer } from '../support/services/smtp-server.ts'

const login = { user: 'alice@mail.test', password: 'a mail password' }
let smtp: SmtpServer
let server: ServeProcess
let world: World<ServeProcess>
let owner: Account

beforeAll(async () => {
  smtp = await startSmtpServer({ login })
  server = await ServeProcess.start()
  world = World.of(server, await launchBrowser())
  owner = await server.account('alice')
})
// While the server starts again, the browser logs that it cannot be reached.
afterEach(() => world.closeProfiles())
afterAll(async () => {
  await world.close()
  await smtp.close()
})

test('the owner tests a mail server and saves it; messages are mailed from then on', async () => {
  const page = await world.signedIn(owner, '/server')
  // With spaces, as from where it was copied.
  await page.getByLabel('Mail server').fill(' 127.0.0.1 ')
  await page.getByLabel('Mail port').fill(`${new URL(smtp.url).port} `)
  await page.getByLabel('Encryption').selectOption('None (not encrypted)')
  await page.getByLabel('User name').fill(` ${login.user}`)
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByLabel('Sender').fill('not an address')
  const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Email' }) })
  const confirmation = page.getByRole('dialog', { name: 'Confirm the change' })

  await page.getByRole('button', { name: 'Send a test' }).click()
  const sending = page.getByRole('dialog', { name: 'Test these settings' })
  await sending.getByLabel('Your password').fill(owner.password)
  await sending.getByRole('button', { name: 'Send', exact: true }).click()
  await sending.getByText('Sender: This must be an email address').waitFor()
  await page.keyboard.press('Escape')
  await page.getByLabel('Sender').fill('Home <alice@mail.test>')
  await page.getByRole('button', { name: 'Send a test' }).click()
  await sending.getByLabel('Your password').fill(owner.password)
  expect(await findingsInBothSchemes(page)).toEqual([])
  await sending.getByRole('button', { name: 'Send', exact: true }).click()
  await sending.getByText('535').waitFor()
  await page.keyboard.press('Escape')
  await page.getByLabel('Password', { exact: true }).fill(login.password)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await sending.getByLabel('Your password').fill(owner.password)
  await sending.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText(`Test message sent to ${owner.email}`).waitFor()
  expect(smtp.messages.at(-1)?.to).toEqual([`<${owner.email}>`])

  const tab = await world.tab(page.context())
  await tab.goto(`${world.url}/#/server`)
  await tab.getByLabel('Mail server').waitFor()
  await section.getByRole('button', { name: 'Save', exact: true }).click()
  await confirmation.getByText('The mail server reads every code').waitFor()
  await confirmation.getByLabel('Your password').fill('a guess')
  await confirmation.getByRole('button', { name: 'Save', exact: true }).click()
  await confirmation.getByText('Wrong password').waitFor()
  await confirmation.getByLabel('Your password').fill(owner.password)
  await confirmation.getByRole('button', { name: 'Save', exact: true }).click()
  await confirmation.waitFor({ state: 'detached' })
  await page.getByText('A password is saved. Leave empty to keep it.').waitFor()
  await expect.poll(() => tab.getByLabel('Mail server').inputValue()).toBe('127.0.0.1')
  expect(await findingsInBothSchemes(page)).toEqual([])
  expect((await server.get('com.core.server.describeServer')).body.mailDelivery).toBe('mail')
})

test('a mail server that the command sets is shown, and how to change it', async () => {
  const other = await ServeProcess.start('--smtp-url', 'smtps://me:secret@mail.example.com')
  const elsewhere = World.of(other, await launchBrowser())
  try {
    const page = await elsewhere.signedIn(await other.account('olga'), '/server')
    await page.getByText('Messages are sent by mail.example.com. Set by --smtp-url.').waitFor()
    expect(await page.getByLabel('Mail server').count()).toBe(0)
  } finally {
    await elsewhere.close()
  }
})
