/** `npm start`: the desktop app, or the server with the same user interface and a line with the reason. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fetchElectron } from '../build/fetch-electron.ts'
import { zip } from './support/records/zip.ts'

const root = join(import.meta.dirname, '..')
/** Electron does not run as root, so tests that run as root start it as an unprivileged user. */
const unprivilegedId = process.getuid?.() === 0 ? 65_534 : undefined

/** A copy of the project with an Electron package of its own, which has no binary. */
let project: string
let electronPackage: string
let mirror: Server
let mirrorUrl: string
let started: ChildProcess | undefined

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'pds-start-'))
  electronPackage = join(project, 'node_modules/electron')
  await cp(join(root, 'package.json'), join(project, 'package.json'))
  await mkdir(join(project, 'build'))
  for (const name of ['start.ts', 'server-args.ts', 'electron-binary.ts', 'fetch-electron.ts']) {
    await cp(join(root, 'build', name), join(project, 'build', name))
  }
  for (const name of ['package.json', 'install.js', 'checksums.json']) {
    await cp(join(root, 'node_modules/electron', name), join(electronPackage, name))
  }
  for (const name of ['dist', 'node_modules/@electron', 'node_modules/@electron-internal']) {
    await symlink(join(root, name), join(project, name), 'junction')
  }
  await serveMirror((_, response) => response.writeHead(404).end())
})
afterEach(async () => {
  if (started?.exitCode === null && started.kill()) await once(started, 'exit')
  mirror.closeAllConnections()
  mirror.close()
  await rm(project, { recursive: true })
})

