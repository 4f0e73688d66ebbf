/** Editing the profile on the Account screen. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { findings, overflow } from '../support/accessibility.ts'
import type { Account } from '../support/server.ts'
import { createdAt, SocialServer } from '../support/social.ts'
import { World } from '../support/world.ts'

const collection = 'app.example.actor.profile'

let world: World
let social: SocialServer

beforeAll(async () => {
  world = await World.open()
  social = SocialServer.on(world.server)
})

afterEach(async () => expect(await world.closeProfiles()).toEqual([]))

afterAll(() => world.close())

async function profileOf(account: Account) {
  const params = { repo: account.did, collection, rkey: 'self' }
  return (await world.server.get('com.core.repo.getRecord', params)).body.value
}

test('profile: a first profile is created, and shown', async () => {
  const alice = await world.server.account('alice')
  const page = await world.signedIn(alice, '/account')
  await page.getByText('Add a name, a picture and a few words about you.').waitFor()
  await page.getByRole('button', { name: 'Edit profile' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit profile' })
  await dialog.getByLabel('Display name').fill('a'.repeat(65))
  await dialog.getByText('Use at most 64 characters.').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByLabel('Display name').fill(' Alice 👩‍👩‍👧‍👧 ')
  await dialog.getByLabel('Description').fill('Gardener.\nBread on Sundays.')
  await dialog.getByLabel('Website').fill('no address')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter a web address, such as https://example.com.').waitFor()
  await dialog.getByLabel('Website').fill('alice.example')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Profile saved').waitFor()
  await page.getByText('Alice 👩‍👩‍👧‍👧').waitFor()
  await page.getByText('Bread on Sundays.').waitFor()
  expect(await profileOf(alice)).toEqual({
    $type: collection,
    displayName: 'Alice 👩‍👩‍👧‍👧',
    description: 'Gardener.\nBread on Sundays.',
    website: 'https://alice.example',
    createdAt: expect.any(String),
  })
})

test('profile: members that the form does not know are kept, an emptied one is removed', async () => {
  const bob = await world.server.account('bob')
  const stored = { displayName: 'Bob', pronouns: 'he/him', createdAt, 'com.example.theme': { hue: 7 } }
  await social.put(bob, collection, 'self', stored)
  const page = await world.signedIn(bob, '/account')
  await page.getByRole('button', { name: 'Edit profile' }).click()
  await page.getByLabel('Display name').fill('Robert')
  await page.getByLabel('Pronouns').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Profile saved').waitFor()
  expect(await profileOf(bob)).toEqual({
    $type: collection,
    displayName: 'Robert',
    createdAt,
    'com.example.theme': { hue: 7 },
  })
})

test('profile: a change from elsewhere is not overwritten', async () => {
  const carla = await world.server.account('carla')
  await social.put(carla, collection, 'self', { displayName: 'Carla', description: 'Sailor' })
  const page = await world.signedIn(carla, '/account')
  await page.getByRole('button', { name: 'Edit profile' }).click()
  await page.getByLabel('Display name').fill('Carla K.')
  await social.put(carla, collection, 'self', { displayName: 'Carla', description: 'Pilot' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your profile was changed elsewhere in the meantime.').waitFor()
  await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Pilot')
  expect(await page.getByLabel('Display name').inputValue()).toBe('Carla K.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Profile saved').waitFor()
  expect(await profileOf(carla)).toMatchObject({ displayName: 'Carla K.', description: 'Pilot' })
})

test('profile: the dialog is accessible and fits narrow windows', async () => {
  const dan = await world.server.account('dan')
  for (const view of [{ colorScheme: 'light' }, { colorScheme: 'dark', width: 320 }] as const) {
    const page = await world.signedIn(dan, '/account', view)
    await page.getByRole('button', { name: 'Edit profile' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await findings(page)).toEqual([])
    expect(await overflow(page)).toBe(0)
  }
})
