import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError } from '../../../../server/platform/config/config.ts'
import { secretFile } from '../../../../server/platform/config/secret-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-secret-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a secret is in a file that only its owner may read, and is refused once others may read it or something else has filled it', async () => {
  const path = join(folder, 'secret')
  const file = secretFile(path)
  expect(await file.read()).toBeUndefined()
  await file.write('a secret')
  expect(await file.read()).toBe('a secret')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  await chmod(path, 0o644)
  const refusal = file.read()
  await expect(refusal).rejects.toBeInstanceOf(ConfigError)
  await expect(refusal).rejects.toThrow(`Run: chmod 600 ${path}`)
  await file.write('x'.repeat(2 ** 20 + 1))
  await expect(file.read()).rejects.toThrow('too large')
  await file.remove()
  expect(await file.read()).toBeUndefined()
})
