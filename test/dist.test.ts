/**
 * The result of `npm run dist`, packed with a stub of Electron's binary: the configuration is valid, the archive holds
 * the files of the program and nothing else, and the server in it runs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { extractAll, listPackage } from '@electron/asar'
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { Ajv } from 'ajv'
import { build, Platform } from 'electron-builder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import config from '../build/electron-builder.ts'
import { withoutEmptySigningVariables } from '../build/signing.ts'
import { writeElectronStub } from './support/desktop/electron-stub.ts'

const root = join(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'pds-dist-'))
const program = join(work, 'release/linux-unpacked')
const archive = join(program, 'resources/app.asar')
const app = join(work, 'app')

/** The desktop entry of the AppImage. */
let desktopEntry: string
/** The arguments of fpm, which makes the Debian package. */
let debArguments: string[]
/** Every file in the archive, such as `dist/server/main.js`. */
let files: string[]

beforeAll(async () => {
  const electronDist = join(work, 'electron')
  writeElectronStub(electronDist)
  await build({
    projectDir: root,
    targets: Platform.LINUX.createTarget(['dir', 'AppImage', 'deb']),
    // electron-builder calls this before it fetches the tools that make a package. `true` skips that step.
    effectiveOptionComputed: async (options) => {
      if (Array.isArray(options)) debArguments = options[0]
      else desktopEntry = options.desktop
      return true
    },
    // electron-builder changes the object it is given.
    config: {
      ...structuredClone(config),
      electronDist,
      directories: { ...config.directories, output: join(work, 'release') },
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

/** The production packages of the lock file, by their place. */
const productionPackages = Object.entries(
  readJson<{ packages: Record<string, { version: string; dev?: true; devOptional?: true }> }>(
    join(root, 'package-lock.json'),
  ).packages,
).filter(([place, { dev, devOptional }]) => place !== '' && !dev && !devOptional)

test('configuration: conforms to the schema of the installed electron-builder', () => {
  const schema = readJson<object>(join(root, 'node_modules/app-builder-lib/scheme.json'))
  const ajv = new Ajv({ strict: false, allErrors: true })
  ajv.validate(schema, JSON.parse(JSON.stringify(config)))
  expect(ajv.errors).toBeNull()
})

test('AppImage: has a static runtime, which does not need libfuse2', () => {
  // electron-builder: 0.0.0, which is the default, is the runtime that loads libfuse2.
  expect(config.toolsets.appimage).toBe('1.0.3')
})

test('signing: empty secrets count as absent', () => {
  const empty = { CSC_LINK: '', CSC_KEY_PASSWORD: '', APPLE_ID: '', PATH: '/bin', TZ: '' }
  expect(withoutEmptySigningVariables(empty)).toEqual({ PATH: '/bin', TZ: '' })
  const given = { CSC_LINK: 'certificate.p12', CSC_KEY_PASSWORD: 'secret', APPLE_ID: 'a@b.example' }
  expect(withoutEmptySigningVariables(given)).toEqual(given)
})

test('archive: holds the program and its dependencies, nothing else', () => {
  const own = files.filter((file) => !file.startsWith('node_modules/'))
  const program =
    /^(package\.json|dist\/(electron|lexicons|server)\/.+\.c?js|dist\/renderer\/.+\.(html|css|js|svg|txt)(\.(br|gz))?|build\/(tray\/tray.*|icons\/linux\/256x256)\.(png|ico))$/
  expect(own.filter((file) => !program.test(file))).toEqual([])
  for (const file of [
    'dist/electron/main.js',
    'dist/electron/preload.cjs',
    'dist/server/main.js',
    'dist/server/identity/auth/password-worker.js',
    'dist/server/repository/records/import/verify-worker.js',
    'dist/server/store/backups/store-worker.js',
    'dist/server/repository/blobs/thumbnails/thumbnail-worker.js',
    'dist/renderer/index.html',
    'dist/renderer/notices.txt',
    'build/tray/tray.png',
  ]) {
    expect(own).toContain(file)
  }

  // Licences stay beside the packages they cover.
  const code = /^(\.c?js|\.mjs|\.json|\.wasm)$/
  const licence = /(licen[cs]e|copyright|authors|security|bcrypt)/i
  const foreign = files.filter((file) => file.startsWith('node_modules/'))
  expect(foreign.filter((file) => !code.test(extname(file)) && !licence.test(file))).toEqual([])
  expect(foreign.filter((file) => /\.(wasm|test\.\w+|spec\.\w+)$|\/tests?\//.test(file))).toEqual([
    'node_modules/@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
    'node_modules/@jsquash/png/codec/pkg/squoosh_png_bg.wasm',
    'node_modules/@jsquash/webp/codec/dec/webp_dec.wasm',
    'node_modules/@jsquash/webp/codec/enc/webp_enc_simd.wasm',
    'node_modules/sql.js/dist/sql-wasm.wasm',
  ])
})

test('archive: holds the production packages of the lock file, without development metadata', () => {
  const wanted = productionPackages.map(
    ([place, { version }]) => `${place.replace(/^.*node_modules\//, '')}@${version}`,
  )
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

test('notices: have the licence texts of every package in the archive, and of those in the bundle of the interface', () => {
  const production = productionPackages.map(([place]) => join(root, place))
  const imported = globSync('renderer/**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /^import (?!type )(?:[^'"]*? from )?'((?:@\w+\/)?\w[^/']*)/gm,
      ),
    ].map(([, name = '']) => name),
  )
  const packages = new Set([...production, ...withDependencies(imported, root)])
  expect(packages.size).toBeGreaterThan(100)

  const notices = readFileSync(join(app, 'dist/renderer/notices.txt'), 'utf8')
  const entries = notices.split(/^-{80}$/m)
  const missing = [...packages].filter((folder) => {
    const { name, version, license } = readJson<Record<string, string>>(join(folder, 'package.json'))
    const entry = entries.find((text) => text.includes(`\n${name} ${version} (${license})\n`)) ?? ''
    const texts = readdirSync(folder, { withFileTypes: true })
      .filter((file) => file.isFile() && /^licen[cs]e/i.test(file.name))
      .map((file) => readFileSync(join(folder, file.name), 'utf8').replaceAll('\r', '').trim())
    // A dedication to the public domain asks for no text.
    if (texts.length === 0) return !entry.includes('Permission is hereby granted') && license !== 'Unlicense'
    return !texts.every((text) => entry.includes(text))
  })
  expect(missing).toEqual([])
})

/** The folders of packages that are imported in a folder, and of all that they depend on. */
function withDependencies(names: readonly string[], from: string, found = new Set<string>()): Set<string> {
  for (const name of names) {
    const nested = join(from, 'node_modules', name)
    const folder = existsSync(nested) ? nested : join(root, 'node_modules', name)
    if (found.has(folder)) continue
    found.add(folder)
    const { dependencies = {} } = readJson<{ dependencies?: object }>(join(folder, 'package.json'))
    withDependencies(Object.keys(dependencies), folder, found)
  }
  return found
}

test('archive: contains no build path, private key or inline source map', () => {
  const forbidden = [root, 'PRIVATE KEY-----', '//# sourceMappingURL=data:']
  const own = files.filter((file) => /^(dist|package\.json)/.test(file))
  const isLeak = (file: string) => {
    const content = readFileSync(join(app, file), 'latin1')
    return forbidden.some((part) => content.includes(part))
  }
  expect(own.filter(isLeak)).toEqual([])
})

test('executable: loads only its archive, and cannot run as Node or be debugged', async () => {
  const fuses = await getCurrentFuseWire(join(program, 'desktop-pds'))
  const on = '1'.charCodeAt(0)
  const enabled = Object.entries(FuseV1Options).filter(
    ([name, at]) => Number.isNaN(Number(name)) && fuses[at as FuseV1Options] === on,
  )
  expect(enabled.map(([name]) => name)).toEqual([
    'EnableEmbeddedAsarIntegrityValidation',
    'OnlyLoadAppFromAsar',
  ])
  expect(readdirSync(join(program, 'resources'))).toEqual(['app.asar', 'apparmor-profile'])
  expect(readdirSync(join(program, 'locales'))).toEqual(['en-US.pak'])
})

test('desktop entry: has the display name, opens links, matches the window, keeps the sandbox', () => {
  expect(desktopEntry).toMatch(/^Name=Desktop PDS$/m)
  expect(desktopEntry).toMatch(/^MimeType=x-scheme-handler\/desktop-pds;$/m)
  expect(desktopEntry).toMatch(/^StartupWMClass=desktop-pds$/m)
  expect(desktopEntry).toMatch(/^Exec=AppRun %U$/m)
  expect(readJson(join(app, 'package.json'))).toMatchObject({ desktopName: 'desktop-pds.desktop' })
})

test('Debian package: installs into a folder without a space', () => {
  expect(debArguments).toContain(`${program}/=/opt/desktop-pds`)
  const profile = readFileSync(join(program, 'resources/apparmor-profile'), 'utf8')
  expect(profile).toContain('"/opt/desktop-pds/desktop-pds"')
})

test('preload: requires only electron, because the sandbox provides nothing else', () => {
  const preload = readFileSync(join(app, 'dist/electron/preload.cjs'), 'utf8')
  const required = [...preload.matchAll(/\brequire\(['"]?([^)'"]*)/g)].map(([, name]) => name)
  expect(required).toEqual(['electron'])
  expect(preload).not.toMatch(/\bimport\b\s*\(/)
})

test('archive: every relative import resolves inside it', () => {
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

/** Runs `build/check-packed.ts` with a shell script in place of the packed program. */
async function checkPacked(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const file = join(work, 'program')
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  const child = spawn(process.execPath, [join(root, 'build/check-packed.ts'), file], {
    cwd: work,
    env: { ...process.env, NODE_PATH: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ])
  return { code, stdout, stderr }
}

test('archive: its server signs in, serves the interface and stops, from a folder without other packages', async () => {
  for (let folder = work; folder !== dirname(folder); folder = dirname(folder)) {
    expect(existsSync(join(folder, 'node_modules')), folder).toBe(false)
  }
  const main = join(app, 'dist/server/main.js')
  const { code, stdout, stderr } = await checkPacked(`exec "${process.execPath}" "${main}"`)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(stdout).toMatch(/^packed program ready after [\d.]+ s: signed in, interface loaded, stopped$/m)
}, 180_000)

test('check of the packed program: fails at once when the program ends', async () => {
  const { code, stderr } = await checkPacked('exit 7')
  expect(code).toBe(1)
  expect(stderr).toContain('The program ended before its server was ready (exit code 7)')
})
