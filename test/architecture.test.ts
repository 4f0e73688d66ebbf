/** What keeps the house in order: who may import whom, where SQL is, that lexicons and handlers agree, that the tour is true. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { methods, subscriptions } from '../server/api/index.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const list = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()

interface Import {
  readonly from: string
  /** A file of ours, relative to the root, or the name of a package. */
  readonly to: string
  /** Gone once the types are stripped. */
  readonly isType: boolean
  /** The file of another thread. */
  readonly isThread: boolean
}

/** Static imports and re-exports, dynamic imports, and files named by URL, as the formatter writes them. */
const patterns = [
  /^(?:import|export)(?<type> type)? (?:[^'"]*? from )?['"](?<target>[^'"]+)['"]/gm,
  /import\('(?<target>[^']+)'\)/g,
  /new URL\((?<thread>[`'])(?<target>\.[^`']+)[`'], import\.meta\.url\)/g,
]

function importsOf(file: string): Import[] {
  const text = read(file)
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ groups: { type, thread, target = '' } = {} }) => ({
      from: file,
      to: target.startsWith('.') ? resolve(file, target) : target.replace(/^((?:@[^/]+\/)?[^/]+).*$/, '$1'),
      isType: type !== undefined,
      isThread: thread !== undefined,
    }))
}

function resolve(file: string, target: string): string {
  const path = relative(root, join(root, dirname(file), target)).replaceAll('\\', '/')
  // A worker's file has the extension of the file that starts it.
  return path.replace(/\.?\$\{.*\}$/, '.ts')
}

const server = list('server/**/*.ts')
const electron = list('electron/**/*.{ts,cts}')
const imports = server.flatMap(importsOf)
const isOurs = ({ to }: Import) => to.includes('/') && !to.startsWith('@') && !to.startsWith('node:')
const ours = imports.filter(isOurs)
const show = ({ from, to }: Import) => `${from} → ${to}`

test('every import of ours is understood', () => {
  expect(server.length).toBeGreaterThan(80)
  expect(ours.filter(({ to }) => !existsSync(join(root, to))).map(show)).toEqual([])
  for (const file of server) {
    const mentioned = read(file).match(/^import /gm)?.length ?? 0
    expect(importsOf(file).length, file).toBeGreaterThanOrEqual(mentioned)
  }
})

describe('arrows', () => {
  /** Imports of files under `from` that are under none of `allowed`. */
  const strays = (from: string, allowed: readonly string[], among = ours) =>
    among
      .filter((each) => each.from.startsWith(from))
      .filter(({ to }) => !allowed.some((place) => to.startsWith(place)))
      .map(show)

  test('the lexicons import nothing of ours', () => {
    const generated = list('lexicons/generated/**/*.ts').flatMap(importsOf)
    expect(generated.length).toBeGreaterThan(50)
    expect(strays('lexicons/', ['lexicons/generated/'], generated.filter(isOurs))).toEqual([])
    expect([...new Set(generated.filter((each) => !isOurs(each)).map(({ to }) => to))]).toEqual([
      '@atproto/lex-schema',
    ])
  })

  test('the server imports itself and the lexicons', () => {
    expect(strays('server/', ['server/', 'lexicons/generated/'])).toEqual([])
  })

  test('the user interface imports itself, the lexicons and the type of the bridge', () => {
    const renderer = list('renderer/**/*.{ts,tsx}').flatMap(importsOf)
    expect(renderer.length).toBeGreaterThan(200)
    const values = renderer.filter(isOurs).filter(({ to, isType }) => !isType || to !== 'electron/bridge.ts')
    expect(strays('renderer/', ['renderer/', 'lexicons/generated/'], values)).toEqual([])
  })

  test('the desktop imports itself and the server', () => {
    const desktop = electron.flatMap(importsOf)
    expect(desktop.length).toBeGreaterThan(100)
    expect(strays('electron/', ['electron/', 'server/'], desktop.filter(isOurs))).toEqual([])
  })

  test('the protocol knows nothing of the rest of the server', () => {
    expect(strays('server/xrpc/', ['server/xrpc/', 'server/util/'])).toEqual([])
  })

  test('the store knows nothing of the rest but types', () => {
    const atRuntime = ours.filter(({ isType }) => !isType)
    expect(strays('server/store/', ['server/store/', 'server/util/'], atRuntime)).toEqual([])
    const above = ['xrpc', 'api', 'auth', 'accounts'].map((room) => `server/${room}/`)
    const fromAbove = ours.filter(({ to }) => above.some((room) => to.startsWith(room)))
    expect(strays('server/store/', [], fromAbove)).toEqual([])
  })

  test('utilities import nothing of ours', () => {
    expect(strays('server/util/', ['server/util/'])).toEqual([])
  })

  test('auth imports accounts, never the other way round', () => {
    const fromAccounts = ours.filter(({ from }) => from.startsWith('server/accounts/'))
    expect(fromAccounts.filter(({ to }) => to.startsWith('server/auth/')).map(show)).toEqual([])
  })

  test('only the composition root and the factory of methods import the bag of services', () => {
    const users = ours.filter(({ to }) => to === 'server/services.ts').map(({ from }) => from)
    expect(users.toSorted()).toEqual(['server/api/method.ts', 'server/server.ts'])
  })

  test('only the composition root and the list of methods know handlers', () => {
    const isHandler = ({ to }: Import) => to.startsWith('server/api/') && to !== 'server/api/method.ts'
    expect([...new Set(ours.filter(isHandler).map(({ from }) => from))]).toEqual([
      'server/api/index.ts',
      'server/server.ts',
    ])
  })

  test('no module needs itself to be loaded', () => {
    const needs = Map.groupBy(
      ours.filter(({ isType, isThread }) => !isType && !isThread),
      ({ from }) => from,
    )
    const cycles: string[] = []
    const done = new Set<string>()
    const visit = (file: string, path: readonly string[]) => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      if (path.includes(file) || done.has(file)) return
      for (const { to } of needs.get(file) ?? []) visit(to, [...path, file])
      done.add(file)
    }
    for (const file of server) visit(file, [])
    expect(cycles).toEqual([])
  })
})

