/** The Data screen: collections, records, media and downloads. */
import { readFile } from 'node:fs/promises'
import { readCar } from '@atproto/repo'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { findings, overflow } from '../support/accessibility.ts'
import type { Account } from '../support/server.ts'
import { SocialServer } from '../support/social.ts'
import { heading, World } from '../support/world.ts'

let world: World
let social: SocialServer
let alice: Account
let bob: Account

beforeAll(async () => {
  world = await World.open()
  social = SocialServer.on(world.server)
  alice = await world.server.account('alice')
  bob = await world.server.account('bob')
})

afterEach(async () => expect(await world.closeProfiles()).toEqual([]))

afterAll(() => world.close())

test('records: a collection lists its records, one is viewed as JSON, deleted and restored', async () => {
  const { uri, cid } = await social.post(alice, { text: 'Bread on Sundays' })
  await social.post(alice, { text: 'Rain again' })
  await social.follow(alice, bob)
  const page = await world.signedIn(alice, '/data')
  await page.getByRole('list', { name: 'Collections' }).getByRole('link', { name: 'Posts' }).click()
  await heading(page, 'Posts').waitFor()
  const rows = page.getByRole('list', { name: 'Records' }).getByRole('listitem')
  const row = rows.filter({ hasText: 'Bread on Sundays' })
  await row.getByRole('button', { name: /^View record/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Record' })
  await dialog.getByText('"text": "Bread on Sundays"').waitFor()
  await dialog.getByText(uri).waitFor()
  await page.keyboard.press('Escape')

  await row.getByRole('button', { name: /^Delete record/ }).click()
  await page.getByText('Record deleted').waitFor()
  await expect.poll(() => rows.count()).toBe(1)
  const [, , repo = '', collection = '', rkey = ''] = uri.split('/')
  const stored = () => world.server.get('com.core.repo.getRecord', { repo, collection, rkey })
  expect((await stored()).body.error).toBe('RecordNotFound')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Record restored').waitFor()
  await row.waitFor()
  expect((await stored()).body).toMatchObject({ uri, cid })

  await page.getByRole('link', { name: 'Data' }).last().click()
  await heading(page, 'Data').waitFor()
})

test('records: a record that was changed elsewhere is not deleted', async () => {
  await social.put(bob, 'app.example.actor.profile', 'self', { displayName: 'Bob' })
  const page = await world.signedIn(bob, '/data/app.example.actor.profile')
  await page.getByText('Bob', { exact: true }).waitFor()
  await social.put(bob, 'app.example.actor.profile', 'self', { displayName: 'Robert' })
  await page.getByRole('button', { name: 'Delete record self' }).click()
  await page.getByText('The record was changed in the meantime.').waitFor()
  await page.getByText('Robert', { exact: true }).waitFor()
})

test('download: the repository is saved as a CAR file', async () => {
  const page = await world.signedIn(alice, '/data')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download records', exact: true }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('alice.test.car')
  const { blocks } = await readCar(await readFile(await download.path()))
  expect(blocks.size).toBeGreaterThan(3)
})

test('an empty account has explanations instead of lists', async () => {
  const carla = await world.server.account('carla')
  const page = await world.signedIn(carla, '/data')
  await page.getByText('No records yet').waitFor()
  await page.getByText('No media yet').waitFor()
  await page.goto(`${world.server.url}/#/data/app.example.feed.post`)
  await page.getByText('No records in this collection').waitFor()
})

test.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 320 },
] as const)('axe: no findings and no overflow, $colorScheme at $width', async (view) => {
  const page = await world.signedIn(alice, '/data', view)
  await page.getByRole('link', { name: 'Posts' }).waitFor()
  expect(await findings(page)).toEqual([])
  expect(await overflow(page)).toBe(0)
  await page.goto(`${world.server.url}/#/data/app.example.feed.post`)
  await page.getByText('Rain again').waitFor()
  expect(await findings(page)).toEqual([])
  expect(await overflow(page)).toBe(0)
  await page
    .getByRole('button', { name: /^View record/ })
    .first()
    .click()
  await page.getByRole('dialog').waitFor()
  expect(await findings(page)).toEqual([])
})
