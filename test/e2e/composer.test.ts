/** Posts written in the window. */
import { expect, test } from 'vitest'
import { owner as alice, setupWorld, world } from '../support/server/setup-world.ts'

setupWorld({ accounts: ['alice'] })

const postsOf = async () => {
  const { body } = await world.server.get('app.example.feed.getAuthorFeed', { actor: alice.did }, alice)
  return body.feed.map(({ post }: { post: unknown }) => post)
}

test('a new account writes a post on Home', async () => {
  const page = await world.signedIn(alice)
  await page.getByLabel('Post text').fill('My first post.')
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await page.getByText('Posted').waitFor()
  expect(await page.getByLabel('Post text').inputValue()).toBe('')
  expect(await postsOf()).toMatchObject([{ record: { text: 'My first post.' } }])
})
