/** Computers of a walk, and pictures of their pages. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { type App, Machine } from '../support/desktop/desktop.ts'

/** The arguments of a walk: `FOLDER [light|dark] [WIDTH]`. */
const [folder = 'walk', colorScheme = 'light', width = '1280'] = process.argv.slice(2)
const machines: Machine[] = []
let taken = 0

/** Runs a walk, removes its computers afterwards, and ends the process. */
export async function run(walk: () => Promise<void>): Promise<void> {
  await mkdir(folder, { recursive: true })
  try {
    await walk()
  } finally {
    for (const machine of machines) await machine.close()
  }
  // The browser of the stand-in stays open.
  process.exit()
}

export async function newMachine(): Promise<Machine> {
  const machine = await Machine.create()
  machines.push(machine)
  return machine
}

export async function open(machine: Machine): Promise<{ app: App; page: Page }> {
  const app = await machine.start()
  const page = await app.page()
  await page.setViewportSize({ width: Number(width), height: 860 })
  await page.emulateMedia({ colorScheme: colorScheme as 'light' | 'dark' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  return { app, page }
}

/** Creates the first account. */
export async function signUp(page: Page): Promise<void> {
  await page.getByLabel('Handle').first().fill('alice')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
}

export async function openMenu(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Open menu' })
  if (await menu.isVisible()) await menu.click()
}

export async function picture(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  const number = String(++taken).padStart(2, '0')
  await page.screenshot({
    path: join(folder, `${number}-${name}.png`),
    animations: 'disabled',
  })
}
