/** `npm run simulate -- --prove` leaves nothing in the folder for temporary files. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** More than any process has. */
const noProcess = 2 ** 22 + 1

test.skipIf(process.platform === 'win32')(
  'a proof that is ended removes its copy of the sources, and that of one that was killed',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'prove-'))
    try {
      mkdirSync(join(folder, `simulate-${noProcess}-abcdef`))
      const command = join(import.meta.dirname, 'main.ts')
      const env = { ...process.env, TMPDIR: folder }
      const child = spawn(process.execPath, [command, '--prove', '--limit', '1'], { env, stdio: 'ignore' })
      const exit = once(child, 'exit')
      // Its simulations have begun.
      const caches = () =>
        readdirSync(folder).filter((name) => existsSync(join(folder, name, 'node_modules/.cache')))
      await expect.poll(() => caches().length).toBe(1)
      child.kill('SIGTERM')
      await exit
      expect(readdirSync(folder)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
