/** `npm run simulate -- --prove` finds a deliberate fault by the run that is kept, and leaves nothing in the folder for temporary files. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'

/** More than any process has. */
const noProcess = 2 ** 22 + 1
const folder = mkdtempSync(join(tmpdir(), 'prove-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function prove(...args: string[]) {
  const command = [join(import.meta.dirname, 'main.ts'), '--prove', ...args]
  const env = { ...process.env, TMPDIR: folder }
  return spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'ignore'] })
}

test.skipIf(process.platform === 'win32')(
  'a proof that is ended removes its copies of the sources, and that of one that was killed',
  async () => {
    mkdirSync(join(folder, `simulate-${noProcess}-abcdef`))
    const child = prove('--fault', 'mailed-code-never-expires', '--limit', '1')
    const exit = once(child, 'exit')
    // Its simulations have begun.
    const caches = () =>
      readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('node_modules/.cache'))
    await expect.poll(() => caches().length, { timeout: 60_000 }).toBe(1)
    child.kill('SIGTERM')
    await exit
    expect(readdirSync(folder)).toEqual([])
  },
)

test('a deliberate fault is found by the run that has found it before', async () => {
  const child = prove('--fault', 'mailed-code-never-expires', '--limit', '1')
  const output = await text(child.stdout)
  expect(output).toMatch(/^mailed-code-never-expires +mail +kept /m)
  expect(output).toContain('1 of 1 faults were found')
  expect(existsSync(folder) && readdirSync(folder)).toEqual([])
})