test.each([
  'express',
  'sql.js',
  'jose',
  'bcryptjs',
  'nodemailer',
  'web-push',
  'pino',
  'compression',
  'rate-limiter-flexible',
  'ws',
  'electron-store',
])('one file imports %s', (name) => {
  const all = [...imports, ...electron.flatMap(importsOf)]
  const files = all.filter(({ to, isType }) => to === name && !isType).map(({ from }) => from)
  expect(files).toHaveLength(1)
})

test('every package that is imported is a dependency', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const isPackage = (each: Import) => !isOurs(each) && !each.to.startsWith('node:')
  const all = [...imports, ...electron.flatMap(importsOf)]
  // Electron itself is what the packaged program runs in.
  const known = (name: string) => name in dependencies || name === 'electron'
  const strays = all.filter(isPackage).filter(({ to, isType }) => !known(to) && !isType)
  expect(strays.map(show)).toEqual([])
})

test('SQL is in the store alone', () => {
  const sql =
    /['"`]\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP|PRAGMA|BEGIN|COMMIT|WITH|VACUUM|ATTACH) /
  const files = server.filter((file) => sql.test(read(file)))
  expect(files.filter((file) => file.startsWith('server/store/')).length).toBeGreaterThan(5)
  expect(files.filter((file) => !file.startsWith('server/store/'))).toEqual([])
})

describe('methods and subscriptions', () => {
  const handlers = [...methods, ...subscriptions]

  test('have one handler a lexicon and one lexicon a handler', () => {
    const documents = list('lexicons/{com,app}/**/*.json').map((file) => JSON.parse(read(file)))
    const declared = documents.filter(({ defs }) =>
      ['query', 'procedure', 'subscription'].includes(defs.main?.type),
    )
    expect(handlers.map(({ nsid }) => nsid).toSorted()).toEqual(declared.map(({ id }) => id).toSorted())
  })

  const files = list('server/api/*/**/*.ts')
  test.each(files)('%s exports what its name says, and nothing else', async (file) => {
    const path = file.slice('server/api/'.length, -'.ts'.length)
    const name = path.split('/').at(-1) ?? ''
    const exported: Record<string, unknown> = await import(join(root, file))
    expect(Object.keys(exported)).toEqual([name])
    expect(exported[name]).toHaveProperty('nsid', path.replaceAll('/', '.'))
    expect(handlers).toContain(exported[name])
  })

  test('for active accounts declare what others are told', () => {
    const silent = handlers
      .filter(({ active }) => active)
      .filter(({ schema }) =>
        ['AccountDeactivated', 'AccountSuspended'].some((name) => !schema.errors?.includes(name as never)),
      )
    expect(silent.map(({ nsid }) => nsid)).toEqual([])
  })
})

test('every module says what it is for; a handler is described by its lexicon', () => {
  const isHandler = (file: string) => /^server\/api\/.+\//.test(file)
  expect(
    [...server, ...electron].filter((file) => !isHandler(file) && !read(file).startsWith('/**')),
  ).toEqual([])
})

test('the tour of the contributor guide names files that exist', () => {
  const tour = /\n## Guided tour\n(.*?)(?=\n## |$)/s.exec(read('.github/CONTRIBUTING.md'))?.[1] ?? ''
  const missing: string[] = []
  let seen = 0
  for (const line of tour.split('\n')) {
    const names = [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    const places = names.filter((name) => /^[\w./-]+(\/|\.(ts|json|md|yml|html))$/.test(name))
    // A row of the table names a folder, then what is in it.
    const folder = places[0]?.endsWith('/') ? places[0] : ''
    seen += places.length
    for (const place of places) {
      if (!existsSync(join(root, place)) && !existsSync(join(root, folder, place))) missing.push(place)
    }
  }
  expect(seen).toBeGreaterThan(20)
  expect(missing).toEqual([])
})

test('the README has at most 150 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(151)
})
