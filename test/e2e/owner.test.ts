import { expect, test } from 'vitest'
import { other as bob, owner, setupWorld, world } from '../support/server/setup-world.ts'
import { SocialServer } from '../support/server/social.ts'
import { heading } from '../support/server/world.ts'

setupWorld({ accounts: ['alice', 'bob'] })

test('invites: the owner creates codes, one is used, one is disabled', async () => {
  const page = await world.signedIn(owner, '/invites')
  await page.getByText('This server does not require invite codes').waitFor()
  await page.getByRole('button', { name: 'New codes' }).click()
  await page.getByLabel('Number of codes').fill('2')
  await page.getByLabel('Uses per code').fill('3')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('2 codes created').waitFor()
  const codes = page.getByRole('list', { name: 'Invite codes' }).getByRole('listitem')
  await expect.poll(() => codes.count()).toBe(2)

  await codes.first().getByRole('button', { name: 'Invite with' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Copy code' }).click()
  await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' })
  const inviteCode = await page.evaluate('navigator.clipboard.readText()')
  await page.keyboard.press('Escape')
  await world.server.account('carla', { inviteCode })
  await page.reload()
  await codes.filter({ hasText: '2 uses left' }).getByText('used by 1 account').waitFor()

  await page.getByRole('button', { name: `Disable ${inviteCode}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await codes.getByText('Disabled').waitFor()
})

test('navigation: the owner sees People and invites before the server responds', async () => {
  const page = await world.signedIn(owner)
  const accounts = page.getByRole('link', { name: 'People and invites' })
  await accounts.waitFor()
  await page.route('**/*listAccounts*', () => {})
  await page.reload()
  await heading(page, 'Home').waitFor()
  expect(await accounts.count()).toBe(1)
})

test('accounts: the owner suspends and unsuspends an account', async () => {
  const page = await world.signedIn(owner, '/accounts')
  await page.getByRole('button', { name: 'Actions for bob.test' }).click()
  await page.getByRole('menuitem', { name: 'Suspend' }).click()
  await page.getByLabel('Note').fill('too loud')
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByText('bob.test was suspended').waitFor()
  const suspended = await world.server.get('com.core.admin.getSubjectStatus', { did: bob.did }, owner)
  expect(suspended.body.suspended).toEqual({ applied: true, ref: 'too loud' })

  const his = await world.signedIn(bob)
  await his.getByText('This account is suspended.').waitFor()

  await page.getByRole('button', { name: 'Actions for bob.test' }).click()
  await page.getByRole('menuitem', { name: 'Unsuspend' }).click()
  await page.getByText('bob.test was restored').waitFor()
  expect((await world.server.get('com.core.server.getSession', {}, bob)).body.active).toBe(true)
})

test('accounts: the owner takes an account down and lifts the takedown', async () => {
  const page = await world.signedIn(owner, '/accounts')
  await page.getByRole('button', { name: 'Actions for bob.test' }).click()
  await page.getByRole('menuitem', { name: 'Take down' }).click()
  await page.getByRole('button', { name: 'Take down' }).click()
  await page.getByRole('listitem').filter({ hasText: 'bob.test' }).getByText('Taken down').waitFor()
  await page.getByRole('button', { name: 'Actions for bob.test' }).click()
  await page.getByRole('menuitem', { name: 'Lift takedown' }).click()
  await page.getByText('bob.test was restored').waitFor()
})

test('accounts: the owner sets a new password', async () => {
  const page = await world.signedIn(owner, '/accounts')
  await page.getByRole('button', { name: 'Actions for bob.test' }).click()
  await page.getByRole('menuitem', { name: 'Set a new password' }).click()
  await page.getByLabel('New password').and(page.locator(':focus')).waitFor()
  await page.getByLabel('New password', { exact: true }).fill('given in person')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Password of bob.test changed').waitFor()
  await world.signedIn({ handle: 'bob.test', password: 'given in person' })
})

test('accounts: the owner deletes an account after typing its handle', async () => {
  const dan = await world.server.account('dan')
  const page = await world.signedIn(owner, '/accounts')
  await page.getByRole('button', { name: 'Actions for dan.test' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByLabel('Type dan.test to confirm').fill('dan.test')
  await confirm.click()
  await page.getByText('dan.test was deleted').waitFor()
  expect((await world.server.get('com.core.server.getSession', {}, dan)).body.error).toBe('AccountNotFound')
})

test('accounts: the search covers accounts that are not loaded', async () => {
  const page = await world.signedIn(owner, '/accounts')
  const rows = page.getByRole('list', { name: 'Accounts' }).getByRole('listitem')
  await rows.first().waitFor()
  // The first page is full of others.
  await page.route('**/*searchAccounts*', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const isWhole = !new URL(route.request().url()).searchParams.get('email')
    if (isWhole)
      body.accounts = Array(8)
        .fill(body.accounts[0])
        .map((one, at) => ({ ...one, did: `${one.did}${at}` }))
    return route.fulfill({ response, json: body })
  })
  await page.reload()
  await expect.poll(() => rows.count()).toBe(8)
  await page.getByLabel('Search').fill('BOB')
  await expect.poll(() => rows.count()).toBe(1)
  await rows.getByText('bob.test', { exact: true }).waitFor()
  await page.getByLabel('Search').fill('ob.test')
  await page.getByText('No matching accounts').waitFor()
  await page.getByLabel('Search').fill('')
  await expect.poll(() => rows.count()).toBe(8)
  await page.getByLabel('Search').and(page.locator(':focus')).waitFor()
})

test('accounts: the owner changes email address and handle, and sends a message', async () => {
  const fay = await world.server.account('fay')
  const page = await world.signedIn(owner, '/accounts')
  const choose = async (handle: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${handle}` }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await choose('fay.test', 'Change the email address')
  await page.getByRole('textbox', { name: 'Email address' }).fill('new@mail.test')
  await page.getByRole('button', { name: 'Change email address' }).click()
  await page.getByText('Email address of fay.test changed').waitFor()
  await page.getByRole('listitem').getByText('new@mail.test').waitFor()

  await choose('fay.test', 'Change the handle')
  await page.getByRole('textbox', { name: 'Handle' }).fill('alice.test')
  await page.getByRole('button', { name: 'Change handle' }).click()
  await page.getByText('This handle is already taken or reserved').waitFor()
  await page.getByRole('textbox', { name: 'Handle' }).fill('Faye.test')
  await page.getByRole('button', { name: 'Change handle' }).click()
  await page.getByText('fay.test is now faye.test').waitFor()
  expect((await world.server.get('com.core.server.getSession', {}, fay)).body.handle).toBe('faye.test')

  await choose('faye.test', 'Send a message')
  await page.getByRole('textbox', { name: 'Subject' }).fill('Welcome')
  await page.getByRole('textbox', { name: 'Message' }).fill('Good to have you here.')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Message to faye.test sent').waitFor()
  const subjects = (await world.server.mailsTo('new@mail.test')).map(({ subject }) => subject)
  // The change of the handle is mailed, too.
  expect(subjects.toSorted()).toEqual(['Welcome', 'Your account was changed'])
})

test('accounts: the owner stops giving invite codes to an account, and gives them again', async () => {
  const page = await world.signedIn(owner, '/accounts')
  const row = page.getByRole('listitem').filter({ hasText: 'bob.test' })
  await page.getByRole('button', { name: 'Actions for bob.test' }).click()
  await page.getByRole('menuitem', { name: 'No more invite codes for this person' }).click()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await row.getByText('No invites').waitFor()
  const { body } = await world.server.get('com.core.admin.getAccountInfo', { did: bob.did }, owner)
  expect(body.invitesDisabled).toBe(true)
  await page.getByRole('button', { name: 'Actions for bob.test' }).click()
  await page.getByRole('menuitem', { name: 'Give invite codes again' }).click()
  await row.getByText('No invites').waitFor({ state: 'detached' })
})

test('accounts: other accounts have no link to the screen, and its path shows an error', async () => {
  const eve = await world.server.account('eve')
  const page = await world.signedIn(eve)
  await page.getByRole('link', { name: 'Invites' }).waitFor()
  expect(await page.getByRole('link', { name: 'People and invites' }).count()).toBe(0)
  await page.goto(`${world.url}/#/accounts`)
  await heading(page, 'People').waitFor()
  await page.getByText('Only the owner of this server can see its accounts.').waitFor()
})

test('service tokens: the claims of a new token are shown', async () => {
  const page = await world.signedIn(owner, '/service-tokens')
  await page.getByLabel('Service (DID)').fill('did:web:api.example.com')
  await page.getByLabel('Method (NSID)').fill('app.example.feed.getFeed')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByText('"lxm": "app.example.feed.getFeed"').waitFor()
  await page.getByText('"aud": "did:web:api.example.com"').waitFor()
})

test('reports: the owner opens what was reported, and closes reports', async () => {
  const rita = await world.server.account('rita')
  const { uri, cid } = await SocialServer.on(world.server).post(rita, { text: 'Cheap pills' })
  const send = (reasonType: string, subject: object) =>
    world.server.post(
      'com.core.moderation.createReport',
      { reasonType, reason: 'Sells pills', subject },
      rita,
    )
  await send('tools.ozone.report.defs#reasonMisleadingSpam', { $type: 'com.core.repo.strongRef', uri, cid })
  await send('com.core.moderation.defs#reasonRude', { $type: 'com.core.admin.defs#repoRef', did: owner.did })
  const page = await world.signedIn(owner, '/reports')
  const reports = page.getByRole('list', { name: 'Reports' }).getByRole('listitem')
  await reports.filter({ hasText: 'Misleading' }).getByRole('link', { name: 'post of rita.test' }).click()
  await page.getByText('Cheap pills').waitFor()
  await page.goBack()

  await reports.filter({ hasText: 'Misleading' }).getByRole('button', { name: 'Resolve' }).click()
  await page.getByText('Report resolved').waitFor()
  await expect.poll(() => reports.count()).toBe(1)
  await reports.filter({ hasText: 'Harassment' }).getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('No open reports').waitFor()
  await page.getByText('Closed', { exact: true }).click()
  await reports.filter({ hasText: 'Misleading' }).getByText('Resolved').waitFor()
  await reports.filter({ hasText: 'Harassment' }).getByText('Dismissed').waitFor()
})
