/** How `npm test` finds or installs Chromium. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
let folder: string
let bin: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pds-browser-'))
  bin = join(folder, 'bin')
  mkdirSync(bin)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Puts a shell script into the only folder of PATH. */
function command(name: string, lines: string): string {
  const file = join(bin, name)
  writeFileSync(file, `#!/bin/sh\n${lines}\n`)
  chmodSync(file, 0o755)
  return file
}

/** Runs the search on a machine without Playwright's Chromium or a way to download it. */
async function ensure(env: Record<string, string> = {}): Promise<string[]> {
  const script = `const { ensureChromium } = await import(${JSON.stringify(join(root, 'build/browser.ts'))})
    try { console.log('found ' + ensureChromium()) } catch (error) { console.log(error.message) }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: {
      PATH: bin,
      PLAYWRIGHT_BROWSERS_PATH: join(folder, 'browsers'),
      PLAYWRIGHT_DOWNLOAD_HOST: 'http://127.0.0.1:1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

describe.skipIf(process.platform !== 'linux')('Chromium for the tests', () => {
  test('is found in PATH, under each of its names', async () => {
    for (const name of ['google-chrome', 'chromium', 'chromium-headless-shell']) {
      const file = command(name, 'echo Chromium 156')
      expect(await ensure()).toEqual([`found ${file}`])
    }
  })

  test('is the one that CHROMIUM names, before others', async () => {
    command('chromium', 'exit 0')
    const file = command('my-chromium', 'exit 0')
    expect(await ensure({ CHROMIUM: file })).toEqual([`found ${file}`])
  })

  test('is skipped if it cannot run', async () => {
    command('chromium', 'exit 1')
    const file = command('google-chrome', 'exit 0')
    expect(await ensure()).toEqual([`found ${file}`])
  })

  const download = 'The tests need Chromium, and there is none. Downloading it (170 MB)'
  const failure = 'That failed: Error: connect ECONNREFUSED 127.0.0.1:1'

  test('is the package that apt-get installs when the download fails', async () => {
    const file = join(bin, 'chromium')
    command('sudo', 'shift; exec "$@"')
    command('env', 'shift; exec "$@"')
    command(
      'apt-get',
      `case "$*" in *"install "*chromium) printf '#!/bin/sh\\n' > ${file}; /bin/chmod 755 ${file};; esac`,
    )
    expect(await ensure()).toEqual([
      download,
      failure,
      'Installing the package chromium-headless-shell with apt-get',
      'Installing the package chromium with apt-get',
      `found ${file}`,
    ])
  })

  test('cannot be installed: the error names the command to run', async () => {
    expect(await ensure()).toEqual([
      download,
      failure,
      'Chromium could not be installed. Run `npx playwright install --with-deps chromium`, or set CHROMIUM to the path of a Chromium or Chrome.',
    ])
  })
})
