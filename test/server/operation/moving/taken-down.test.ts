/** Moves of accounts that were taken down, with the session that such an account can open. */
import { expect, test } from 'vitest'
import {
  filesOf,
  filledAccount,
  moveIn,
  moveOut,
  other,
  password,
  preferences,
  proceed,
  records,
  repeated,
  server,
  setupMoving,
  succeed,
} from '../../../support/accounts/moving.ts'

setupMoving()

test('a taken-down account moves out, with its records, files and preferences', async () => {
  const account = await filledAccount(server, 'tara')
  const before = { records: await records(server, account.did), files: await filesOf(server, account.did) }
  await server.setStatus(account.did, { takedown: true })
  const leaving = { ...account, ...(await server.signIn(account, { allowTakendown: true })).body }
  await succeed(moveOut(leaving))
  expect(await repeated(server, leaving)).toMatchObject({ need: 'code', blobsCopied: 3 })
  await succeed(proceed(server, leaving, { code: await server.codeTo(account.email) }))
  expect(await repeated(server, leaving)).toMatchObject({ step: 'done' })
  expect(await records(other, account.did)).toEqual(before.records)
  expect(await filesOf(other, account.did)).toEqual(before.files)
  const { body: there } = await other.signIn({ handle: 'tara.other.test', password })
  expect(there).toMatchObject({ active: true })
  expect((await succeed(other.get('app.bsky.actor.getPreferences', {}, there))).preferences).toEqual(
    preferences,
  )
  // It remains taken down here.
  expect((await server.signIn(account)).body).toMatchObject({ error: 'AccountTakedown' })
})

test('an account that was taken down at its old server moves in', async () => {
  const account = await filledAccount(other, 'uma')
  const before = { records: await records(other, account.did), files: await filesOf(other, account.did) }
  await other.setStatus(account.did, { takedown: true })
  const here = await succeed(moveIn(account))
  expect(await repeated(server, here)).toMatchObject({ need: 'code', blobsCopied: 3 })
  await succeed(proceed(server, here, { code: await other.codeTo(account.email) }))
  expect(await repeated(server, here)).toMatchObject({ step: 'done' })
  expect(await records(server, account.did)).toEqual(before.records)
  expect(await filesOf(server, account.did)).toEqual(before.files)
})
