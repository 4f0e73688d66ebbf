/**
 * `npx node test/walks/places.ts FOLDER [light|dark] [WIDTH]`: places that cannot be used, in pictures. A disk is disconnected, is away for a day
 * and comes back empty; a server is full and refuses the password; another computer enters wrong keys.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { ReplicaKey } from '../../server/operation/replicas/replica-key.ts'
import { WebdavServer } from '../support/replicas/place-server.ts'
import { newMachine, open, openMenu, picture, run, signUp } from './computers.ts'

/** Of `signUp`. */
const password = 'correct horse battery'
const dayMs = 24 * 60 * 60_000
const within = { timeout: 60_000 }

const server = await new WebdavServer().start()
await run(walk)

async function walk(): Promise<void> {
  const machine = await newMachine()
  const disk = join(machine.folder, 'External disk')
  await mkdir(disk)
  let { app, page } = await open(machine)
  await signUp(page)
  await backups(page)

  await page.getByRole('button', { name: 'Add a place…' }).click()
  await page.getByLabel('Folder', { exact: true }).last().fill(join(machine.folder, 'No disk'))
  await page.getByLabel('Your password').fill(password)
  await submit(page)
  await page.locator('[aria-invalid=true]').first().waitFor()
  await picture(page, 'add-missing-folder')
  await page.getByLabel('Folder', { exact: true }).last().fill(disk)
  await submit(page)
  await page.getByText('on the same disk').waitFor(within)
  await picture(page, 'add-same-disk')
  await page.getByRole('button', { name: 'Add it all the same' }).click()
  await page.getByRole('dialog', { name: 'Recovery sheet' }).waitFor(within)
  await page.keyboard.press('Escape')
  await page.getByText('Up to date').first().waitFor(within)
  await picture(page, 'sheet-not-kept')

  await rename(disk, `${disk} away`)
  await copyNow(page)
  await problem(page, 'There is no folder')
  await picture(page, 'disconnected')
  await app.quit()
  await age(join(machine.dataDir, 'copies/status.json'))
  ;({ app, page } = await open(machine))
  await page.getByText('for more than a day').waitFor(within)
  await picture(page, 'disconnected-for-a-day')
  await backups(page)
  await problem(page, 'There is no folder')
  await picture(page, 'disconnected-for-a-day-backups')
  await page.getByText('Restore points', { exact: true }).last().click()
  await page.getByRole('button', { name: 'Try again' }).waitFor(within)
  await picture(page, 'disconnected-restore-points')

  await mkdir(join(disk, 'desktop-pds-copy'), { recursive: true })
  await copyNow(page)
  await problem(page, 'no longer there')
  await picture(page, 'empty')
  await page.getByRole('button', { name: 'Begin anew here' }).click()
  await picture(page, 'begin-anew')
  await page.keyboard.press('Escape')
  await rm(disk, { recursive: true })
  await rename(`${disk} away`, disk)
  await copyNow(page)
  await page.getByText('Up to date').first().waitFor(within)
  await picture(page, 'connected-again')

  await page.getByRole('button', { name: 'Add a place…' }).click()
  await page.getByText('WebDAV', { exact: true }).click()
  await page.getByLabel('Address of the folder').fill(`http://${server.host}/dav/copy`)
  await page.getByLabel('User').fill(server.user)
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByLabel('Your password').fill(password)
  await submit(page)
  await page.locator('[aria-invalid=true]').first().waitFor(within)
  await picture(page, 'add-wrong-password')
  server.fault = (request) => (request.startsWith('PUT') ? { status: 507 } : undefined)
  await page.getByLabel('Password', { exact: true }).fill(server.password)
  await submit(page)
  await page.getByRole('dialog', { name: 'Recovery sheet' }).waitFor(within)
  await picture(page, 'sheet-with-two-places')
  await page.keyboard.press('Escape')
  await problem(page, 'There is no space left')
  await picture(page, 'full')
  server.fault = () => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="files"' } })
  await copyNow(page)
  await problem(page, 'refuses the name or the password')
  await picture(page, 'refused')
  await page.getByRole('button', { name: 'Enter again…' }).click()
  await picture(page, 'enter-password-again')
  await app.quit()

  const other = await newMachine()
  ;({ app, page } = await open(other))
  const { identity } = await ReplicaKey.generate()
  await page.getByRole('link', { name: 'I have a backup or a copy' }).click()
  await page.getByRole('link', { name: 'Restore from a copy' }).click()
  await page.getByLabel('Folder', { exact: true }).last().fill(disk)
  for (const [name, key] of [
    ['no-key', 'correct horse battery'],
    ['key-of-another-server', identity],
  ] as const) {
    await page.getByLabel('Key of the recovery sheet').fill(key)
    await page.getByRole('button', { name: 'Open the copy' }).click()
    await page.locator('[aria-invalid=true]').first().waitFor(within)
    await picture(page, `restore-${name}`)
  }
  await page.getByLabel('Folder', { exact: true }).last().fill(other.folder)
  await page.getByRole('button', { name: 'Open the copy' }).click()
  await page.getByText('no copy at this place').waitFor(within)
  await picture(page, 'restore-no-copy')
  await app.quit()
}

async function backups(page: Page): Promise<void> {
  await openMenu(page)
  await page.getByRole('link', { name: 'Backups', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Backups' }).waitFor()
}

async function submit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Check and add' }).click()
}

async function copyNow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Copy now' }).click()
}

async function problem(page: Page, text: string): Promise<void> {
  const notice = page.getByRole('list', { name: 'Places' }).getByText(text).first()
  await notice.waitFor(within)
  await notice.hover()
}

/** Lets the problems of all places have begun two days ago. */
async function age(path: string): Promise<void> {
  const since = new Date(Date.now() - 2 * dayMs).toISOString()
  const places: { problem?: object }[] = JSON.parse(await readFile(path, 'utf8'))
  const aged = places.map((place) =>
    place.problem ? { ...place, problem: { ...place.problem, since } } : place,
  )
  await writeFile(path, JSON.stringify(aged))
}
