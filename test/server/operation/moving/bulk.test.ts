/** `npm run move`: all accounts, one after the other. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createAdminClient } from '../../../../server/operation/cli/admin-client.ts'
import { blobPath, blobsName } from '../../../../server/store/files/layout.ts'
import {
  filesOf,
  filledAccount,
  other,
  proxy,
  records,
  server,
  setupMoving,
  succeed,
} from '../../../support/accounts/moving.ts'
import { adminPassword } from '../../../support/server/server.ts'
import { ownerOnly } from '../../../support/store/modes.ts'

setupMoving()

async function run(...args: string[]): Promise<string> {
  return (await runWithCode(...args)).output
}

async function runWithCode(...args: string[]): Promise<{ output: string; code: number | null }> {
  const script = join(import.meta.dirname, '../../../../server/operation/cli/move.ts')
  const dataDir = ['--data-dir', server.config.dataDir, '--url', server.url]
  const child = spawn(process.execPath, [script, ...dataDir, ...args], {
    env: { ...process.env, PDS_ADMIN_PASSWORD: adminPassword },
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { output: output + errors, code: child.exitCode }
}

test('every active account moves; a second run continues with those that failed', async () => {
  const first = await filledAccount(server, 'first')
  const second = await filledAccount(server, 'second')
  const paused = await server.account('paused', { handle: 'paused.here.test' })
  await server.setStatus(paused.did, { deactivated: true })
  await other.account('taker', { handle: 'second.other.test', email: 'taker@mail.test' })

  const output = await run('--to', proxy.url)
  expect(output).toContain('first.here.test: done as first.other.test')
  expect(output).toMatch(/second.here.test: failed. .*second.other.test is taken/)
  expect(output).toContain('paused.here.test: is not active, skipped')
  expect(output).toContain('1 moved, 1 skipped, 1 failed.')

  const file = join(server.config.dataDir, 'move-passwords')
  expect((await stat(file)).mode & 0o777).toBe(ownerOnly)
  const line = (await readFile(file, 'utf8')).split('\n').find((each) => each.includes(first.did)) ?? ''
  const password = line.split(' ')[2] ?? ''
  const { body: there } = await other.signIn({ handle: 'first.other.test', password })
  expect(there).toMatchObject({ did: first.did, active: true })
  expect(await records(other, first.did)).toHaveLength(43)
  expect((await server.signIn(first)).body).toMatchObject({ status: 'deactivated' })

  const taker = await other.signIn({ handle: 'second.other.test', password: 'taker-password' })
  await succeed(other.post('com.core.identity.updateHandle', { handle: 'taker.other.test' }, taker.body))
  const again = await run('--to', proxy.url)
  expect(again).toContain(`first.here.test: has moved to ${proxy.url} as first.other.test`)
  expect(again).toContain('second.here.test: done as second.other.test')
  expect(again).toContain('1 moved, 2 skipped, 0 failed.')
  expect(await records(other, second.did)).toHaveLength(43)
})

test('an account whose media cannot all be copied stays, unless it is to move without them', async () => {
  const account = await filledAccount(server, 'third')
  const [cid = ''] = Object.keys(await filesOf(server, account.did))
  await rm(blobPath(join(server.config.dataDir, blobsName), cid))
  const stopped = await runWithCode('--to', proxy.url)
  expect(stopped).toMatchObject({ code: 1, output: expect.stringContaining('1 failed') })
  expect(stopped.output).toContain('third.here.test: 1 file cannot be copied.')
  expect(stopped.output).toMatch(
    new RegExp(`third.here.test:   ${cid} in at://${account.did}/.*: this server does not`),
  )
  expect((await server.signIn(account)).body).toMatchObject({ active: true })
  const moved = await runWithCode('--to', proxy.url, '--without-missing-media')
  expect(moved).toMatchObject({ code: 0, output: expect.stringContaining('third.here.test: done as third') })
  expect((await server.signIn(account)).body).toMatchObject({ status: 'deactivated' })
})

test('an unreachable server is named', async () => {
  const client = createAdminClient('http://127.0.0.1:9', adminPassword)
  await expect(client.get('com.core.admin.listAccounts')).rejects.toThrow(
    'does not respond at http://127.0.0.1:9',
  )
})
