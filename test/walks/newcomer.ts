/**
 * Part of `npm run screenshots`: the walk of a newcomer in pictures, light and dark, wide and narrow, into `.github/pictures/`. The first
 * post, a client and a copy are made in the desktop; a month later it is a network for tests, whose clock was moved.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Machine } from '../support/desktop/desktop.ts'
import { launchBrowser, type Page } from '../support/page/browser.ts'
import { takePictures } from '../support/page/pictures.ts'
import { NetworkClient } from '../support/server/network-client.ts'
import { SocialServer } from '../support/server/social.ts'
import { heading, World } from '../support/server/world.ts'
import { firstPassword, Person, writeFirstPost } from './person.ts'

const feed = (page: Page) => page.getByRole('region', { name: 'Feed' })

/** What people say in a month, in the order of time. */
const talk = [
  ['bob', 'The tandem is done. Now for a second rider.'],
  ['carol', 'Swifts over the mill since this morning, nine of them.'],
  ['erin', 'Choir needs two basses and a key to the hall.'],
  ['dave', 'First courgette. I will be sorry that I was glad.'],
  ['farid', 'The night bus has a new driver, who whistles.'],
  ['bob', 'Found the squeak. It was the other pedal.'],
  ['carol', 'A heron on the lock gate, in no hurry at all.'],
  ['erin', 'Concert on Saturday at six. There will be bread.'],
  ['dave', 'Rain at last. The beans and I stand in it.'],
] as const

await walk()
await monthLater()
// The browser of the stand-in stays open.
process.exit()

async function walk(): Promise<void> {
  const machine = await Machine.create()
  try {
    const app = await machine.start()
    const page = await app.page()
    await heading(page, 'Create the first account').waitFor()
    await takePictures(page, 'walk-1-start')

    const person = new Person(page)
    const begin = performance.now()
    await writeFirstPost(person)
    const took = ((performance.now() - begin) / 1000).toFixed(1)
    process.stdout.write(
      `the first post: ${person.clicks} clicks, ${person.keys} keys, ${person.seconds.toFixed()} s for a person, ${took} s here\n`,
    )
    await withoutToasts(page)
    await takePictures(page, 'walk-2-first-post', feed(page))

    await connectClient(machine, page)
    await takePictures(page, 'walk-3-client')

    const disk = join(machine.folder, 'External disk')
    await mkdir(disk)
    await page.evaluate("location.hash = '#/backups'")
    await heading(page, 'Backups').waitFor()
    await page.getByRole('button', { name: 'Add a place…' }).click()
    await app.answer({ canceled: false, filePaths: [disk] })
    await page.getByRole('button', { name: 'Choose…' }).click()
    await page.getByLabel('Your password').fill(firstPassword)
    await page.getByRole('button', { name: 'Check and add' }).click()
    await page.getByRole('dialog', { name: 'Recovery sheet' }).waitFor()
    const sheet = join(machine.folder, 'sheet.txt')
    await app.answer({ canceled: false, filePath: sheet })
    await page.getByRole('button', { name: 'Save to a file…' }).click()
    await page.getByText('Saved to').first().waitFor()
    await readFile(sheet)
    await page.keyboard.press('Escape')
    await page.getByText('Up to date').first().waitFor()
    await withoutToasts(page)
    await takePictures(page, 'walk-4-copy')
  } finally {
    await machine.close()
  }
}

/** Makes an app password on Home, with which a client signs in. */
async function connectClient(machine: Machine, page: Page): Promise<void> {
  await page.getByRole('main').getByText('Bluesky', { exact: true }).click()
  await page.getByRole('button', { name: 'Make an app password' }).click()
  const password = await page
    .getByText(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
    .first()
    .innerText()
  await fetch(`${machine.endpoint}/xrpc/com.atproto.server.createSession`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Bluesky/1.110 (Android 16)' },
    body: JSON.stringify({ identifier: 'alice.test', password }),
  })
  await page.reload()
  await heading(page, 'Home').waitFor()
  await page.getByText('1 client').first().waitFor()
}

async function monthLater(): Promise<void> {
  const copies = await mkdtemp(join(tmpdir(), 'pds-walk-'))
  const config = { copies: [pathToFileURL(copies).href] }
  const server = await NetworkClient.start({ world: 'sample', now: '2026-05-15T10:00:00.000Z', config })
  const world = World.of(server, await launchBrowser())
  try {
    await liveAMonth(server)
    const { handle, password } = await server.network.accounts.get('alice')
    const now = server.clock.now().getTime()
    const page = await world.signedIn({ handle, password }, '/', { now })
    await takePictures(page, 'walk-5-month')
    await takePictures(page, 'walk-6-feed', feed(page))
    await page.goto(`${world.url}/#/notifications`)
    await heading(page, 'Inbox').waitFor()
    await page.getByText('Last 14 days').click()
    await takePictures(page, 'walk-7-inbox')
  } finally {
    await world.closeProfiles()
    await world.close()
    await rm(copies, { recursive: true, force: true })
  }
}

/** Lets 30 days pass, in which people post, and like what alice answers. */
async function liveAMonth(server: NetworkClient): Promise<void> {
  const { accounts } = server.network
  const social = SocialServer.on(server)
  const signIn = async (name: string) => {
    const { session, email, password } = await accounts.get(name)
    return { ...session, email, password }
  }
  for (const [name, text] of talk) {
    await server.clock.advance('3d')
    const [author, alice, grace] = [await signIn(name), await signIn('alice'), await signIn('grace')]
    const post = await social.post(author, { text })
    const answer = await social.reply(alice, post, post, { text: 'Good to read that.' })
    await social.like(author, answer)
    await social.like(grace, answer)
  }
  await server.clock.advance('2d')
  await social.post(await signIn('bob'), { text: 'A month of this. Who would have thought.' })
  await server.clock.advance('5h')
}

/** Messages at the lower edge end by themselves. */
async function withoutToasts(page: Page): Promise<void> {
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
}
