/** Moves by this server's own engine, from and to the reference server, also while this server is killed again and again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Account, assertEqualContent, contentOf, createAccount, fill } from './accounts.ts'
import { assertMoved } from './migration.ts'
import { poll } from './poll.ts'
import type { Program } from './processes.ts'
import type { World } from './world.ts'
import { get, post, XrpcFailure } from './xrpc.ts'

export function mover({ theirs, ours, directory, readCode }: World): void {
  const restart = (server: Program) => async () => {
    await server.kill()
    await server.start()
  }

  for (const [index, [circumstance, disturb]] of (
    [
      ['', async () => {}],
      [' while it is killed', restart(ours)],
      [' while that server is killed', restart(theirs)],
    ] as const
  ).entries()) {
    test(`this server fetches an account from the reference server${circumstance}`, async () => {
      const from = await createAccount(theirs.url, `fetched${index}`)
      await fill(from)
      const before = await contentOf(from)
      const password = 'password after the move'
      const input = {
        ...{ identifier: from.handle, server: theirs.url, password: from.password },
        ...{ handle: from.handle, newPassword: password },
      }
      const { body } = await post(ours.url, 'com.core.move.moveIn', { input })
      assert.equal(body.did, from.did)
      const to = { ...from, server: ours.url, password, accessJwt: body.accessJwt }
      await finish(to, () => readCode(from.email), disturb)
      await assertMoved(directory.url, from, to)
      assertEqualContent(await contentOf(to), before)
    })

    test(`this server moves an account to the reference server${circumstance}`, async () => {
      const from = await createAccount(ours.url, `moved${index}`)
      await fill(from)
      const before = await contentOf(from)
      const password = 'password after the move'
      const input = { server: theirs.url, password }
      await post(ours.url, 'com.core.move.moveOut', { input, auth: from.accessJwt })
      await finish(from, () => readCode(from.email), disturb)
      const session = { identifier: from.did, password }
      const { body } = await post(theirs.url, 'com.atproto.server.createSession', { input: session })
      const to = { ...from, server: theirs.url, password, accessJwt: body.accessJwt }
      await assertMoved(directory.url, from, to)
      assertEqualContent(await contentOf(to), before)
    })
  }
}

/** Follows a move to its end, enters the mailed code, and disturbs after each new step. */
async function finish(
  { server, accessJwt: auth }: Account,
  code: () => Promise<string>,
  disturb: () => Promise<void>,
): Promise<void> {
  let last: { step?: string; error?: string } = {}
  const ended = async () => {
    const { move } = (await get(server, 'com.core.move.getMove', { auth })).body
    if (move.step !== last.step) await disturb()
    last = move
    if (move.endedAt !== undefined) return true
    // Failed steps are repeated after a while anyway. Here they are at once.
    if (move.need === 'code' || move.error !== undefined) {
      const input = move.need === 'code' ? { code: await code() } : {}
      // After a restart a second code may be mailed, and only the last one is valid.
      await post(server, 'com.core.move.continueMove', { auth, input }).catch((error: unknown) => {
        if (!(error instanceof XrpcFailure && error.error === 'MoveRefused')) throw error
      })
    }
    return undefined
  }
  await poll(ended, () => JSON.stringify(last), 240_000)
  assert.equal(last.error, undefined)
}
