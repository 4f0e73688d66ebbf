/** `npm start`: the desktop app, or the server with the same user interface and a line that says why. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
/** Electron does not run as root, so that a test that does starts it as nobody. */
const nobody = process.getuid?.() === 0 ? 65_534 : undefined

let folder: string
let started: ChildProcess | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-start-'))
  await mkdir(join(folder, 'dist'))
  if (nobody !== undefined) for (const one of [folder, join(folder, 'dist')]) await chown(one, nobody, nobody)
})
afterEach(async () => {
  if (started?.exitCode === null && started.kill()) await once(started, 'exit')
  await rm(folder, { recursive: true })
})

/** What is put in the place of Electron's binary: a shell script, in a folder of its own. */
async function installBinary(script: string): Promise<void> {
  const note = await readFile(join(root, 'node_modules/electron/path.txt'), 'utf8').catch(() => 'electron')
  const file = join(folder, 'dist', note.trim())
  await writeFile(file, `#!/bin/sh\n${script}\n`)
  await chmod(file, 0o755)
}

interface Start {
  readonly args?: readonly string[]
  readonly display?: string
  readonly asRoot?: boolean
}

/** Starts it, and reads its lines until one that ends what a person waits for. */
async function start({ args = ['--data-dir', join(folder, 'data')], display = ':0', asRoot }: Start = {}) {
  const child = spawn(process.execPath, [join(root, 'build/start.ts'), ...args], {
    env: {
      ...process.env,
      ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'dist'),
      PDS_PORT: '0',
      DISPLAY: display,
      WAYLAND_DISPLAY: '',
    },
    ...(!asRoot && { uid: nobody, gid: nobody }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started = child
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (/^(The user interface is at|started with) /.test(line)) break
  }
  return lines
}

const served = (reason: string) => [
  `${reason}: running the server without the desktop app.`,
  expect.stringMatching(/^listening on /),
  expect.stringMatching(/^The user interface is at http:\/\/localhost:\d+$/),
]

test('without the binary it serves, and says how to come by it', async () => {
  const lines = await start()
  expect(lines).toEqual(served('The binary of Electron is not installed (npx install-electron fetches it)'))
  const page = await fetch(lines.at(-1)?.split(' ').at(-1) ?? '')
  expect(await page.text()).toContain('<title>Desktop PDS</title>')
})

describe.skipIf(process.platform !== 'linux')('with the binary', () => {
  test('it starts the desktop, on the data folder that is named', async () => {
    await installBinary('echo "started with $1 $PDS_DATA_DIR"')
    expect(await start()).toEqual([`started with ${root} ${join(folder, 'data')}`])
    expect((await once(started as ChildProcess, 'exit'))[0]).toBe(0)
  })

  test('but no display it serves', async () => {
    await installBinary('exit 1')
    expect(await start({ display: '' })).toEqual(served('There is no display'))
  })

  test('but settings for the server it serves', async () => {
    await installBinary('exit 1')
    const args = ['--data-dir', join(folder, 'data'), '--port', '0']
    expect(await start({ args })).toEqual(served('Settings on the command line are for the server alone'))
  })

  test('that Chromium ends, for want of a sandbox, it serves', async () => {
    await installBinary('kill -TRAP $$')
    expect(await start()).toEqual(
      served('Electron cannot start, perhaps because this system lets it make no sandbox'),
    )
  })

  test.runIf(nobody !== undefined)('but as root it serves', async () => {
    await installBinary('exit 1')
    expect(await start({ asRoot: true })).toEqual(served('Electron does not run as root'))
  })
})
