/**
 * The result of `npm run pack`, installed into an empty folder without a network: its size, its command, its types, and that its
 * server finds its threads, its WebAssembly files and the interface. `PACKAGE_NODE` names another Node.js to run it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines, installMs, installPackage, version } from './support/package/install.ts'
import { noise } from './support/records/pictures.ts'

const root = join(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'pds-package-'))
const user = join(work, 'user')
const installed = join(user, 'node_modules/desktop-pds')
const node = process.env.PACKAGE_NODE ?? process.execPath

beforeAll(() => installPackage(work), installMs)

afterAll(() => rmSync(work, { recursive: true }))

const files = () =>
  globSync('**/*', { cwd: join(user, 'node_modules') }).filter((file) =>
    statSync(join(user, 'node_modules', file)).isFile(),
  )

/** Runs the command until it ends by itself. */
function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(node, [join(installed, 'bin.js'), ...args], {
    cwd: user,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('the package takes at most 15 MB, without other packages, native code and scripts', () => {
  const bytes = files().reduce((sum, file) => sum + statSync(join(user, 'node_modules', file)).size, 0)
  process.stdout.write(`installed package: ${(bytes / 1e6).toFixed(1)} MB, ${files().length} files\n`)
  expect(bytes).toBeLessThan(15e6)
  expect(files().filter((file) => /\.(?:node|dll|so|dylib)$/.test(file))).toEqual([])
  expect(files().filter((file) => file.endsWith('.wasm')).length).toBe(5)
  expect(globSync('*', { cwd: join(user, 'node_modules') })).toEqual(['desktop-pds'])
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: 'desktop-pds', version, license: 'MIT' })
  expect(manifest.engines.node).toBe(engines.node)
  expect(Object.keys(manifest)).not.toContain('scripts')
  expect(Object.keys(manifest)).not.toContain('dependencies')
})

test('the package has licences, and no path of this computer', () => {
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toContain('MIT')
  expect(readFileSync(join(installed, 'THIRD-PARTY-NOTICES.txt'), 'utf8')).toContain('\nsql.js ')
  const leaks = files().filter((file) => readFileSync(join(user, 'node_modules', file)).includes(root))
  expect(leaks).toEqual([])
})

