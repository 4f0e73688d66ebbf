/** The export `desktop-pds/playwright` in a project of its own, with an app of another origin: Playwright's command runs its tests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChromium } from '../build/browser.ts'
import { installMs, installPackage } from './support/package/install.ts'
import { readZip } from './support/package/zip.ts'
import { type ServedApp, serveApp } from './support/page/served-app.ts'

const root = join(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'pds-playwright-'))
let user: string
let app: ServedApp

const config = `
import { defineConfig } from 'playwright/test'
export default defineConfig({
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 30_000 },
  reporter: [['json']],
  use: {
    baseURL: process.env.APP_URL,
    trace: 'retain-on-failure',
    launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] },
  },
})`

/** In each file, the same account posts twice: once in each test, because each begins with an empty network. */
const posting = `
import { expect, test } from 'desktop-pds/playwright'

for (const name of ['first', 'second'])
  test(name, async ({ page, pds }, info) => {
    const { did, login } = await pds.accounts.create({ handle: 'alice' })
    info.annotations.push({ type: 'network', description: pds.url + ' ' + did })
    await page.goto('/?service=' + pds.url)
    await page.getByLabel('Handle').fill(login.identifier)
    await page.getByLabel('Password').fill(login.password)
    await page.getByLabel('Text').fill('hello')
    await page.getByRole('button').click()
    await expect(page.getByRole('status')).toContainText('Posted 1: at://' + did)
    const { value: event } = await pds.events()[Symbol.asyncIterator]().next()
    expect(event.did).toBe(did)
  })`

const failing = `
import { expect, test } from 'desktop-pds/playwright'

test.use({ world: 'friends', servers: 2, networkOptions: { port: Number(process.env.PORT) } })

test('fails', async ({ page, pds }) => {
  const { login } = await pds.accounts.get('alice')
  pds.faults.add({ nsid: 'com.atproto.repo.createRecord', status: 503, message: 'busy' })
  await page.goto('/?service=' + pds.url)
  await page.getByLabel('Handle').fill(login.identifier)
  await page.getByLabel('Password').fill(login.password)
  await page.getByRole('button').click()
  await expect(page.getByRole('status')).toContainText('Failed: busy')
  expect(pds.url).toBe('http://localhost:' + process.env.PORT)
  await expect(page.getByRole('status')).toContainText('Posted', { timeout: 100 })
})`

beforeAll(async () => {
  app = await serveApp(join(import.meta.dirname, 'support/package/posting-app.ts'))
  user = await installPackage(work)
  const modules = join(user, 'node_modules')
  symlinkSync(join(root, 'node_modules/playwright'), join(modules, 'playwright'), 'junction')
  // As the package of this name does.
  mkdirSync(join(modules, '@playwright/test'), { recursive: true })
  writeFileSync(join(modules, '@playwright/test/index.js'), "module.exports = require('playwright/test')")
  writeFileSync(join(user, 'playwright.config.mts'), config)
  // One is an ECMAScript module, one CommonJS.
  writeFileSync(join(user, 'one.spec.mts'), posting)
  writeFileSync(join(user, 'two.spec.cts'), posting)
  writeFileSync(join(user, 'fails.spec.ts'), failing)
}, installMs)

afterAll(() => {
  app.close()
  rmSync(work, { recursive: true })
})

interface Result {
  readonly status: string
  readonly workerIndex: number
  readonly errors: readonly { readonly message: string }[]
  readonly steps?: readonly { readonly title: string }[]
  readonly annotations: readonly { readonly description: string }[]
  readonly attachments: readonly { readonly name: string; readonly path?: string; readonly body?: string }[]
}

