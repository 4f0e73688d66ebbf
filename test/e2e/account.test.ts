import type { LexMap } from '@atproto/lex-data'
import { TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { importRepo } from '../support/accounts/moving-account.ts'
import { findings } from '../support/page/accessibility.ts'
import { archiveOf } from '../support/records/archive.ts'
import { day, minute } from '../support/server/clock.ts'
import { setupWorld, world } from '../support/server/setup-world.ts'
import { fillSignIn, heading, open } from '../support/server/world.ts'

setupWorld({ accounts: ['owner1'] })

test('email: an address is added, confirmed, used as second factor and changed', async () => {
  const alice = { ...(await world.server.account('alice', { email: undefined })), email: 'alice@mail.test' }
  const page = await world.signedIn(alice, '/account')
  await page.getByText('No email address', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add email' }).click()
  await page.getByLabel('New email address').fill('alice@mail')
  const isValid = () => page.getByLabel('New email address').evaluate((field) => field.matches(':valid'))
  expect(await isValid()).toBe(false)
  await page.getByLabel('New email address').fill(alice.email)
  expect(await isValid()).toBe(true)
  await page.getByLabel('Your password').fill(alice.password)
  await page.getByRole('dialog').getByRole('button', { name: 'Add email' }).click()
  await page.getByText('Not confirmed').waitFor()
  expect(await page.getByRole('switch', { name: 'Code by email' }).isDisabled()).toBe(true)

  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('This server sends no email. The code is in its outbox').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(alice.email))
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Confirmed', { exact: true }).waitFor()

  await page.getByRole('switch', { name: 'Code by email' }).click()
  await page.getByText('This server sends no email. The code is in its outbox').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(alice.email))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Codes by email turned on').waitFor()
  await page.getByRole('switch', { name: 'Code by email', checked: true }).waitFor()

  await page.getByRole('button', { name: 'Change email address' }).click()
  await page.getByLabel('New email address').fill('new@mail.test')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This server sends no email. The code is in its outbox').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(alice.email))
  await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
  await page.getByText('new@mail.test').waitFor()
  await page.getByText('Not confirmed').waitFor()
  await page.getByRole('switch', { name: 'Code by email', checked: false }).waitFor()
})

test('email: turning codes off keeps an address that another client set since the page was loaded', async () => {
  const nina = await world.server.account('nina')
  const call = async (name: string, input: object) =>
    expect((await world.server.post(`com.core.server.${name}`, input, nina)).status).toBe(200)
  await world.server.confirmEmail(nina)
  const { password } = nina
  const page = await world.signedIn(nina, '/account')
  await call('updateEmail', { email: nina.email, emailAuthFactor: true, password })
  await page.reload()
  await page.getByRole('switch', { name: 'Code by email', checked: true }).waitFor()

  const email = 'nina@second.test'
  await call('requestEmailUpdate', {})
  await call('updateEmail', { email, token: await world.server.codeTo(nina.email) })
  await world.server.confirmEmail({ ...nina, email })
  await call('updateEmail', { email, emailAuthFactor: true, password })
  await page.getByRole('switch', { name: 'Code by email' }).click()
  await page.getByText('This server sends no email. The code is in its outbox').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await world.server.codeTo(email))
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Codes by email turned off').waitFor()
  const { body } = await world.server.get('com.core.server.getSession', {}, nina)
  expect(body).toMatchObject({ email, emailAuthFactor: false })
})

test('email codes: a wrong code shows an error, and a new code can be sent', async () => {
  const bob = await world.server.account('bob')
  const page = await world.signedIn(bob, '/account')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('This server sends no email. The code is in its outbox').waitFor()
  await page.getByText('Ask the owner of this server for the code.').waitFor()
  const first = await world.server.codeTo(bob.email)
  await page.getByLabel('Code', { exact: true }).fill('AAAAA-AAAAA')
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('This code is wrong.').waitFor()
  await page.getByRole('button', { name: 'Make a new code' }).click()
  await page.getByText('A new code is in the outbox of this server.').waitFor()
  const second = await world.server.codeTo(bob.email)
  expect(second).not.toBe(first)
  await page.getByLabel('Code', { exact: true }).fill(second)
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Email address confirmed').waitFor()
})