describe('the command', () => {
  test('is installed under its name', () => {
    const name = process.platform === 'win32' ? 'desktop-pds.cmd' : 'desktop-pds'
    expect(statSync(join(user, 'node_modules/.bin', name)).isFile()).toBe(true)
  })

  test('--version prints the version', () => {
    expect(run('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('keeps compiled code beside the packages of the project, not where others can write', () => {
    const env = { ...process.env, NODE_COMPILE_CACHE: undefined, TMPDIR: join(work, 'tmp') }
    mkdirSync(join(work, 'tmp'))
    spawnSync(node, [join(installed, 'bin.js'), '--version'], { cwd: user, env })
    expect(globSync('node_modules/.cache/desktop-pds/*/*', { cwd: user })).not.toEqual([])
    expect(globSync('**', { cwd: join(work, 'tmp') })).toEqual(['.'])
  })

  test('without arguments, help and --help list the commands', () => {
    const help = run('--help')
    expect(help).toMatchObject({ status: 0, stderr: '' })
    for (const name of ['serve', 'dev', 'conformance', 'backup', 'restore', 'move'])
      expect(help.stdout).toContain(`\n  ${name} `)
    expect([run(), run('help')]).toEqual([help, help])
  })

  test('a command that does not exist fails with the list', () => {
    for (const name of ['start', 'constructor']) {
      const { status, stdout, stderr } = run(name)
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toMatch(new RegExp(`^There is no command ${name}\\.\n[\\s\\S]*  serve `))
    }
  })

  test('each command shows its options, and is named as users of the package call it', () => {
    for (const name of ['serve', 'backup', 'restore', 'move']) {
      const { status, stdout } = run(name, '--help')
      expect(status).toBe(0)
      expect(stdout).toContain(`desktop-pds ${name} `)
      expect(stdout).not.toContain('npm run')
      expect(stdout).not.toContain(' -- ')
    }
  })

  test('dev runs a network, with its page, its lexicons, and the interface of its server', () => {
    const code = `(async () => {
      const read = async (url) => (await fetch(url)).text()
      const { DEV_URL, PDS_URL } = process.env
      const { lexicons } = JSON.parse(await read(DEV_URL + '/dev/lexicons'))
      console.log(lexicons.length > 20)
      console.log((await read(DEV_URL + '/dev')).includes('Network for tests'))
      console.log((await read(PDS_URL)).includes('id="root"'))
      process.exit(4)
    })()`
    const { status, stdout, stderr } = run('dev', '--port', '0', '--exec', node, '--eval', code)
    expect({ status, stderr }).toEqual({ status: 4, stderr: '' })
    expect(stdout).toMatch(/\nDEV_URL=http:\S+\ntrue\ntrue\ntrue\n$/)
    expect(run('dev', '--servers', '0').stderr).toBe('--servers must be a whole number from 1 to 9.\n')
  })

  test('conformance lists its requirements, and measures a server', () => {
    expect(run('conformance', '--list').stdout.split('\n').length).toBeGreaterThan(300)
    const code = `require('node:child_process').spawnSync(process.argv[0], [${JSON.stringify(join(installed, 'bin.js'))},
      'conformance', '--url', process.env.PDS_URL, '--grep', 'xrpc.'], { stdio: 'inherit' })`
    const { stdout, stderr } = run('dev', '--port', '0', '--exec', node, '--eval', code)
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringContaining('must   8 met, 0 failed'),
      stderr: '',
    })
  })

  test('an error is one line', () => {
    const { status, stderr } = run('restore', 'absent.sqlite', '--data-dir', join(work, 'absent'))
    expect(status).toBe(1)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('check of Node.js', () => {
  /** Starts a file on a version of Node.js that is pretended. */
  function startOn(nodeVersion: string, file: string) {
    const replaced = `Object.defineProperty(process.versions, 'node', { value: '${nodeVersion}' })`
    const { status, stderr } = spawnSync(
      node,
      ['--eval', `${replaced};import(${JSON.stringify(file)})`, '--', '--version'],
      {
        encoding: 'utf8',
      },
    )
    return { status, stderr }
  }

  test.each([
    ['the command', join(installed, 'bin.js')],
    ['the built server', join(root, 'dist/server/main.js')],
    ['the export for tests', join(installed, 'dist/server/testing/testing.js')],
    ['the export for Playwright', join(installed, 'dist/server/testing/playwright.js')],
  ])('%s: names the versions that work in one line', (_name, file) => {
    for (const old of ['16.20.2', '20.20.2', '22.20.0', '23.11.0', '24.8.0']) {
      expect(startOn(old, file)).toEqual({
        status: 1,
        stderr: `Desktop PDS needs Node.js 22.21 and later of 22, or 24.9 and later. This is Node.js ${old}.\n`,
      })
    }
  })

  test.each(['testing', 'playwright'])('%s: an old Node.js loads little before the check', (name) => {
    /** The bytes of a file and of all that it imports at once. An old Node.js ends with the first import that it lacks. */
    const bytesOf = (file: string): number => {
      const code = readFileSync(file, 'utf8')
      const imported = [...code.matchAll(/^import .*?"(\.[^"]+)";$/gm)].map(([, path = '']) => path)
      return imported.reduce((sum, path) => sum + bytesOf(join(file, '..', path)), code.length)
    }
    expect(bytesOf(join(installed, 'dist/server/testing', `${name}.js`))).toBeLessThan(50_000)
  })

  test('accepts the versions in package.json', () => {
    expect(engines.node).toBe('^22.21.0 || >=24.9.0')
    for (const known of ['22.21.0', '22.99.0', '24.9.0', '25.0.0', '26.1.0']) {
      expect(startOn(known, join(installed, 'dist/server/util/check-node.cjs'))).toEqual({
        status: 0,
        stderr: '',
      })
    }
  })

  test('runs before any syntax that an old Node.js cannot parse', () => {
    for (const file of ['bin.js', 'dist/server/util/check-node.cjs']) {
      const code = readFileSync(join(installed, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
      expect(code).not.toMatch(/=>|`|\.\.\.|\b(?:const|let|class|import|export)\b/)
    }
  })
})

describe('the server of the package', () => {
  let child: ChildProcess
  let errors: Promise<string>
  let url: string
  let token = ''
  let did = ''

  beforeAll(async () => {
    const dataDir = join(work, 'data')
    const args = ['serve', '--port', '0', '--data-dir', dataDir, '--log-level', 'warn']
    child = spawn(node, [join(installed, 'bin.js'), ...args], {
      cwd: user,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (!child.stdout || !child.stderr) throw new Error('The output is absent')
    errors = text(child.stderr)
    let output = ''
    for await (const part of child.stdout) {
      output += part
      if (output.includes('data in ')) break
    }
    url = /listening on (\S+)/.exec(output)?.[1] ?? ''
    expect(url, output).not.toBe('')
    const account = await call('com.core.server.createAccount', {
      handle: 'alice.test',
      password: 'password-1',
    })
    token = account.accessJwt
    did = account.did
  })

  afterAll(() => child.kill('SIGKILL'))

  async function call(method: string, input: object | Uint8Array<ArrayBuffer>, type = 'application/json') {
    const response = await fetch(`${url}/xrpc/${method}`, {
      method: 'POST',
      headers: { 'content-type': type, ...(token && { authorization: `Bearer ${token}` }) },
      body: input instanceof Uint8Array ? input : JSON.stringify(input),
    })
    // biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
    const answer = (await response.json()) as any
    expect(response.status, JSON.stringify(answer)).toBe(200)
    return answer
  }

  /** Writes a post with an upload. Returns the embed of its view. */
  async function post(kind: string, content: Uint8Array, type: string, embed: (blob: object) => object) {
    const { blob } = await call('com.core.repo.uploadBlob', new Uint8Array(content), type)
    const collection = 'app.example.feed.post'
    const record = {
      $type: collection,
      text: '',
      embed: { $type: `app.example.embed.${kind}`, ...embed(blob) },
      createdAt: new Date().toISOString(),
    }
    const { uri } = await call('com.core.repo.createRecord', { repo: did, collection, record })
    const response = await fetch(`${url}/xrpc/app.example.feed.getPosts?uris=${encodeURIComponent(uri)}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    // biome-ignore lint/suspicious/noExplicitAny: views of several shapes
    const { posts } = (await response.json()) as any
    return posts[0].embed
  }

  test('has the interface', async () => {
    const page = await fetch(`${url}/`)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<script type="module"')
  })

  // A server that knows WebSocket alone refuses them where Node.js has no `shouldUpgradeCallback`.
  test('answers requests that offer another protocol', async () => {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' }
    const [response] = await once(get(`${url}/xrpc/_health`, { headers }), 'response')
    response.resume()
    expect(response.statusCode).toBe(200)
  })

  test('makes thumbnails', async () => {
    const embed = await post('images', noise(800, 600), 'image/png', (image) => ({
      images: [{ alt: '', image }],
    }))
    const address = new URL(embed.images[0].thumb)
    const response = await fetch(url + address.pathname + address.search)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
  })

  test('makes videos that players stream', async () => {
    const film = await readFile(join(root, 'test/support/records/video.mp4'))
    const embed = await post('video', film, 'video/mp4', (video) => ({ video }))
    const address = new URL(embed.playlist)
    const response = await fetch(url + address.pathname + address.search)
    expect(response.headers.get('content-type')).toBe('application/vnd.apple.mpegurl')
    expect(await response.text()).toContain('#EXT-X-ENDLIST')
  })

  test('is backed up by the command while it runs', () => {
    const { status, stdout, stderr } = run('backup', '--data-dir', join(work, 'data'))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('It is restorable')
  })

  test.skipIf(process.platform === 'win32')('ends at a signal, and has loaded each thread', async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    // A thread that cannot be loaded is a warning, and its jobs run on the main thread.
    expect(await errors).toBe('')
  })
})

test('the types of the exports are complete for a strict project', () => {
  symlinkSync(join(root, 'node_modules/playwright'), join(user, 'node_modules/playwright'), 'junction')
  writeFileSync(
    join(user, 'app.ts'),
    [
      "import { type Network, startNetwork, version, type World } from 'desktop-pds/testing'",
      "import { expect, test } from 'desktop-pds/playwright'",
      "const world: World = { accounts: [{ name: 'alice' }] }",
      'export const network: Network = await startNetwork({ seed: 7, world, config: { inviteRequired: "on" } })',
      'export const text: string = version + network.url',
      'test.use({ servers: 2, world })',
      "test('a', async ({ pds, network, page }) => {",
      '  await page.goto(pds.servers[0]?.url ?? network.url)',
      "  expect((await pds.accounts.create({ handle: 'bob' })).did).toBeDefined()",
      '  // @ts-expect-error: it is a number',
      "  await pds.clock.set({ days: 'one' })",
      '})',
      '// @ts-expect-error: there is no such option',
      'test.use({ serverCount: 2 })',
    ].join('\n'),
  )
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--types', '', '--module', 'nodenext']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...options, '--target', 'es2024', 'app.ts'], {
    cwd: user,
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
})

test('the exports can be loaded', () => {
  const script = `
    const { version } = await import('desktop-pds/testing')
    const { default: schema } = await import('desktop-pds/world.schema.json', { with: { type: 'json' } })
    console.log(version, schema.type)`
  const { stdout, stderr } = spawnSync(node, ['--input-type=module', '--no-warnings', '--eval', script], {
    cwd: user,
    encoding: 'utf8',
  })
  expect({ stdout, stderr }).toEqual({ stdout: `${version} object\n`, stderr: '' })
})
