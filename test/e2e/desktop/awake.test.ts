/** The computer stays awake while its server is public, as the setting says. */
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../../support/desktop/bridge.ts'
import { type App, Machine } from '../../support/desktop/desktop.ts'

let machine: Machine
let app: App
let page: Page

beforeAll(async () => {
  machine = await Machine.create()
  app = await machine.start()
  page = await app.page()
  await call(page, 'server.start')
  // The machine of the tests may have a battery of its own.
  await app.usePower('mains')
})
afterAll(() => machine.close())

const change = (publicUrl: string) => call(page, 'settings.change', { publicUrl, trustedProxies: 'loopback' })
const keep = (keepAwake: 'mains' | 'always' | 'off') => call(page, 'settings.change', { keepAwake })

test('a private server lets the computer sleep, a public one only on battery', async () => {
  expect(await app.awake()).toBe(0)
  await keep('always')
  expect(await app.awake()).toBe(0)
  await change('https://pds.example.com')
  expect(await app.awake()).toBe(1)
  await app.usePower('battery')
  expect(await app.awake()).toBe(1)
  await keep('mains')
  expect(await app.awake()).toBe(0)
  await app.usePower('mains')
  expect(await app.awake()).toBe(1)
  await keep('off')
  expect(await app.awake()).toBe(0)
  await keep('mains')
  expect(await app.awake()).toBe(1)
})

test('a stopped server lets it sleep, and so does one that becomes private', async () => {
  await call(page, 'server.stop')
  expect(await app.awake()).toBe(0)
  await call(page, 'server.start')
  expect(await app.awake()).toBe(1)
  await change('')
  expect(await app.awake()).toBe(0)
})

test('the end of a sleep disturbs neither a running server nor a stopped one', async () => {
  await app.resume()
  expect((await fetch(`${machine.endpoint}/xrpc/_health`)).status).toBe(200)
  await call(page, 'server.stop')
  await app.resume()
  expect((await call(page, 'server.state')).kind).toBe('stopped')
})