test('password change: takes the old one; other sessions end, this one stays signed in', async () => {
  const carla = await world.server.account('carla')
  const page = await world.signedIn(carla, '/account')
  const signIns: string[] = []
  page.on('request', (request) => {
    if (/\.(?:create|refresh)Session$/.test(request.url())) signIns.push(request.url())
  })
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill('not her password')
  await dialog.getByLabel('New password').fill('another password')
  await dialog.getByRole('button', { name: 'Change password' }).click()
  await dialog.getByText('Wrong password. Use your main password.').waitFor()
  await dialog.getByLabel('Your password').fill(carla.password)
  await dialog.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed. All other sessions were signed out.').waitFor()
  await open(page, 'Account', 'Sessions')
  await page.getByText('This session').first().waitFor()
  // A new sign-in would need the second step, and could be undone by a call that failed with the old session.
  expect(signIns).toEqual([])
  expect(await page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count()).toBe(1)
  expect(await world.server.mailsTo(carla.email)).toMatchObject([{ purpose: 'notice' }])
})

test('password change: asks for the second step of sign-in', async () => {
  const hugo = await world.server.account('hugo', { email: undefined })
  const page = await world.signedIn(hugo, '/account')
  const totp = await world.server.post('com.core.factor.startTotp', { password: hugo.password }, hugo)
  const app = new TOTP({ secret: totp.body.secret })
  const code = () => app.generate({ timestamp: world.server.clock.now().getTime() })
  const input = { id: totp.body.id, name: 'Phone', code: code() }
  expect((await world.server.post('com.core.factor.confirmTotp', input, hugo)).status).toBe(200)
  world.server.clock.advance(minute)
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill(hugo.password)
  await dialog.getByLabel('New password').fill('another password')
  await dialog.getByRole('button', { name: 'Change password' }).click()
  await dialog.getByLabel('Second step').fill('000000')
  await dialog.getByRole('button', { name: 'Change password' }).click()
  await dialog.getByText('This code is wrong or was used before.').waitFor()
  expect(await findings(page)).toEqual([])
  await dialog.getByLabel('Second step').fill(code())
  await dialog.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed. All other sessions were signed out.').waitFor()
})

test('deactivation: the deletion date is shown, and the account can be reactivated', async () => {
  const dan = await world.server.account('dan')
  // The server uses the clock of the test, the page its own: the date must be years ahead of both.
  const page = await world.signedIn(dan, '/account')
  await page.getByRole('button', { name: 'Deactivate' }).click()
  const inTenYears = new Date(Date.now() + 3650 * day).toISOString().slice(0, 10)
  await page.getByLabel('Delete permanently on').fill(inTenYears)
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
  await page.getByText(/This account will be permanently deleted on .*, in \d+ years?\./).waitFor()
  const deactivated = await world.server.get('com.core.server.getSession', {}, dan)
  expect(deactivated.body).toMatchObject({ active: false, status: 'deactivated' })

  await page.getByRole('button', { name: 'Reactivate' }).click()
  await page.getByText('Account reactivated').waitFor()
  await page.getByText('This account is deactivated.').waitFor({ state: 'detached' })
  const active = await world.server.get('com.core.server.getSession', {}, dan)
  expect(active.body.active).toBe(true)
})

test('deactivation: the deletion can be cancelled in every state of the account', async () => {
  const rosa = await world.server.account('rosa')
  const page = await world.signedIn(rosa, '/account')
  const deleteAfter = new Date(world.server.clock.now().getTime() + 20 * day).toISOString()
  const dateOf = async () =>
    (await world.server.get('com.core.server.checkAccountStatus', {}, rosa)).body.deleteAfter
  for (const suspended of [false, true]) {
    await world.server.setStatus(rosa.did, { suspended })
    const input = { deleteAfter }
    const answer = await world.server.post('com.core.server.deactivateAccount', input, rosa)
    expect(answer.status).toBe(200)
    await page.reload()
    await page.getByRole('button', { name: 'Keep this account' }).click()
    await page.getByText('The account is kept. Its deletion is cancelled.').waitFor()
    await page.getByRole('button', { name: 'Keep this account' }).waitFor({ state: 'detached' })
    expect(await dateOf()).toBeUndefined()
  }
})

