import { describe, expect, test } from 'vitest'
import { owner, setupWorld, world } from '../support/server/setup-world.ts'
import { fillSignIn, heading } from '../support/server/world.ts'

const repoRef = (did: string) => ({ $type: 'com.core.admin.defs#repoRef', did })

describe('a server with accounts', () => {
  setupWorld({ accounts: ['alice', 'bob'] })

  test('address: a visit of 127.0.0.1 leads to the same screen at localhost', async () => {
    const page = await world.visitor()
    await page.goto(`${world.url.replace('localhost', '127.0.0.1')}/#/reset`)
    await heading(page, 'Reset your password').waitFor()
    expect(page.url()).toBe(`${world.url}/#/reset`)
  })

  test('sign-in: a wrong password shows an error, the right one opens Home', async () => {
    const page = await world.visitor()
    await heading(page, 'Sign in').waitFor()
    await fillSignIn(page, { handle: 'bob.test', password: 'not his password' })
    await page.getByText('Wrong handle or password.').waitFor()
    await fillSignIn(page, { handle: 'b'.repeat(5000), password: 'not his password' })
    await page.getByText('This is too long. Shorten it.').waitFor()
    await fillSignIn(page, { handle: 'bob.test', password: 'bob-password' })
    await heading(page, 'Home').waitFor()
  })

  test('sign-up: the handle is checked while it is typed', async () => {
    const page = await world.visitor('/create')
    const handle = page.getByLabel('Handle')
    await handle.fill('bob')
    await page.getByText('bob.test is already taken. Try another.').waitFor()
    await handle.fill('b')
    await handle.blur()
    await page.getByText('Use at least 3 characters.').waitFor()
    await handle.fill('no spaces!')
    await page.getByText('Use only letters, digits and hyphens').waitFor()
    await handle.fill('admin')
    await page.getByText('admin.test is available').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('long enough')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('This handle is already taken or reserved. Try another.').waitFor()
  })

  test('sign-up: a pasted full handle works and password managers save it', async () => {
    const page = await world.visitor('/create')
    await page.getByLabel('Handle').fill(' @Hanna.test ')
    await page.getByText('hanna.test is available').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('hanna-password')
    expect(await page.locator('form [autocomplete=username]').inputValue()).toBe('hanna.test')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Welcome, hanna.test.').waitFor()
  })

  test('sign-up: asks for handle and password only; email and birth date are offered later', async () => {
    const page = await world.visitor('/create')
    await page.getByLabel('Handle').fill('petra')
    await page.getByText('petra.test is available').waitFor()
    expect(await page.getByRole('main').locator('input:visible').count()).toBe(2)
    await page.getByLabel('Password', { exact: true }).fill('petra-password')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Welcome, petra.test.').waitFor()
    // Nothing covers what the new person presses next.
    expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0)
    await page.getByRole('link', { name: 'add an email address' }).waitFor()
    await page.getByRole('button', { name: 'add a birth date' }).click()
    await page.getByLabel('Birth date').fill('1990-02-03')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Birth date saved').waitFor()
    await page.getByRole('button', { name: 'add a birth date' }).waitFor({ state: 'detached' })
    const { body: petra } = await world.server.post('com.core.server.createSession', {
      identifier: 'petra.test',
      password: 'petra-password',
    })
    const { body } = await world.server.get('app.example.actor.getPreferences', {}, petra.accessJwt)
    expect(body.preferences).toMatchObject([{ birthDate: '1990-02-03T00:00:00.000Z' }, { isOverAge18: true }])
  })

  test('sign-in: the second factor asks for the emailed code', async () => {
    const carla = await world.server.account('carla')
    await world.server.post('com.core.server.requestEmailConfirmation', undefined, carla)
    const confirmation = { email: carla.email, token: await world.server.codeTo(carla.email) }
    await world.server.post('com.core.server.confirmEmail', confirmation, carla)
    await world.server.post('com.core.server.requestEmailUpdate', undefined, carla)
    const turnedOn = {
      email: carla.email,
      emailAuthFactor: true,
      token: await world.server.codeTo(carla.email),
    }
    expect((await world.server.post('com.core.server.updateEmail', turnedOn, carla)).status).toBe(200)

    const page = await world.visitor()
    await fillSignIn(page, carla)
    await heading(page, 'Second step').waitFor()
    await page.getByLabel('Code').fill('AAAAA-AAAAA')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This code is wrong.').waitFor()
    const first = await world.server.codeTo(carla.email)
    await page.getByRole('button', { name: 'Make a new code' }).click()
    await page.getByText('A new code is in the outbox of this server.').waitFor()
    expect(await world.server.codeTo(carla.email)).not.toBe(first)
    await page.getByRole('button', { name: 'Back to sign-in' }).click()
    await heading(page, 'Sign in').waitFor()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await heading(page, 'Second step').waitFor()
    await page.getByLabel('Code').fill(await world.server.codeTo(carla.email))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await heading(page, 'Home').waitFor()
  })

  test('sign-in: an app password is rejected and leaves no session', async () => {
    const dan = await world.server.account('dan')
    const { body } = await world.server.post('com.core.server.createAppPassword', { name: 'phone' }, dan)
    const page = await world.visitor()
    await fillSignIn(page, { handle: dan.handle, password: body.password })
    await page.getByText('This is an app password.').waitFor()
    const { body: open } = await world.server.get('com.core.server.listSessions', {}, dan)
    expect(open.sessions).toHaveLength(1)
  })

  test('sign-in: an account that was taken down only gets the screen for moving out', async () => {
    const eve = await world.server.account('eve')
    const down = { subject: repoRef(eve.did), takedown: { applied: true } }
    expect((await world.server.post('com.core.admin.updateSubjectStatus', down, owner)).status).toBe(200)

    const page = await world.visitor()
    await fillSignIn(page, eve)
    await page.getByRole('button', { name: 'Sign in anyway' }).click()
    await heading(page, 'Account taken down').waitFor()
    expect(await page.getByRole('navigation').getByRole('link').count()).toBe(0)
    await page.getByLabel('Service (DID)').fill('did:web:other.example')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByText('"lxm": "com.core.server.createAccount"').waitFor()

    // A method that the session may not call fails, and the session stays: it could not be refreshed.
    await page.route('**/*getServiceAuth*', (route) =>
      route.fulfill({ status: 400, json: { error: 'InvalidToken', message: 'Bad token scope' } }),
    )
    await page.getByRole('button', { name: 'Create token' }).click()
    await page
      .getByText('This session may not do that. Sign in with the main password of the account.')
      .waitFor()
    await heading(page, 'Account taken down').waitFor()
  })

  test('password reset: an emailed code sets a new password', async () => {
    const frank = await world.server.account('frank')
    const page = await world.visitor('/sign-in')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('Email').fill(frank.email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(`If an account uses ${frank.email}, a code is in its outbox`).waitFor()
    await heading(page, 'Set a new password').waitFor()
    await page.getByLabel('Code').fill(await world.server.codeTo(frank.email))
    await page.getByLabel('New password').fill('a better password')
    await page.getByRole('button', { name: 'Set password' }).click()
    await heading(page, 'Sign in').waitFor()
    await fillSignIn(page, { handle: frank.handle, password: 'a better password' })
    await heading(page, 'Home').waitFor()
  })
})

describe('a server that requires invite codes', () => {
  setupWorld({ config: { inviteRequired: 'on' }, accounts: ['heidi'] })

  test('sign-up: an invalid invite code shows an error', async () => {
    const page = await world.visitor('/create')
    await page.getByLabel('Invite code').fill('made-up')
    await page.getByLabel('Handle').fill('grace')
    await page.getByText('grace.test is available').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('grace-password')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('This invite code is not valid or has been used up.').waitFor()
  })
})
