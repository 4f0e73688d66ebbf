/** Damage on the disk of an ordinary server, whose parts the tests reach. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findingsInBothSchemes } from '../support/page/accessibility.ts'
import { blobOf } from '../support/records/blobs.ts'
import { halves } from '../support/records/pictures.ts'
import { other, owner, setupOrdinaryWorld, social, world } from '../support/server/setup-ordinary-world.ts'

setupOrdinaryWorld({ accounts: ['alice', 'bob'] })

test('data check: the owner sees when all data was verified, and damage on every screen', async () => {
  const { pageCheck } = world.server.running.services.operation
  let state = pageCheck.state()
  pageCheck.state = () => state
  const page = await world.signedIn(owner, '/backups')
  const main = page.getByRole('main')
  await main.getByText(/^Not all data has been verified yet\. 0 % verified, done in /).waitFor()

  state = { ...state, verifiedAt: new Date(Date.now() - 3 * 24 * 60 * 60_000), damagedPages: 0 }
  await page.reload()
  await main.getByText('All data verified 3 days ago').waitFor()

  state = { ...state, damagedPages: 2 }
  await page.reload()
  const damage = 'Damaged data found: 2 pages of the database.'
  await main.getByText(damage).waitFor()
  await main.getByText('Last check without damage: 3 days ago').waitFor()
  expect(await page.getByText(damage).count()).toBe(1)
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('alert').getByText(damage).waitFor()
  await page.getByRole('link', { name: 'Details' }).click()
  await main.getByText(damage).waitFor()

  const bob = await world.signedIn(other, '/')
  expect(await bob.getByText('Damaged data found').count()).toBe(0)
})

test('a damaged file is listed until it is uploaded again', async () => {
  const image = await blobOf(world.server, owner, halves(60, 30))
  const embed = { $type: 'app.example.embed.images', images: [{ image, alt: '' }] }
  await social.post(owner, { text: 'A flag', embed })
  const { dataDir } = world.server.config
  await rm(join(dataDir, 'blobs', image.ref.$link.slice(-2), image.ref.$link))
  await world.server.running.services.repository.blobs.examine([image.ref.$link])

  const page = await world.signedIn(owner, '/data')
  const missing = page.getByRole('list', { name: 'Missing media' })
  await missing.getByText('Damaged on disk: upload it again').waitFor()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload files' }).click()
  const another = { name: 'other.txt', mimeType: 'text/plain', buffer: Buffer.from('another file') }
  const flag = { name: 'flag.png', mimeType: 'image/png', buffer: halves(60, 30) }
  await (await chooser).setFiles([another, flag])
  await page.getByText('1 file restored').waitFor()
  await page.getByText('other.txt is not one of the missing files, or was changed since.').waitFor()
  await missing.waitFor({ state: 'detached' })
})