/** Runs test files. @returns the exit code, and the results of the tests in their order */
async function playwright(files: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const cli = join(root, 'node_modules/playwright/cli.js')
  const child = spawn(process.execPath, [cli, 'test', ...files], {
    cwd: user,
    env: { ...process.env, CHROMIUM: findChromium(), APP_URL: app.url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  expect(errors).toBe('')
  const { suites, errors: others } = JSON.parse(output)
  expect(others).toEqual([])
  const results: Result[] = suites.flatMap(({ specs }: { specs: { tests: { results: Result[] }[] }[] }) =>
    specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results)),
  )
  return { code, results }
}

test('each worker has a network of its own, which each test begins empty', async () => {
  const { code, results } = await playwright(['one.spec.mts', 'two.spec.cts'])
  expect(results.flatMap(({ errors }) => errors.map(({ message }) => message))).toEqual([])
  expect(code).toBe(0)
  expect(results).toHaveLength(4)
  const networks = new Map<number, Set<string>>()
  for (const { workerIndex, annotations, attachments, steps } of results) {
    const network = networks.get(workerIndex) ?? new Set()
    networks.set(workerIndex, network.add(annotations[0]?.description ?? ''))
    expect(attachments).toEqual([])
    const titles = steps?.map(({ title }) => title)
    expect(titles).toContain('PDS: 200 POST com.atproto.repo.createRecord, alice.test')
  }
  expect([...networks.values()].map(({ size }) => size)).toEqual([1, 1])
  const [one, two] = [...networks.values()].flatMap((all) => [...all].map((each) => each.split(' ')))
  // The same seed gives the same identifiers.
  expect([one?.[0] === two?.[0], one?.[1] === two?.[1]]).toEqual([false, true])
})

test('a test that fails has the requests in its trace', async () => {
  const { code, results } = await playwright(['fails.spec.ts'], { PORT: String(await freePorts()) })
  expect(code).toBe(1)
  const [{ attachments = [], errors = [] } = {}] = results
  expect(errors[0]?.message).toContain('Posted')
  const attached = attachments.find(({ name }) => name === 'requests.json')
  const requests = JSON.parse(Buffer.from(attached?.body ?? '', 'base64').toString())
  expect(requests).toContainEqual(
    expect.objectContaining({
      verb: 'POST',
      nsid: 'com.atproto.repo.createRecord',
      status: 503,
      isFault: true,
    }),
  )
  const trace = readZip(readFileSync(attachments.find(({ name }) => name === 'trace')?.path ?? ''))
  const events = lines(trace.get('test.trace'))
  const steps = events.filter(({ type }) => type === 'before')
  const titles = steps.map(({ title }) => title)
  const fault = steps[titles.indexOf('PDS 1: 503 POST com.atproto.repo.createRecord, alice.test, fault')]
  // Beside the actions of the page, in the order of time.
  expect(fault).toBeDefined()
  expect(fault?.parentId).toBeUndefined()
  const click = steps.find(({ title, method }) => /click/i.test(`${title} ${method}`))
  expect(fault?.startTime).toBeGreaterThan(click?.startTime ?? Number.POSITIVE_INFINITY)
  const inTrace = events.flatMap(({ attachments: all = [] }) => all)
  const shown = inTrace.find(({ name }) => name === 'requests.json')
  expect(trace.get(shown?.file ?? '')?.toString()).toContain('com.atproto.repo.createRecord')
})

interface TraceEvent {
  readonly type: string
  readonly title?: string
  readonly method?: string
  readonly parentId?: string
  readonly startTime: number
  readonly attachments?: readonly { readonly name: string; readonly file: string }[]
}

function lines(content: Buffer | undefined): TraceEvent[] {
  return String(content ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Returns the first of three free ports in a row. */
async function freePorts(): Promise<number> {
  for (;;) {
    const server = createServer()
    await once(server.listen(0), 'listening')
    const { port } = server.address() as AddressInfo
    const others = await Promise.all([port + 1, port + 2].map(listening))
    for (const each of [server, ...others]) each?.close()
    if (others.every((each) => each !== undefined)) return port
  }
}

/** Returns a server on a port; undefined if it is in use. */
function listening(port: number): Promise<Server | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined)).listen(port, () => resolve(server))
  })
}
