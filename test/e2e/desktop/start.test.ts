import { afterAll, beforeAll, expect, test } from 'vitest'
import { Machine } from '../../support/desktop/desktop.ts'

let machine: Machine
beforeAll(async () => {
  machine = await Machine.create()
})
afterAll(() => machine.close())

test('the app starts', async () => {
  const app = await machine.start()
  const page = await app.page()
  page.on('console', (m) => process.stderr.write(m.text() + '\n'))
  await page.getByRole('heading', { level: 1 }).waitFor()
  process.stderr.write(JSON.stringify(await app.look(), null, 1))
  process.stderr.write(await page.locator('body').ariaSnapshot())
  expect(await page.evaluate('window.desktop.endpoint')).toBe(machine.endpoint)
})
