/** Errors of the commands for people. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'
import { runCommand } from '../../../support/replicas/copies.ts'
import { unreleased } from '../../../support/store/database-bytes.ts'

test('backup and restore: print help, and errors with exit code 1', async () => {
  for (const command of ['backup', 'restore']) {
    expect(await runCommand(command, ['--help'])).toContain(`npm run ${command}`)
    const refused = runCommand(command, ['--wrong'])
    const stderr = "Unknown option '--wrong' of this command. --help shows its options.\n"
    await expect(refused).rejects.toMatchObject({ code: 1, stderr })
  }
  const directory = await mkdtemp(join(tmpdir(), 'pds-commands-'))
  await (await Database.open({ directory, schema, now: () => new Date() })).close()
  const old = join(directory, 'old')
  await writeFile(old, await unreleased(join(directory, 'pds.sqlite')))
  const expectError = async (file: string, message: RegExp) => {
    const restored = runCommand('restore', [file, '--data-dir', directory])
    await expect(restored).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) })
  }
  await expectError(old, /from before its first release/)
  await expectError('none.sqlite', /none\.sqlite is missing. For a backup, write its time/)
  const cut = join(directory, 'cut.zst')
  await writeFile(cut, Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1]))
  await expectError(cut, /cut\.zst is damaged or cut short\. Nothing was changed\.\n$/)
  const fromPlace = ['--from', 'file:///none', '--key', join(directory, 'no key'), '--data-dir', directory]
  const stderr = `There is no ${join(directory, 'no key')}. Check the path.\n`
  await expect(runCommand('restore', fromPlace)).rejects.toMatchObject({ code: 1, stderr })
  await expect(runCommand('backup', ['--data-dir', join(directory, 'none')])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/pds\.sqlite is missing/),
  })
  await rm(directory, { recursive: true })
})
