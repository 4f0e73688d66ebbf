/**
 * Packages that a start loads: each takes time and memory in every run. What few people use is imported when it is used. The list
 * has the packages of package.json only; their own dependencies follow from them.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Measured } from './bench/processes.ts'
import { isStandIn, Machine, soon } from './support/desktop/desktop.ts'

const packageFile = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
const dependencies = new Set(Object.keys(packageFile.dependencies))

let folder: string
/** Writes the URL of each module that the process loads. */
let hook: string
let list: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-modules-'))
  list = join(folder, 'modules')
  hook = join(folder, 'hook.mjs')
  await writeFile(
    hook,
    `import { appendFileSync } from 'node:fs'
     import { registerHooks } from 'node:module'
     registerHooks({
       load(url, context, next) {
         appendFileSync(process.env.LOADED_MODULES, url + '\\n')
         return next(url, context)
       },
     })`,
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The packages of package.json that were loaded, in alphabetical order. */
async function packages(): Promise<string[]> {
  const urls = (await readFile(list, 'utf8')).split('\n')
  await rm(list)
  const names = urls.map((url) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? '')
  return [...new Set(names)].filter((name) => dependencies.has(name)).toSorted()
}

const ofServer = [
  ...[
    '@atproto/crypto',
    '@atproto/lex-cbor',
    '@atproto/lex-data',
    '@atproto/lex-json',
    '@atproto/lex-schema',
  ],
  ...[
    '@atproto/syntax',
    '@noble/curves',
    'bcryptjs',
    'compression',
    'express',
    'ipaddr.js',
    'jose',
    'lru-cache',
  ],
  ...['otpauth', 'pino', 'proxy-addr', 'sql.js'],
]

test('the server loads what each server needs', async () => {
  const imported = ['--import', pathToFileURL(hook).href]
  const server = await Measured.pds(join(folder, 'data'), imported, { LOADED_MODULES: list })
  await fetch(`${server.url}/xrpc/com.core.server.describeServer`)
  await server[Symbol.asyncDispose]()
  expect(await packages()).toEqual(ofServer)
})

test.runIf(isStandIn)('the desktop also loads its settings file', async () => {
  const machine = await Machine.create()
  process.env.LOADED_MODULES = list
  process.env.NODE_OPTIONS = `--import ${pathToFileURL(hook).href}`
  try {
    const app = await machine.start({ args: ['--hidden'], isBundled: false })
    await expect.poll(async () => (await app.look()).tray?.toolTip, soon).toContain('Running')
    expect(await packages()).toEqual([...ofServer, 'electron-store'].toSorted())
  } finally {
    delete process.env.LOADED_MODULES
    delete process.env.NODE_OPTIONS
    await machine.close()
  }
})
