/**
 * `npx node test/walks/tunnel.ts FOLDER [light|dark] [WIDTH]`: the walk of a newcomer in pictures, from the first start to a public
 * handle through Tailscale, and back. The program, the directory and the relay are stand-ins; the proxy needs port 443, so this
 * may need the rights of an administrator.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { PlcDirectory } from '../support/accounts/plc.ts'
import { call } from '../support/desktop/bridge.ts'
import { Machine } from '../support/desktop/desktop.ts'
import { ReverseProxy } from '../support/network/proxy.ts'
import { json, StubService } from '../support/services/stub-service.ts'
import { type FakeState, freshState } from '../support/tunnels/tailscale.ts'

const [folder = 'walk', colorScheme = 'light', width = '1280'] = process.argv.slice(2)
/** The name in the certificate of the tests. */
const host = 'pds.example.com'
let taken = 0
let clicks = 0

process.env.PUBLIC_NAME = host
process.env.NODE_OPTIONS = `--import=${join(import.meta.dirname, '../support/tunnels/public-name.ts')}`
await mkdir(folder, { recursive: true })
const machine = await Machine.create()
const proxy = await ReverseProxy.start(443)
const directory = await PlcDirectory.start()
const relay = await StubService.start()
relay.respond = json({})
proxy.upstreamPort = machine.port
const file = join(machine.folder, 'tailscale.json')
const set = (change: Partial<FakeState>) =>
  writeFile(file, JSON.stringify({ ...freshState, name: host, ...change }))
const state = async () => JSON.parse(await readFile(file, 'utf8')) as FakeState
try {
  await walk()
} finally {
  await machine.close()
  await Promise.all([proxy.close(), directory.close(), relay.close()])
}

async function walk(): Promise<void> {
  await set({ backend: 'NeedsLogin' })
  const app = await machine.start({ tailscale: file })
  const page = await app.page()
  await page.setViewportSize({ width: Number(width), height: 860 })
  await page.getByLabel('Handle').first().fill('alice')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  const before = (await call(page, 'settings.view')).settings
  // Those of the network would not be reached.
  await call(page, 'settings.change', { plcUrl: directory.url, relays: relay.url })

  const menu = page.getByRole('button', { name: 'Open menu' })
  if (await menu.isVisible()) await menu.click()
  await click(page, 'link', 'Network')
  await page.getByRole('heading', { level: 1, name: 'Network' }).waitFor()
  clicks++
  await page.getByRole('radio', { name: 'Public' }).click()
  await page.getByText('You are not signed in to Tailscale').waitFor()
  await picture(page, 'signed-out')
  await set({ consent: 'wait' })
  await page.getByRole('button', { name: 'Look again' }).click()
  await page.getByText(`Your address will be ${host}`).waitFor()
  await picture(page, 'ready')
  await click(page, 'button', 'Go public')
  await page.getByText('asks for your consent').waitFor()
  await picture(page, 'consent')
  clicks++
  await writeFile(file, JSON.stringify({ ...(await state()), consent: 'given' }))
  await page.getByText(`Public at ${host}`).waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Use as handle' }).waitFor()
  await picture(page, 'public')
  await click(page, 'button', 'Use as handle')
  await page.getByText(`Your handle is ${host}`).waitFor()
  await picture(page, 'handle')
  await click(page, 'button', 'Check now')
  await page.getByRole('list', { name: 'Checks' }).waitFor({ timeout: 60_000 })
  await page.getByRole('list', { name: 'Checks' }).scrollIntoViewIfNeeded()
  await picture(page, 'checked')
  process.stdout.write(`${clicks} clicks from Home to a public handle that was checked\n`)

  await set({ online: false, config: (await state()).config })
  await page.reload()
  await page.getByText('Tailscale has no connection').waitFor()
  await picture(page, 'offline')
  await set({ config: (await state()).config })
  await page.getByRole('button', { name: 'Look again' }).click()
  await page.getByText('Requests from the internet arrive').waitFor()
  await page.getByRole('button', { name: 'Stop being public' }).click()
  await page.getByRole('dialog').waitFor()
  await picture(page, 'take-back')
  await page.getByRole('dialog').getByRole('button', { name: 'Stop being public' }).click()
  await page.getByText('The server is private again').waitFor({ timeout: 60_000 })
  await picture(page, 'private')

  const after = (await call(page, 'settings.view')).settings
  const answer = await fetch(`${machine.endpoint}/xrpc/com.core.identity.resolveHandle?handle=alice.test`)
  const isSame =
    JSON.stringify({ ...after, plcUrl: '', relays: '' }) ===
    JSON.stringify({ ...before, plcUrl: '', relays: '' })
  process.stdout.write(
    `left: settings ${isSame ? 'none' : 'changed'}, tunnel ${JSON.stringify((await state()).config)}, handle ${answer.ok ? 'alice.test' : 'lost'}\n`,
  )
  await app.quit()
}

async function click(page: Page, role: 'button' | 'link', name: string): Promise<void> {
  clicks++
  await page.getByRole(role, { name, exact: true }).first().click()
}

async function picture(page: Page, name: string): Promise<void> {
  // A change of the settings applies their theme again.
  await page.emulateMedia({ colorScheme: colorScheme as 'light' | 'dark' })
  await page.waitForLoadState('networkidle')
  const number = String(++taken).padStart(2, '0')
  await page.screenshot({
    path: join(folder, `${number}-${name}.png`),
    animations: 'disabled',
  })
}
