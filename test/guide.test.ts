/** The guide for tests of apps: its blocks and the code of its recipes, in a project that has the package. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChromium } from '../build/browser.ts'
import { installMs, installPackage } from './support/package/install.ts'
import { checks, prelude } from './support/package/recipes.ts'

const root = join(import.meta.dirname, '..')
const guide = readFileSync(join(root, '.github/TESTING-YOUR-APP.md'), 'utf8')
const work = mkdtempSync(join(tmpdir(), 'pds-guide-'))
let user: string

interface Block {
  readonly language: string
  readonly text: string
  /** Name of the file in its first line. */
  readonly file: string | undefined
}

const blocks: readonly Block[] = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', text = '']) => ({
    ...{ language, text },
    file: /^(?:\/\/|#) ([\w.-]+)(?:,|\n)/.exec(text)?.[1],
  }),
)
const blockOf = (file: string) => blocks.find((block) => block.file === file)?.text ?? ''
const others = blocks.filter(({ file }) => file === undefined)

/** The recipes: their names and their code. */
const recipes = [...guide.matchAll(/^\| ([\w -]+) \| `([^`]+)` \| /gm)].map(([, name = '', code = '']) => ({
  ...{ name, code },
}))

const packages = ['vitest', 'vite', 'playwright', '@atproto/api', '@atproto/oauth-client-node']

beforeAll(async () => {
  user = await installPackage(work)
  const modules = join(user, 'node_modules')
  for (const name of packages) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction')
  }
  // Limits for tests that hang: no test depends on the speed of the machine.
  const limits = `{ testTimeout: 600_000, hookTimeout: 600_000 }`
  writeFileSync(join(user, 'vitest.config.mjs'), `export default { test: ${limits} }`)
  for (const { file, text } of blocks) if (file !== undefined) writeFileSync(join(user, file), text)
}, installMs)

afterAll(() => rmSync(work, { recursive: true }))

const bin = (name: string) => join(user, 'node_modules', name)
const vitest = (file: string) => run(process.execPath, bin('vitest/vitest.mjs'), 'run', file)

function run(command: string, ...args: string[]) {
  const env = { ...process.env, VITEST: undefined, NODE_ENV: undefined, CHROMIUM: findChromium() }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: user, encoding: 'utf8', env })
  return { status, output: stdout + stderr }
}

test('every block is run here', () => {
  expect(blocks.map(({ language, file }) => [language, file])).toEqual([
    ['sh', undefined],
    ['ts', 'posts.test.ts'],
    ['ts', 'sign-in.spec.ts'],
    ['sh', 'test.sh'],
    ['yaml', undefined],
    ['ts', undefined],
  ])
  expect(recipes.map(({ name }) => name).toSorted()).toEqual(Object.keys(checks).toSorted())
})

test('the packages to install are those that the blocks import', () => {
  const [, names = ''] = /^npm install --save-dev (.+)\n$/.exec(others[0]?.text ?? '') ?? []
  const imported = [...blockOf('posts.test.ts').matchAll(/ from '((?:@[\w-]+\/)?[\w-]+)/g)].map(
    ([, name]) => name,
  )
  expect(names.split(' ').toSorted()).toEqual(imported.toSorted())
})

// Elsewhere the workflow below runs the same command.
test.runIf(process.platform === 'win32')('the test of Vitest passes', () => {
  const { status, output } = vitest('posts.test.ts')
  expect(output).toContain('1 passed')
  expect(status, output).toBe(0)
})

test('the test of Playwright passes', () => {
  const config = `export default {
    timeout: 120_000,
    expect: { timeout: 60_000 },
    use: { launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] } },
  }`
  writeFileSync(join(user, 'playwright.config.mjs'), config)
  const { status, output } = run(process.execPath, bin('playwright/cli.js'), 'test', 'sign-in.spec.ts')
  expect(output).toContain('1 passed')
  expect(status, output).toBe(0)
})

test.skipIf(process.platform === 'win32')('the commands of the workflow pass', () => {
  const [, yaml] = others
  const commands = [...(yaml?.text ?? '').matchAll(/^ +- run: (.+)$/gm)].map(([, command = '']) => command)
  // The packages are there.
  expect(commands.shift()).toBe('npm ci')
  expect(commands.length).toBe(2)
  mkdirSync(join(user, 'node_modules/.bin'), { recursive: true })
  symlinkSync(bin('vitest/vitest.mjs'), join(user, 'node_modules/.bin/vitest'))
  for (const command of commands) {
    const { status, output } = run('sh', '-c', command)
    expect(status, output).toBe(0)
  }
  const shown = blockOf('test.sh').split('\n')[0]?.split('run by: npx ')[1]
  expect(commands[1]).toBe(`npx ${shown}`)
})

test('the application is signed in by OAuth, and each recipe has the effect that its row names', {
  timeout: installMs,
}, () => {
  const [oauth = ''] = others.filter(({ language }) => language === 'ts').map(({ text }) => text)
  const [imports = '', ...code] = oauth.split('\n')
  const tests = recipes.map(({ name, code }) => testOf(name, code, checks[name] ?? ''))
  const all = [testOf('OAuth', code.join('\n'), 'expect(session.did).toBe(alice.did)'), ...tests]
  writeFileSync(join(user, 'recipes.test.mjs'), [imports, prelude, ...all].join('\n'))
  const { status, output } = vitest('recipes.test.mjs')
  expect(status, output).toBe(0)
  expect(output).toContain(`${all.length} passed`)
})

function testOf(name: string, code: string, check: string): string {
  return `test('${name}', async () => {
    const { alice, agent, seen } = await begin()
    ${code.replace(/^new WebSocket/, 'const socket = new WebSocket')}
    ${check}
  })`
}

test('the workflow is YAML', () => {
  // The parser that comes with the packager of the desktop app.
  const script = `require('js-yaml').load(require('fs').readFileSync(0, 'utf8')).jobs.test.steps.length`
  const [, yaml] = others
  const count = execFileSync(process.execPath, ['--print', script], { cwd: root, input: yaml?.text ?? '' })
  expect(String(count).trim()).toBe('5')
})
