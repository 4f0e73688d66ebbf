/** A person at a page: counts what they do, and how long it takes a person who knows what they want. */
import type { Locator, Page } from 'playwright'

/** Seconds of the keystroke-level model (Card, Moran and Newell 1980) for an average typist who thinks before each step. */
const seconds = { key: 0.28, click: 1.1 + 0.2, think: 1.35, homing: 0.4 }

export class Person {
  readonly page: Page
  clicks = 0
  keys = 0

  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator): Promise<void> {
    this.clicks++
    await target.click()
  }

  /** Types into the field that has the focus. */
  async type(text: string): Promise<void> {
    this.keys += text.length
    await this.page.keyboard.type(text)
  }

  async press(key: string): Promise<void> {
    this.keys++
    await this.page.keyboard.press(key)
  }

  /** Each click is a step: the person thinks, and moves the hand to the mouse and back. */
  get seconds(): number {
    const { key, click, think, homing } = seconds
    return this.keys * key + this.clicks * (click + think + 2 * homing)
  }
}

export const firstPassword = 'correct horse battery'
export const firstText = 'Hello from my own server.'

/** From the first sight of the program to the first post. */
export async function writeFirstPost(person: Person): Promise<void> {
  const { page } = person
  await page.getByRole('heading', { level: 1, name: 'Create the first account' }).waitFor()
  await person.click(page.getByLabel('Handle').first())
  await person.type('alice')
  await person.click(page.getByLabel('Password', { exact: true }))
  await person.type(firstPassword)
  await person.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await person.click(page.getByRole('textbox', { name: 'Post' }))
  await person.type(firstText)
  await person.click(page.getByRole('button', { name: 'Post', exact: true }))
  await page.getByRole('article').filter({ hasText: firstText }).waitFor()
}
