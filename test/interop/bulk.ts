/** `npm run move`: every account of a server moves to the reference server, also when the command is killed and run again. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { assertEqualContent, contentOf, createAccount, fill, signIn } from './accounts.ts'
import { assertMoved } from './migration.ts'
import { adminPassword, type Program, root } from './processes.ts'
import type { World } from './world.ts'

export function bulk({ theirs, directory, newServer }: World): void {
  test('the command moves every account to the reference server', async (t) => {
    const server = await newServer()
    t.after(() => server.remove())
    const accounts = await Promise.all(
      ['first', 'second', 'third'].map((name) => createAccount(server.url, `bulk${name}`)),
    )
    for (const account of accounts) await fill(account, { posts: 50, pictures: 2 })
    const before = await Promise.all(accounts.map(contentOf))

    const interrupted = runMove(server, theirs)
    await once(interrupted.stdout, 'data')
    interrupted.kill('SIGKILL')
    await once(interrupted, 'close')
    const command = runMove(server, theirs)
    const output = await text(command.stdout)
    assert.equal(command.exitCode ?? (await once(command, 'exit'))[0], 0, output)

    const passwords = await readFile(join(server.dataDir, 'move-passwords'), 'utf8')
    for (const [index, from] of accounts.entries()) {
      const line = passwords.split('\n').find((each) => each.includes(from.did))
      const password = line?.split(' ')[2] ?? ''
      const accessJwt = await signIn(theirs.url, from.did, password)
      const to = { ...from, server: theirs.url, password, accessJwt }
      await assertMoved(directory.url, from, to)
      const content = before[index]
      assert.ok(content)
      assertEqualContent(await contentOf(to), content)
    }
  })
}

function runMove(from: Program, to: Program) {
  const options = ['--to', to.url, '--url', from.url, '--data-dir', from.dataDir]
  return spawn(process.execPath, [join(root, 'server/operation/cli/move.ts'), ...options], {
    env: { PATH: process.env.PATH, PDS_ADMIN_PASSWORD: adminPassword },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
