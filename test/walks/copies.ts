/**
 * `npx node test/walks/copies.ts FOLDER [light|dark] [WIDTH]`: the walk of a newcomer in pictures. A copy is set up, the computer is
 * lost, another one continues the server, a restore is undone there, and the lost one comes back.
 */
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { newMachine, open, openMenu, picture, run, signUp } from './computers.ts'

let clicks = 0

await run(walk)

async function walk(): Promise<void> {
  const lost = await newMachine()
  const disk = join(lost.folder, 'External disk')
  await mkdir(disk)
  let { app, page } = await open(lost)
  await picture(page, 'first-start')
  await signUp(page)
  clicks++
  await picture(page, 'home')

  await openMenu(page)
  await click(page, 'link', 'Backups')
  await picture(page, 'backups-without-copy')
  await click(page, 'button', 'Add a place…')
  await picture(page, 'add-place')
  await app.answer({ canceled: false, filePaths: [disk] })
  await click(page, 'button', 'Choose…')
  await page.getByLabel('Your password').fill('correct horse battery')
  await picture(page, 'add-place-chosen')
  await click(page, 'button', 'Check and add')
  await page.getByText('on the same disk').waitFor()
  await click(page, 'button', 'Add it all the same')
  const dialog = page.getByRole('dialog', { name: 'Recovery sheet' })
  await dialog.waitFor({ timeout: 60_000 })
  await picture(page, 'recovery-sheet')
  const text = await dialog.innerText()
  const key = /AGE-SECRET-KEY-1[0-9A-Z]{58}/.exec(text.replaceAll(/\s/g, ''))?.[0] ?? ''
  if (key.length !== 74) throw new Error(`no key on the sheet: ${text}`)
  await app.answer({ canceled: false, filePath: join(lost.folder, 'sheet.txt') })
  await click(page, 'button', 'Save to a file…')
  await page.getByText('Saved to').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Up to date').first().waitFor({ timeout: 60_000 })
  await picture(page, 'copied')
  process.stdout.write(`${clicks} clicks until the copy is there and its sheet is saved\n`)

  const kept = join(lost.folder, 'kept')
  await app.quit()
  await cp(lost.dataDir, kept, { recursive: true })
  await rm(lost.dataDir, { recursive: true })

  clicks = 0
  const other = await newMachine()
  ;({ app, page } = await open(other))
  await page.getByRole('link', { name: 'I have a backup or a copy' }).waitFor()
  await picture(page, 'new-computer')
  clicks++
  await page.getByRole('link', { name: 'I have a backup or a copy' }).click()
  clicks++
  await page.getByRole('link', { name: 'Restore from a copy' }).click()
  await page.getByRole('heading', { level: 1, name: 'Restore from a copy' }).waitFor()
  await picture(page, 'restore')
  await page.getByLabel('Folder', { exact: true }).last().fill(disk)
  await page.getByLabel('Key of the recovery sheet').fill(`${key.slice(0, 30)}Q${key.slice(31)}`)
  await click(page, 'button', 'Open the copy')
  await page.locator('[aria-invalid=true]').first().waitFor()
  await picture(page, 'restore-wrong-key')
  await page.getByLabel('Key of the recovery sheet').fill(key)
  await click(page, 'button', 'Open the copy')
  await page.getByRole('heading', { level: 1, name: 'Choose a restore point' }).waitFor()
  await picture(page, 'choose-restore-point')
  clicks++
  await page
    .getByRole('button', { name: /^Restore as of/ })
    .first()
    .click()
  await page.getByText('alice.test').waitFor({ timeout: 60_000 })
  await picture(page, 'restore-preview')
  await click(page, 'button', 'Restore')
  await page.getByRole('dialog', { name: 'The server is restored' }).waitFor({ timeout: 60_000 })
  await picture(page, 'restored')
  await page.keyboard.press('Escape')
  await page.getByLabel('Handle').first().fill('alice.test')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await click(page, 'button', 'Sign in')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await picture(page, 'home-again')
  process.stdout.write(`${clicks} clicks from the new computer to Home\n`)
  await restoreAndUndo(page)
  await app.quit()

  await cp(kept, lost.dataDir, { recursive: true })
  ;({ app, page } = await open(lost))
  await page.getByText('Another computer continues this server').first().waitFor({ timeout: 60_000 })
  await picture(page, 'lost-computer-back')
  await click(page, 'link', 'Show places')
  await page.getByRole('button', { name: 'Continue on this computer…' }).waitFor()
  await picture(page, 'lost-computer-copies')
  await click(page, 'button', 'Continue on this computer…')
  await picture(page, 'continue-here')
  await app.quit()
}

/** Restores the oldest state of the place, and puts the replaced data back. */
async function restoreAndUndo(page: Page): Promise<void> {
  await openMenu(page)
  await page.getByRole('link', { name: 'Backups', exact: true }).first().click()
  await page.getByText('Restore points', { exact: true }).last().click()
  const points = page.getByRole('button', { name: /^Restore as of/ })
  await points.last().waitFor({ timeout: 60_000 })
  await points.last().hover()
  await picture(page, 'restore-points')
  await points.last().click()
  await page.getByRole('dialog').getByText('alice.test').waitFor({ timeout: 60_000 })
  await page.getByLabel('Type restore to confirm').fill('restore')
  await picture(page, 'restore-earlier')
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByRole('dialog', { name: 'The server is restored' }).waitFor({ timeout: 60_000 })
  await picture(page, 'restored-earlier')
  await page.keyboard.press('Escape')
  const putBack = page.getByRole('button', { name: /^Put back/ })
  await putBack.first().hover()
  await picture(page, 'replaced-data')
  await putBack.first().click()
  await picture(page, 'put-back')
  await page.getByRole('dialog').getByRole('button', { name: 'Put back', exact: true }).click()
  await page.getByText('The data was put back').waitFor({ timeout: 60_000 })
  await picture(page, 'undone')
}

async function click(page: Page, role: 'button' | 'link', name: string): Promise<void> {
  clicks++
  await page.getByRole(role, { name, exact: true }).first().click()
}
