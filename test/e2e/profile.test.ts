/** Editing the profile on the Account screen. */
import { expect, test } from 'vitest'
import { findings, overflow } from '../support/page/accessibility.ts'
import type { Page } from '../support/page/browser.ts'
import { download } from '../support/records/blobs.ts'
import { halves, noise, sizeOf } from '../support/records/pictures.ts'
import type { Account } from '../support/server/server.ts'
import { setupWorld, social, world } from '../support/server/setup-world.ts'
import { createdAt } from '../support/server/social.ts'

const collection = 'app.example.actor.profile'

setupWorld()

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
  await page.getByRole('main').getByText('Alice 👩‍👩‍👧‍👧').waitFor()
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

test('profile: a picture is cropped, shown and removed', async () => {
  const fay = await world.server.account('fay')
  const page = await world.signedIn(fay, '/account')
  await page.getByRole('button', { name: 'Edit profile' }).click()
  await choose(page, 'Choose a picture', halves(600, 300))
  const crop = page.getByRole('dialog', { name: 'Adjust your picture' })
  const preview = crop.getByRole('img', { name: 'Preview' })
  expect(await crop.getByLabel('Up and down').isDisabled()).toBe(true)
  await crop.getByLabel('Left and right').press('Home')
  await expect.poll(() => colorsOf(preview)).toEqual(['220 20 60', '220 20 60'])
  await crop.getByLabel('Left and right').press('End')
  await expect.poll(() => colorsOf(preview)).toEqual(['20 60 220', '20 60 220'])
  expect(await findings(page)).toEqual([])
  await crop.getByRole('button', { name: 'Use' }).click()
  await choose(page, 'Choose a banner', halves(600, 300))
  await page.getByRole('button', { name: 'Use' }).click()
  await page.getByRole('dialog', { name: 'Adjust your banner' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Profile saved').waitFor()

  const { avatar, banner } = await profileOf(fay)
  expect(avatar.mimeType).toBe('image/png')
  const stored = async (cid: string) =>
    Buffer.from(await (await download(world.server, fay.did, cid)).arrayBuffer())
  expect(sizeOf(await stored(avatar.ref.$link))).toEqual([300, 300])
  expect(sizeOf(await stored(banner.ref.$link))).toEqual([600, 200])
  const shown = page.getByRole('button', { name: 'Account menu, fay.test' }).locator('img')
  await expect.poll(() => shown.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(300)

  await page.getByRole('button', { name: 'Edit profile' }).click()
  await page.getByRole('button', { name: 'Remove the picture' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await shown.waitFor({ state: 'detached' })
  const after = await profileOf(fay)
  expect(after.avatar).toBeUndefined()
  expect(after.banner).toEqual(banner)
})

test('profile: a picture that is too large as PNG becomes a JPEG of at most 1 MB', async () => {
  const gus = await world.server.account('gus')
  const page = await world.signedIn(gus, '/account')
  await page.getByRole('button', { name: 'Edit profile' }).click()
  await choose(page, 'Choose a picture', noise(1000, 1000))
  await page.getByRole('button', { name: 'Use' }).click()
  await page.getByRole('dialog', { name: 'Adjust your picture' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Profile saved').waitFor()
  const { avatar } = await profileOf(gus)
  expect(avatar.mimeType).toBe('image/jpeg')
  expect(avatar.size).toBeLessThanOrEqual(1_000_000)
})

test('profile: a file that is not a picture is refused', async () => {
  const hal = await world.server.account('hal')
  const page = await world.signedIn(hal, '/account')
  await page.getByRole('button', { name: 'Edit profile' }).click()
  await choose(page, 'Choose a picture', Buffer.from('not a picture'))
  await page.getByRole('alert').getByText('This file is not a picture that the browser can read.').waitFor()
})

async function choose(page: Page, button: string, buffer: Buffer): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: button }).click()
  await (await chooser).setFiles({ name: 'picture.png', mimeType: 'image/png', buffer })
}

/** The colours at the left and the right of a canvas. */
function colorsOf(canvas: ReturnType<Page['getByRole']>): Promise<string[]> {
  return canvas.evaluate((element) => {
    // biome-ignore lint/suspicious/noExplicitAny: types of the page are absent here
    const { width, height, getContext } = element as any
    const context = getContext.call(element, '2d')
    return [5, width - 5].map((x) =>
      context
        .getImageData(x, height / 2, 1, 1)
        .data.slice(0, 3)
        .join(' '),
    )
  })
}

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
