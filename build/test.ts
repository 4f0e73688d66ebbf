/** `node build/test.ts [arguments of vitest]`: runs the tests. Installs Chromium first if none is found. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureChromium } from './browser.ts'

const root = join(import.meta.dirname, '..')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')

let chromium: string
try {
  chromium = ensureChromium()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
process.stdout.write(`Chromium for the tests: ${chromium}\n`)

const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--config', 'build/vitest.config.ts', ...process.argv.slice(2)],
  { cwd: root, env: { ...process.env, CHROMIUM: chromium }, stdio: 'inherit' },
)
process.exit(status ?? 1)
