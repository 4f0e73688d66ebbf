/** Moves with the standard calls in every direction. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertEqualContent, contentOf, createAccount, fill, postRecord, put, tid } from './accounts.ts'
import { assertMoved, migrate } from './migration.ts'
import type { World } from './world.ts'

export function moves(world: World): void {
  const { directory, theirs, others, ours, readCode } = world
  const ways = [
    ['from the reference server to another one', [theirs, others]],
    ['from the reference server to this one', [theirs, ours]],
    ['from this server to the reference server', [ours, theirs]],
    ['through the reference server without a write there, to this one', [theirs, others, ours]],
    ['to this server and back', [theirs, ours, theirs]],
  ] as const

  for (const [index, [name, servers]] of ways.entries()) {
    test(`an account moves ${name}`, async () => {
      const [first, ...rest] = servers
      let account = await createAccount(first.url, `mover${index}`)
      const { password } = account
      await fill(account)
      for (const [hop, { url: server }] of rest.entries()) {
        const before = await contentOf(account)
        const from = account
        const target = { server, password: `${password} ${hop}` }
        account = await migrate(
          from,
          server === first.url ? { server, password, returns: true } : target,
          readCode,
        )
        await assertMoved(directory.url, from, account)
        assertEqualContent(await contentOf(account), before)
      }
      // The account works: revisions continue, and the new record is in the tree.
      const written = await put(account, 'app.bsky.feed.post', tid(300_000), postRecord('After the move'))
      assert.ok(written.commit.rev)
    })
  }
}