/** Where Electron's archives are downloaded from. */
async function serveMirror(listener: RequestListener): Promise<void> {
  mirror?.close()
  mirror = createServer(listener).listen(0, '127.0.0.1')
  await once(mirror, 'listening')
  mirrorUrl = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/`
}

const script = (lines: string) => `#!/bin/sh\n${lines}\n`
const greeting = 'echo "started with $1 $PDS_DATA_DIR"'

/** Puts a shell script in the place of Electron's binary. */
async function installBinary(lines: string): Promise<void> {
  const file = join(electronPackage, 'dist/electron')
  await mkdir(join(electronPackage, 'dist'))
  await writeFile(file, script(lines))
  await chmod(file, 0o755)
  await writeFile(join(electronPackage, 'path.txt'), 'electron')
}

/** The mirror serves an archive with a shell script in the place of Electron's binary. */
async function offerBinary(lines: string): Promise<void> {
  const archive = zip({ electron: script(lines), version: '0.0.0', LICENSE: 'x'.repeat(100_000) })
  await serveMirror((_, response) =>
    response.writeHead(200, { 'content-length': archive.length }).end(archive),
  )
  const sha256 = createHash('sha256').update(archive).digest('hex')
  const { version } = JSON.parse(await readFile(join(electronPackage, 'package.json'), 'utf8'))
  const name = `electron-v${version}-linux-${process.arch}.zip`
  await writeFile(join(electronPackage, 'checksums.json'), JSON.stringify({ [name]: sha256 }))
}

interface Start {
  readonly args?: readonly string[]
  readonly display?: string
  readonly asRoot?: boolean
}

/** Runs `npm start`. @returns its output up to the line that says that it is ready */
async function start({ args = ['--data-dir', join(project, 'data')], display = ':0', asRoot }: Start = {}) {
  if (unprivilegedId !== undefined)
    execFileSync('chown', ['-R', `${unprivilegedId}:${unprivilegedId}`, project])
  const child = spawn(process.execPath, [join(project, 'build/start.ts'), ...args], {
    env: {
      ...process.env,
      HOME: project,
      ELECTRON_MIRROR: mirrorUrl,
      electron_config_cache: join(project, 'cache'),
      PDS_PORT: '0',
      DISPLAY: display,
      WAYLAND_DISPLAY: '',
    },
    ...(!asRoot && { uid: unprivilegedId, gid: unprivilegedId }),
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

const announced = 'Downloading Electron for the desktop app (`npm start -- --no-desktop` skips it)'
const served = (reason: string) => [
  `${reason}: running the server without the desktop app.`,
  expect.stringMatching(/^listening on /),
  expect.stringMatching(/^The user interface is at http:\/\/localhost:\d+$/),
]

describe.skipIf(process.platform !== 'linux')('npm start without the binary', () => {
  test('downloads it and starts the desktop', async () => {
    await offerBinary(greeting)
    expect(await start()).toEqual([
      announced,
      '  100 % of 1 MB',
      `started with ${project} ${join(project, 'data')}`,
    ])
  })

  test('serves the interface when the download is refused', async () => {
    mirror.close()
    const lines = await start()
    const reason = `connect ECONNREFUSED ${new URL(mirrorUrl).host}`
    expect(lines).toEqual([announced, ...served(`Electron could not be downloaded (${reason})`)])
    const page = await fetch(lines.at(-1)?.split(' ').at(-1) ?? '')
    expect(await page.text()).toContain('<title>Desktop PDS</title>')
  })

  test('serves the interface when the archive has the wrong checksum', async () => {
    await offerBinary('exit 1')
    const file = join(electronPackage, 'checksums.json')
    await writeFile(file, (await readFile(file, 'utf8')).replace(/[0-9a-f]{64}/, '0'.repeat(64)))
    const lines = await start()
    expect(lines.slice(0, -3)).toEqual([announced, '  100 % of 1 MB'])
    expect(lines.at(-3)).toMatch(/^Electron could not be downloaded \(.*checksum.*\): running the server/)
  })

  test('downloads nothing with --no-desktop, and serves the interface', async () => {
    const args = ['--no-desktop', '--data-dir', join(project, 'data')]
    expect(await start({ args })).toEqual(served('--no-desktop'))
  })

  test('downloads nothing without a display, and serves the interface', async () => {
    expect(await start({ display: '' })).toEqual(served('There is no display'))
  })
})

describe('check of the Node.js version', () => {
  /** @param system the version that npm runs on */
  function check(version: string, system: string) {
    const replaced = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
    const script = `require(${JSON.stringify(join(root, 'build/check-node.cjs'))})`
    const { status, stderr } = spawnSync(process.execPath, ['--eval', `${replaced};${script}`], {
      encoding: 'utf8',
      env: { npm_config_user_agent: `npm/10.9.9 node/v${system} linux x64` },
    })
    return { status, stderr }
  }

  test('without the Node.js package: fails with the command to run', () => {
    const { status, stderr } = check('20.20.2', '20.20.2')
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Desktop PDS runs on Node\.js 24, .* this is Node\.js 20\.20\.2\.\nRun `npm ci`/)
  })

  test('npm on a version that skips optional packages: fails with the versions that work', () => {
    for (const version of ['18.20.8', '20.18.0', '21.7.3', '22.11.0']) {
      const { status, stderr } = check('24.21.0', version)
      expect(status).toBe(1)
      expect(stderr).toContain(
        `Node.js ${version} is too old to install Desktop PDS.\nInstall Node.js 20.19, `,
      )
    }
    for (const version of ['20.19.0', '20.20.2', '22.12.0', '24.0.0', '26.1.0']) {
      expect(check('24.21.0', version)).toEqual({ status: 0, stderr: '' })
    }
  })
})

describe('download of Electron', () => {
  /** Runs the download in this process, with a limit that a test need not wait for. */
  async function download(): Promise<void> {
    const before = { ...process.env }
    Object.assign(process.env, {
      ELECTRON_MIRROR: mirrorUrl,
      electron_config_cache: join(project, 'cache'),
    })
    try {
      await fetchElectron({ onProgress: () => {}, stallMs: 50 })
    } finally {
      process.env = before
    }
  }
  const tooSlow = 'no response, or a very slow one'

  test('is aborted when the server accepts the connection and never responds', async () => {
    await serveMirror(() => {})
    await expect(download()).rejects.toThrow(tooSlow)
  })

  test('is aborted when the response stalls', async () => {
    await serveMirror((_, response) => response.writeHead(200, { 'content-length': 1e8 }).write('PK'))
    await expect(download()).rejects.toThrow(tooSlow)
  })
})

describe.skipIf(process.platform !== 'linux')('npm start with the binary', () => {
  test('starts the desktop on the given data folder', async () => {
    await installBinary(greeting)
    expect(await start()).toEqual([`started with ${project} ${join(project, 'data')}`])
    expect((await once(started as ChildProcess, 'exit'))[0]).toBe(0)
  })

  test('serves the interface when the command line has settings for the server', async () => {
    await installBinary('exit 1')
    const args = ['--data-dir', join(project, 'data'), '--port', '0']
    expect(await start({ args })).toEqual(served('Settings on the command line are for the server only'))
  })

  test('serves the interface when Chromium exits for lack of a sandbox', async () => {
    await installBinary('kill -TRAP $$')
    expect(await start()).toEqual(
      served('Electron could not start, probably because this system forbids its sandbox'),
    )
  })

  test.runIf(unprivilegedId !== undefined)('serves the interface when run as root', async () => {
    await installBinary('exit 1')
    expect(await start({ asRoot: true })).toEqual(served('Electron does not run as root'))
  })
})
