/** Moving a server to a machine with other folders, another port and another keyring, in one file with a passphrase. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../../support/desktop/bridge.ts'
import { type App, Machine, soon } from '../../support/desktop/desktop.ts'
import { fillSignIn, heading } from '../../support/server/world.ts'

interface Tokens {
  readonly accessJwt: string
  readonly refreshJwt: string
}

const passphrase = 'four words of mine'
/** scrypt makes each attempt at a passphrase slow on purpose: about a second of an idle core. */
const decryption = { timeout: 30_000 }
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

let old: Machine
let next: Machine
let app: App
let page: Page

beforeAll(async () => {
  old = await Machine.create()
  next = await Machine.create()
  // Clients continue only if the address stays the same.
  next.port = old.port
})

afterAll(() => Promise.all([old, next].map((machine) => machine.close())))

async function send<T>(nsid: string, input?: object, token?: string): Promise<T> {
  const answer = await fetch(`${old.endpoint}/xrpc/${nsid}`, {
    method: 'POST',
    headers: {
      ...(input && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(input && { body: JSON.stringify(input) }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json() as Promise<T>
}

async function choose(chosen: string): Promise<void> {
  await app.answer({ canceled: false, filePaths: [chosen] })
  await button(page, 'Import…').click()
}

test('one file moves accounts, tokens and app passwords; damaged and foreign files are refused', async () => {
  const file = join(old.folder, 'all.tar.gz.age')
  app = await old.start()
  page = await app.page()
  await call(page, 'server.start')
  const alice = await send<Tokens>('com.core.server.createAccount', {
    handle: 'alice.test',
    password: 'alice-password',
  })
  const phone = await send<{ password: string }>(
    'com.core.server.createAppPassword',
    { name: 'phone' },
    alice.accessJwt,
  )
  await page.evaluate("location.hash = '#/sign-in'")
  await fillSignIn(page, { handle: 'alice.test', password: 'alice-password' })
  await heading(page, 'Home').waitFor()
  await page.evaluate("location.hash = '#/backups'")
  await button(page, 'Export…').click()
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase)
  await page.getByLabel('Repeat passphrase').fill(passphrase)
  await app.answer({ canceled: false, filePath: file })
  await button(page, 'Choose location…').click()
  await expect.poll(() => readdir(old.folder), soon).toContain('all.tar.gz.age')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await app.quit()

  // The new machine refuses damaged and foreign files, and changes nothing.
  app = await next.start({ keyring: 'of another machine' })
  page = await app.page()
  await heading(page, 'Create the first account').waitFor()
  await page.getByRole('link', { name: 'Backups', exact: true }).click()
  const before = await readdir(next.dataDir)
  const damaged = join(next.folder, 'damaged.tar.gz.age')
  const bytes = await readFile(file)
  bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1
  await writeFile(damaged, bytes)
  await choose(damaged)
  await page.getByLabel('Passphrase of the file').fill(passphrase)
  await page.keyboard.press('Enter')
  await page.getByText(`${damaged} is damaged or cut short. Nothing was changed.`).waitFor(decryption)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  const foreign = join(next.folder, 'foreign.tar.gz.age')
  await writeFile(foreign, 'a shopping list')
  await choose(foreign)
  await page.getByText(`${foreign} `).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await readdir(next.dataDir)).toEqual(before)

  // The right file is decrypted, previewed and restored.
  await choose(file)
  await page.getByLabel('Passphrase of the file').fill(passphrase)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('alice.test').waitFor(decryption)
  await page.getByLabel('Type restore to confirm').fill('restore')
  await button(page, 'Restore').click()
  await page.getByRole('dialog', { name: 'The server is restored' }).waitFor(decryption)
  await page.keyboard.press('Escape')

  // Tokens, app passwords and passwords still work.
  const session = await fetch(`${next.endpoint}/xrpc/com.core.server.getSession`, {
    headers: { authorization: `Bearer ${alice.accessJwt}` },
  })
  expect(await session.json()).toMatchObject({ handle: 'alice.test' })
  const refreshed = await send('com.core.server.refreshSession', undefined, alice.refreshJwt)
  expect(refreshed).toMatchObject({ handle: 'alice.test' })
  const credentials = { identifier: 'alice.test', password: phone.password }
  expect(await send('com.core.server.createSession', credentials)).toMatchObject({ handle: 'alice.test' })
  await page.evaluate("location.hash = '#/sign-in'")
  await fillSignIn(page, { handle: 'alice.test', password: 'alice-password' })
  await heading(page, 'Home').waitFor()
}, 120_000)
