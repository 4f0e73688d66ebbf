/** From nothing to the first post, in a browser and in the desktop: at most six clicks and a minute of a person's time. */
import { afterAll, describe, expect, test } from 'vitest'
import { Machine } from '../support/desktop/desktop.ts'
import type { Page } from '../support/page/browser.ts'
import { setupWorld, world } from '../support/server/setup-world.ts'
import { firstText, Person, writeFirstPost } from '../walks/person.ts'

/** Whether the first post is in the window as it is, without scrolling. */
async function expectInWindow(page: Page): Promise<void> {
  const post = page.getByRole('article').filter({ hasText: firstText })
  const height = Number(await page.evaluate('innerHeight'))
  await expect
    .poll(async () => {
      const box = await post.boundingBox()
      return box !== null && box.y >= 0 && box.y + box.height <= height
    })
    .toBe(true)
}

describe('in a browser', () => {
  setupWorld()

  test.each([1920, 1280, 400])('at a width of %i', async (width) => {
    const person = new Person(await world.visitor('/', { width }))
    await writeFirstPost(person)
    expect(person.clicks).toBeLessThanOrEqual(6)
    expect(person.seconds).toBeLessThanOrEqual(60)
    await expectInWindow(person.page)
  })
})

describe('in the desktop', () => {
  let machine: Machine
  afterAll(() => machine.close())

  test('in the window that opens', async () => {
    machine = await Machine.create()
    const app = await machine.start()
    const person = new Person(await app.page())
    await writeFirstPost(person)
    expect(person.clicks).toBeLessThanOrEqual(6)
    expect(person.seconds).toBeLessThanOrEqual(60)
    await expectInWindow(person.page)
  })
})
