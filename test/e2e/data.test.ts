/** The Data screen: collections, records, media and downloads. */
import { readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { readCar } from '@atproto/repo'
import { describe, expect, test } from 'vitest'
import { findings, overflow } from '../support/page/accessibility.ts'
import { blobOf, download } from '../support/records/blobs.ts'
import { halves } from '../support/records/pictures.ts'
import type { Account } from '../support/server/server.ts'
import { owner as alice, other as bob, setupWorld, social, world } from '../support/server/setup-world.ts'
import type { Ref } from '../support/server/social.ts'
import { heading } from '../support/server/world.ts'

const content = halves(80, 40)
/** Has media. */
let dora: Account
let post: Ref
/** CID of a picture of dora's. */
let cid: string

setupWorld({ accounts: ['alice', 'bob'], begin })

async function begin() {
  post = await social.post(alice, { text: 'Bread on Sundays' })
  await social.post(alice, { text: 'Rain again' })
  dora = await world.server.account('dora')
  const image = await blobOf(world.server, dora, content)
  cid = image.ref.$link
  const embed = { $type: 'app.example.embed.images', images: [{ image, alt: '' }] }
  await social.post(dora, { text: 'A flag', embed })
  const file = await blobOf(world.server, dora, Buffer.from('hello'), 'text/plain')
  await social.write(dora, 'com.example.file', { file })
}

test('records: a collection lists its records, one is viewed as JSON, deleted and restored', async () => {
  await social.follow(alice, bob)
  const page = await world.signedIn(alice, '/data')
  await page.getByRole('list', { name: 'Collections' }).getByRole('link', { name: 'Posts' }).click()
  await heading(page, 'Posts').waitFor()
  const rows = page.getByRole('list', { name: 'Records' }).getByRole('listitem')
  const row = rows.filter({ hasText: 'Bread on Sundays' })
  await row.getByRole('button', { name: /^View record/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Record' })
  await dialog.getByText('"text": "Bread on Sundays"').waitFor()
  await dialog.getByText(post.uri).waitFor()
  await page.keyboard.press('Escape')

  await row.getByRole('button', { name: /^Delete record/ }).click()
  await page.getByText('Record deleted').waitFor()
  await expect.poll(() => rows.count()).toBe(1)
  const [, , repo = '', collection = '', rkey = ''] = post.uri.split('/')
  const stored = () => world.server.get('com.core.repo.getRecord', { repo, collection, rkey })
  expect((await stored()).body.error).toBe('RecordNotFound')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Record restored').waitFor()
  await row.waitFor()
  expect((await stored()).body).toMatchObject(post)

  await page.getByRole('link', { name: 'Data' }).last().click()
  await heading(page, 'Data').waitFor()
})

test('records: a record that was changed elsewhere is not deleted', async () => {
  await social.put(bob, 'app.example.actor.profile', 'self', { displayName: 'Bob' })
  const page = await world.signedIn(bob, '/data/app.example.actor.profile')
  await page.getByRole('main').getByText('Bob', { exact: true }).waitFor()
  await social.put(bob, 'app.example.actor.profile', 'self', { displayName: 'Robert' })
  await page.getByRole('button', { name: 'Delete record self' }).click()
  await page.getByText('The record was changed in the meantime.').waitFor()
  await page.getByRole('main').getByText('Robert', { exact: true }).waitFor()
})

test('download: the repository is saved as a CAR file', async () => {
  const page = await world.signedIn(alice, '/data')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download records', exact: true }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('alice.test.car')
  const { blocks } = await readCar(await readFile(await download.path()))
  expect(blocks.size).toBeGreaterThan(2)
})

describe('media', () => {
  test('files are shown and downloaded', async () => {
    const page = await world.signedIn(dora, '/data')
    const tiles = page.getByRole('list', { name: 'Media' }).getByRole('listitem')
    await tiles.getByRole('button', { name: 'Download file 5 bytes' }).waitFor()
    const picture = tiles.getByRole('button', { name: /^Download picture/ })
    const widthOf = (image: { naturalWidth: number }) => image.naturalWidth
    await expect.poll(() => picture.locator('img').evaluate(widthOf)).toBe(80)
    const downloading = page.waitForEvent('download')
    await picture.click()
    const saved = await downloading
    expect(saved.suggestedFilename()).toBe(`${cid}.png`)
    expect(content.equals(await readFile(await saved.path()))).toBe(true)
  })

  test('collections and media have sizes', async () => {
    const page = await world.signedIn(dora, '/data')
    const posts = page.getByRole('list', { name: 'Collections' }).getByRole('listitem').first()
    await posts.getByText(/^1 record · \d+ bytes$/).waitFor()
    const used = page.getByRole('listitem').filter({ hasText: 'Media' })
    await used.getByText(`${content.length + 'hello'.length} bytes`, { exact: true }).waitFor()
    await page.getByText(/ in total$/).waitFor()
  })

  test('records and media are saved as one ZIP file', async () => {
    const page = await world.signedIn(dora, '/data')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download records and media' }).click()
    const saved = await downloading
    expect(saved.suggestedFilename()).toBe('dora.test.zip')
    const files = unzip(await readFile(await saved.path()))
    expect(files.get(`media/${cid}.png`)?.equals(content)).toBe(true)
    expect([...files.values()].map(String)).toContain('hello')
    const { blocks } = await readCar(files.get('repository.car') ?? Buffer.alloc(0))
    expect(blocks.size).toBeGreaterThan(2)
    await page.getByText('Download complete').waitFor()
  })

  test('a download that fails says why, and can be repeated', async () => {
    const page = await world.signedIn(dora, '/data')
    await page.route('**/com.core.sync.getBlob*', (route) =>
      route.fulfill({ status: 503, json: { error: 'NotEnoughResources' } }),
    )
    const save = page.getByRole('button', { name: 'Download records and media' })
    await save.click()
    await page.getByText('The server is busy or its disk is full.').waitFor()
    await page.unroute('**/com.core.sync.getBlob*')
    const downloading = page.waitForEvent('download')
    await save.click()
    await downloading
  })

  test('undoing the deletion of a post restores its pictures', async () => {
    const page = await world.signedIn(dora, '/data/app.example.feed.post')
    const isServed = async () => (await download(world.server, dora.did, cid)).ok
    await page.getByRole('button', { name: /^Delete record/ }).click()
    await page.getByText('No records in this collection').waitFor()
    expect(await isServed()).toBe(false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('A flag').waitFor()
    expect(await isServed()).toBe(true)
  })
})

/** The files of an archive without compression, by its directory. Throws if a checksum is wrong. */
function unzip(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  const end = archive.length - 22
  if (archive.readUInt32LE(end) !== 0x06054b50) throw new Error('no end of the directory')
  for (let at = archive.readUInt32LE(end + 16); archive.readUInt32LE(at) === 0x02014b50; ) {
    const [size, local] = [archive.readUInt32LE(at + 24), archive.readUInt32LE(at + 42)]
    const [nameLength, extraLength] = [archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30)]
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const content = archive.subarray(start, start + size)
    if (crc32(content) !== archive.readUInt32LE(at + 16)) throw new Error('wrong checksum')
    files.set(archive.toString('utf8', at + 46, at + 46 + nameLength), content)
    at += 46 + nameLength + extraLength
  }
  if (archive.readUInt16LE(end + 10) !== files.size) throw new Error('wrong number of files')
  return files
}

test('an empty account has explanations instead of lists', async () => {
  const carla = await world.server.account('carla')
  const page = await world.signedIn(carla, '/data')
  await page.getByText('No records yet').waitFor()
  await page.getByText('No media yet').waitFor()
  await page.goto(`${world.url}/#/data/app.example.feed.post`)
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
  await page.goto(`${world.url}/#/data/app.example.feed.post`)
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
