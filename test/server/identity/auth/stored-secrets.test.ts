/** What a copy of the data folder does not reveal: passwords, app passwords and mailed codes. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

test('no file contains a password, an app password or a mailed code', async () => {
  const { body: made } = await server.post('com.core.server.createAppPassword', { name: 'phone' }, alice)
  await server.post('com.core.server.requestPasswordReset', { email: alice.email })
  const secrets = [
    alice.password,
    made.password,
    made.password.replaceAll('-', ''),
    await server.codeTo(alice.email),
  ]
  await server.restart()
  const entries = await readdir(server.config.dataDir, { recursive: true, withFileTypes: true })
  // The outbox holds the codes of this server, which has no mail server.
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.endsWith('outbox'))
  expect(files.map(({ name }) => name)).toContain('pds.sqlite')
  for (const { parentPath, name } of files) {
    const content = await readFile(join(parentPath, name))
    expect(secrets.filter((secret) => content.includes(secret))).toEqual([])
  }
})
