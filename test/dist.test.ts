/**
 * What `npm run dist` would ship, made with a stand-in for Electron's binary and looked into: just what is needed, and the
 * server in it runs.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { extractAll, listPackage } from '@electron/asar'
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { build, Platform } from 'electron-builder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeElectronStub } from './support/electron-stub.ts'

const root = join(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'pds-dist-'))
const program = join(work, 'release/linux-unpacked')
const archive = join(program, 'resources/app.asar')
const app = join(work, 'app')

/** What the launcher of the AppImage says. */
let launcher: string
/** Every file in the archive, such as `dist/server/main.js`. */
let files: string[]

beforeAll(async () => {
  const electronDist = join(work, 'electron')
  writeElectronStub(electronDist)
  await build({
    projectDir: root,
    targets: Platform.LINUX.createTarget(['dir', 'AppImage']),
    // Asked before the AppImage is made, which takes tools from the network: it need not be.
    effectiveOptionComputed: async ({ desktop }) => {
      launcher = desktop
      return true
    },
    config: {
      extends: 'build/electron-builder.yml',
      electronDist,
      directories: { output: join(work, 'release') },
    },
  })
  extractAll(archive, app)
  files = listPackage(archive, { isPack: false })
    .map((file) => file.slice(1).replaceAll('\\', '/'))
    .filter((file) => statSync(join(app, file)).isFile())
}, 120_000)

afterAll(() => rmSync(work, { recursive: true }))

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8'))
}

test('the archive holds the program, its dependencies and nothing else', () => {
  const own = files.filter((file) => !file.startsWith('node_modules/'))
  const program =
    /^(package\.json|dist\/(electron|lexicons|server)\/.+\.c?js|dist\/renderer\/.+\.(html|css|js|svg)|build\/(tray\/tray.*|icons\/linux\/256x256)\.(png|ico))$/
  expect(own.filter((file) => !program.test(file))).toEqual([])
  for (const file of [
    'dist/electron/main.js',
    'dist/electron/preload.cjs',
    'dist/server/main.js',
    'dist/server/auth/password-worker.js',
    'dist/server/store/store-worker.js',
    'dist/renderer/index.html',
    'build/tray/tray.png',
  ]) {
    expect(own).toContain(file)
  }

  // Licences go with what they are about.
  const code = /^(\.c?js|\.mjs|\.json|\.wasm)$/
  const licence = /(licen[cs]e|copyright|authors|security|bcrypt)/i
  const foreign = files.filter((file) => file.startsWith('node_modules/'))
  expect(foreign.filter((file) => !code.test(extname(file)) && !licence.test(file))).toEqual([])
  expect(foreign.filter((file) => /\.(wasm|test\.\w+|spec\.\w+)$|\/tests?\//.test(file))).toEqual([
    'node_modules/sql.js/dist/sql-wasm.wasm',
  ])
})

test('its packages are those that the lock file has for production, and say nothing of development', () => {
  type Locked = Record<string, { version: string; dev?: true; devOptional?: true }>
  const { packages } = readJson<{ packages: Locked }>(join(root, 'package-lock.json'))
  const wanted = Object.entries(packages)
    .filter(([place, { dev, devOptional }]) => place !== '' && !dev && !devOptional)
    .map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')}@${version}`)
  const shipped = files
    .filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
    .map((file) => readJson<{ name: string; version: string }>(join(app, file)))
    .map(({ name, version }) => `${name}@${version}`)
  expect(new Set(shipped)).toEqual(new Set(wanted))
  const manifest = readJson(join(app, 'package.json'))
  expect(manifest).not.toHaveProperty('devDependencies')
  expect(manifest).not.toHaveProperty('scripts')

  const figure = (n: number) => (n / 1024 / 1024).toFixed(1)
  const bytes = (prefix: string) =>
    files
      .filter((file) => file.startsWith(prefix))
      .reduce((sum, file) => sum + statSync(join(app, file)).size, 0)
  process.stdout.write(
    `app.asar: ${figure(statSync(archive).size)} MB, ${files.length} files, ${shipped.length} packages; ` +
      `our code ${figure(bytes('dist/'))} MB, user interface ${figure(bytes('dist/renderer/'))} MB of it\n`,
  )
})

test('no file of it says where it was built, or keeps a secret', () => {
  const telling = [root, 'PRIVATE KEY-----', '//# sourceMappingURL=data:']
  const own = files.filter((file) => /^(dist|package\.json)/.test(file))
  const tells = (file: string) => {
    const text = readFileSync(join(app, file), 'latin1')
    return telling.some((part) => text.includes(part))
  }
  expect(own.filter(tells)).toEqual([])
})

test('the executable loads this archive only, and cannot be made a Node or be debugged', async () => {
  const fuses = await getCurrentFuseWire(join(program, 'desktop-pds'))
  const on = '1'.charCodeAt(0)
  const enabled = Object.entries(FuseV1Options).filter(
    ([name, at]) => Number.isNaN(Number(name)) && fuses[at as FuseV1Options] === on,
  )
  expect(enabled.map(([name]) => name)).toEqual([
    'EnableCookieEncryption',
    'EnableEmbeddedAsarIntegrityValidation',
    'OnlyLoadAppFromAsar',
  ])
  expect(readdirSync(join(program, 'resources'))).toEqual(['app.asar'])
  expect(readdirSync(join(program, 'locales'))).toEqual(['en-US.pak'])
})

test('its launcher follows links, belongs to its window, and leaves the sandbox on', () => {
  expect(launcher).toMatch(/^MimeType=x-scheme-handler\/desktop-pds;$/m)
  expect(launcher).toMatch(/^StartupWMClass=desktop-pds$/m)
  expect(launcher).toMatch(/^Exec=AppRun %U$/m)
})

test('what it loads by name is in it', () => {
  const imported = /(?:from |import\(|import )['"](?<target>\.[^'"]+)['"]/g
  const missing = files
    .filter((file) => /^dist\/(electron|lexicons|server)\//.test(file))
    .flatMap((file) =>
      [...readFileSync(join(app, file), 'utf8').matchAll(imported)].map(({ groups }) =>
        join(file, '..', groups?.target ?? ''),
      ),
    )
    .filter((target) => !existsSync(join(app, target)))
  expect(missing).toEqual([])
})

describe('its server, under plain Node', () => {
  let server: ChildProcess
  let url: string

  beforeAll(async () => {
    const main = join(app, 'dist/server/main.js')
    const child = spawn(process.execPath, [main, '--port', '0', '--data-dir', join(work, 'data')], {
      cwd: work,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    server = child
    for await (const line of createInterface({ input: child.stdout })) {
      url = /listening on (\S+)/.exec(line)?.[1] ?? ''
      if (url) break
    }
  })

  test('answers, hashes passwords in their thread, and serves the user interface', async () => {
    const described = await fetch(`${url}/xrpc/com.core.server.describeServer`)
    expect(await described.json()).toMatchObject({ availableUserDomains: ['.test'] })
    const made = await fetch(`${url}/xrpc/com.core.server.createAccount`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: 'alice.test', password: 'correct horse' }),
    })
    expect(made.status).toBe(200)

    const page = await (await fetch(url)).text()
    const parts = [...page.matchAll(/(?:src|href)="\.?(\/[^"]+)"/g)].map(([, path]) => path)
    expect(parts.length).toBeGreaterThan(2)
    for (const path of parts) expect((await fetch(url + path)).status, path).toBe(200)
  })

  afterAll(async () => {
    const ended = once(server, 'exit')
    server.kill()
    expect((await ended)[0]).toBe(0)
  })
})