test('deletion: needs the handle and the password', async () => {
  const eve = await world.server.account('eve')
  const page = await world.signedIn(eve, '/account')
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByLabel('Your password').fill('not her password')
  await page.getByLabel('Type eve.test to confirm').fill('bob.test')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('This is not the handle of the account.').waitFor()
  await page.getByLabel('Type eve.test to confirm').fill('eve.test')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('Wrong password. Use your main password.').waitFor()
  await page.getByLabel('Your password').fill(eve.password)
  await page.getByRole('button', { name: 'Delete permanently' }).click()

  await page.getByText('eve.test was deleted').waitFor()
  await heading(page, 'Sign in').waitFor()
  await fillSignIn(page, eve)
  await page.getByText('Wrong handle or password.').waitFor()
})

test('account switcher: switches between two accounts and signs one out', async () => {
  const frank = await world.server.account('frank')
  const grace = await world.server.account('grace')
  const page = await world.signedIn(frank)
  await page.getByRole('button', { name: 'Account menu, frank.test' }).click()
  await page.getByRole('menuitem', { name: 'Add an account' }).click()
  await fillSignIn(page, grace)
  await page.getByRole('button', { name: 'Account menu, grace.test' }).click()
  await page.getByRole('menuitemradio', { name: 'frank.test' }).click()
  await page.getByRole('button', { name: 'Account menu, frank.test' }).waitFor()
  await open(page, 'Account')
  await page.getByRole('main').getByText(frank.email).waitFor()
  await page.getByRole('button', { name: 'Account menu, frank.test' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Account menu, grace.test' }).waitFor()
  const remaining = await world.server.get('com.core.server.listSessions', {}, grace)
  expect(remaining.body.sessions).toHaveLength(2)
})

test('stored data: records that an import left out of the index are listed, with the reason', async () => {
  const olga = await world.server.account('olga')
  await world.server.post('com.core.server.deactivateAccount', {}, olga)
  const records = [
    ['com.example.note/good', { text: 'Good' }],
    ['com.example.note/large', { n: 2n ** 60n } as unknown as LexMap],
    ['com.example.old_notes/one', { text: 'Old' }],
  ] as const
  expect((await importRepo(world.server, olga, archiveOf({ did: olga.did, records }))).status).toBe(200)
  await world.server.post('com.core.server.activateAccount', undefined, olga)
  const page = await world.signedIn(olga, '/account')
  const rows = page.getByRole('list', { name: 'Records not shown' }).getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(2)
  await rows.filter({ hasText: 'large' }).getByText('a number in it is too large').waitFor()
  await rows.filter({ hasText: 'one' }).getByText('its key has an old form').waitFor()
})

test('birth date: it is set beside other preferences and changed, and app passwords read the age limits', async () => {
  const nora = await world.server.account('nora')
  const saved = { $type: 'app.example.actor.defs#adultContentPref', enabled: true }
  const getPreferences = 'app.example.actor.getPreferences'
  await world.server.post('app.example.actor.putPreferences', { preferences: [saved] }, nora)
  const page = await world.signedIn(nora, '/account')
  await page.getByText('No birth date', { exact: true }).waitFor()
  for (const [button, date, shown] of [
    ['Add date', '1990-02-03', /1990/],
    ['Change birth date', '1991-02-03', /1991/],
  ] as const) {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('textbox', { name: 'Birth date' }).fill(date)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Birth date saved').first().waitFor()
    await page.getByText(shown).waitFor()
  }
  const { body } = await world.server.get(getPreferences, {}, nora)
  expect(body.preferences).toMatchObject([saved, { birthDate: '1991-02-03T00:00:00.000Z' }, {}])
  const app = await world.server.appSession(nora, 'phone')
  const { body: limited } = await world.server.get(getPreferences, {}, app.accessJwt)
  expect(limited.preferences).toMatchObject([saved, { isOverAge13: true, isOverAge18: true }])
})

test('identifiers: in a narrow window the copy button covers no command', async () => {
  const page = await world.signedIn(await world.server.account('pia'), '/account', { width: 360 })
  await page.getByText('Identifiers for tools').click()
  const command = await page.getByText(/^curl /).boundingBox()
  const copy = await page.getByRole('button', { name: 'Copy command' }).boundingBox()
  if (!command || !copy) throw new Error('not shown')
  expect(copy.x).toBeGreaterThanOrEqual(command.x + command.width)
})
