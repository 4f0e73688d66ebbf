/** Rules of the source tree: permitted imports, location of SQL, handlers and lexicons, plain words. */
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
  /** A project file relative to the root, or the name of a package. */
  readonly to: string
  /** Erased at build time. */
  readonly isType: boolean
  /** The entry file of a worker. */
  readonly isThread: boolean
}

/** Static imports and re-exports, dynamic imports, and worker files by URL, in the form that the formatter writes. */
const patterns = [
  /^(?:import|export)(?<type> type)? (?:[^'"]*? from )?['"](?<target>[^'"]+)['"]/gm,
  /import\('(?<target>[^']+)'\)/g,
  /new URL\((?<thread>[`'])(?<target>\.[^`']+)[`'], import\.meta\.url\)/g,
]

function importsOf(file: string): Import[] {
  const text = read(file)
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ groups = {} }) => groups)
    .map(({ type, thread, target = '' }) => ({
      from: file,
      to: target.startsWith('.') ? resolve(file, target) : target.replace(/^((?:@[^/]+\/)?[^/]+).*$/, '$1'),
      isType: type !== undefined,
      isThread: thread !== undefined,
    }))
}

function resolve(file: string, target: string): string {
  const path = relative(root, join(root, dirname(file), target)).replaceAll('\\', '/')
  // The path of a worker file ends in the extension of the file that starts it.
  return path.replace(/\.?\$\{.*\}$/, '.ts')
}

const server = list('server/**/*.ts').filter((file) => !file.endsWith('.d.ts'))
const electron = list('electron/**/*.{ts,cts}')
const imports = server.flatMap(importsOf)
const isOurs = ({ to }: Import) => to.includes('/') && !to.startsWith('@') && !to.startsWith('node:')
const ours = imports.filter(isOurs)
/** The text of a script, which runs in browsers. */
const pageScript = 'server/testing/control/page-script.ts'
const show = ({ from, to }: Import) => `${from} → ${to}`

test('every import of a project file resolves to a file', () => {
  expect(server.length).toBeGreaterThan(80)
  expect(ours.filter(({ to }) => !existsSync(join(root, to))).map(show)).toEqual([])
  for (const file of server) {
    const statements = read(file).match(/^import /gm)?.length ?? 0
    expect(importsOf(file).length, file).toBeGreaterThanOrEqual(statements)
  }
})

describe('imports', () => {
  /** Imports of files under `from` whose target is not under `allowed`. */
  const strays = (from: string, allowed: readonly string[], among = ours) =>
    among
      .filter((each) => each.from.startsWith(from))
      .filter(({ to }) => !allowed.some((place) => to.startsWith(place)))
      .map(show)

  test('lexicons import no project files', () => {
    const generated = list('lexicons/generated/**/*.ts').flatMap(importsOf)
    expect(generated.length).toBeGreaterThan(50)
    expect(strays('lexicons/', ['lexicons/generated/'], generated.filter(isOurs))).toEqual([])
    expect([...new Set(generated.filter((each) => !isOurs(each)).map(({ to }) => to))]).toEqual([
      '@atproto/lex-schema',
    ])
  })

  test('server imports only server and lexicons', () => {
    expect(strays('server/', ['server/', 'lexicons/generated/'])).toEqual([])
  })

  test('renderer imports only renderer, lexicons and the type of the bridge', () => {
    const renderer = list('renderer/**/*.{ts,tsx}').flatMap(importsOf)
    expect(renderer.length).toBeGreaterThan(200)
    const values = renderer
      .filter(isOurs)
      .filter(({ to, isType }) => !isType || to !== 'electron/ground/bridge.ts')
    expect(strays('renderer/', ['renderer/', 'lexicons/generated/'], values)).toEqual([])
  })

  test('renderer: each folder imports only those below it, and no screen another screen', () => {
    /** From the bottom to the top. The files directly in `renderer/` are not checked: all folders may use them. */
    const layers = ['strings', 'api', 'ui', 'parts', 'screens', 'shell']
    const folderOf = (file: string) => layers.indexOf(file.split('/')[1] ?? '')
    const screenOf = (file: string) => /^renderer\/screens\/([^/]+)\//.exec(file)?.[1]
    const among = list('renderer/*/**/*.{ts,tsx}')
      .flatMap(importsOf)
      .filter(({ to }) => to.startsWith('renderer/'))
    expect(list('renderer/screens/*.*')).toEqual([])
    expect(among.filter(({ from, to }) => folderOf(from) < folderOf(to)).map(show)).toEqual([])
    const crossing = among.filter(
      ({ from, to }) => screenOf(from) && screenOf(to) && screenOf(from) !== screenOf(to),
    )
    expect(crossing.map(show)).toEqual([])
  })

  test('electron imports only electron and server', () => {
    const desktop = electron.flatMap(importsOf)
    expect(desktop.length).toBeGreaterThan(100)
    expect(strays('electron/', ['electron/', 'server/'], desktop.filter(isOurs))).toEqual([])
  })

  /** Imports whose target is in a higher layer than the file; `layers` from the bottom to the top. */
  function upwardsIn(folder: string, layers: readonly (readonly string[])[], files: readonly string[]) {
    const isIn = (file: string, room: string) =>
      file === `${folder}/${room}` || file.startsWith(`${folder}/${room}/`)
    const layerOf = (file: string) => layers.findIndex((rooms) => rooms.some((room) => isIn(file, room)))
    expect(files.filter((file) => layerOf(file) < 0)).toEqual([])
    return files
      .flatMap(importsOf)
      .filter(({ from, to }) => to.startsWith(`${folder}/`) && layerOf(from) < layerOf(to))
  }

  test('electron: each room imports only rooms of its layer and of those above it in this list', () => {
    const layers = [
      ['ground'],
      ['system'],
      ['settings'],
      ['server'],
      ['window'],
      ['replicas', 'tunnels'],
      ['page'],
      ['desktop.ts'],
      ['main.ts', 'preload.cts'],
    ]
    expect(upwardsIn('electron', layers, electron).map(show)).toEqual([])
  })

  test('server: each room imports only rooms of its layer and of those above it in this list', () => {
    const layers = [
      ['util'],
      // The store is a library of its own: it imports no wing.
      ['store/files'],
      ['store/pages'],
      ['store/journal'],
      ['store/database'],
      ['store/backups'],
      ['store/database.ts'],
      ['store/page-check.ts', 'store/slices.ts', 'store/tables'],
      ['platform/xrpc'],
      ['platform/mail', 'platform/network'],
      ['platform/clock', 'platform/config'],
      ['platform/start-store.ts', 'platform/platform.ts'],
      ['repository/format'],
      ['repository/tables'],
      ['repository/access', 'repository/blobs'],
      ['repository/events'],
      ['repository/records'],
      ['repository/repository.ts'],
      ['identity/did'],
      ['identity/tables'],
      ['identity/accounts'],
      ['identity/auth'],
      ['identity/factors', 'identity/oauth'],
      ['identity/callers'],
      ['identity/identity.ts'],
      ['federation/tables'],
      ['federation/actors', 'federation/remote'],
      ['federation/backlinks', 'federation/friends', 'federation/upstreams'],
      ['federation/federation.ts'],
      ['app/tables'],
      ['app/views/load'],
      ['app/views/filter'],
      ['app/views/find'],
      ['app/views/show'],
      ['app/notifications'],
      ['app/preferences', 'app/proxy', 'app/push', 'app/videos'],
      ['app/app.ts'],
      ['schema'],
      ['operation/tables'],
      [
        'operation/conformance',
        'operation/doctor',
        'operation/inspector',
        'operation/moving',
        'operation/web',
      ],
      ['operation/host.ts', 'operation/own-mail.ts', 'operation/replicas'],
      ['operation/jobs'],
      ['operation/operation.ts'],
      ['services.ts'],
      ['api'],
      ['routes'],
      ['server.ts'],
      ['operation/cli'],
      ['main.ts'],
      // The network for tests. An ordinary server never loads it.
      ['testing'],
    ]
    expect(upwardsIn('server', layers, server).map(show)).toEqual([])
  })

  test('no wing uses the tables of a wing above it, and the store those of none', () => {
    const wings = ['store', 'platform', 'repository', 'identity', 'federation', 'app', 'operation']
    const wingOf = (file: string) => wings.indexOf(file.split('/')[1] ?? '')
    const tables = ours.filter(({ to }) => /^server\/\w+\/tables\//.test(to))
    expect(tables.length).toBeGreaterThan(200)
    const below = tables.filter(({ from, to }) => wingOf(from) >= 0 && wingOf(from) < wingOf(to))
    expect(below.map(show)).toEqual([])
  })

  test('nothing in server, electron and renderer imports server/testing, so that an ordinary server never loads it', () => {
    const users = ours.filter(({ to }) => to.startsWith('server/testing/'))
    expect(users.length).toBeGreaterThan(100)
    expect(users.filter(({ from }) => !from.startsWith('server/testing/')).map(show)).toEqual([])
    const others = [...electron, ...list('renderer/**/*.{ts,tsx}')].flatMap(importsOf)
    expect(others.filter(({ to }) => to.startsWith('server/testing/')).map(show)).toEqual([])
  })

  test('only server.ts, its routes and api/method.ts import services.ts', () => {
    const users = ours.filter(({ to }) => to === 'server/services.ts').map(({ from }) => from)
    expect(users.filter((file) => !file.startsWith('server/routes/')).toSorted()).toEqual([
      'server/api/method.ts',
      'server/server.ts',
    ])
  })

  test('only server.ts, its routes and api/index.ts import handlers', () => {
    const isHandler = ({ to }: Import) => to.startsWith('server/api/') && to !== 'server/api/method.ts'
    expect([...new Set(ours.filter(isHandler).map(({ from }) => from))]).toEqual([
      'server/api/index.ts',
      'server/routes/xrpc.ts',
      'server/server.ts',
    ])
  })

  /** Groups of files that import each other, directly or by way of others, joined by commas. */
  function circlesOf(imports: readonly Import[]): string[] {
    const targets = new Map<string, Set<string>>()
    for (const { from, to } of imports) targets.set(from, (targets.get(from) ?? new Set()).add(to))
    const reach = new Map<string, Set<string>>()
    for (const file of targets.keys()) {
      const found = new Set(targets.get(file))
      for (const each of found) for (const next of targets.get(each) ?? []) found.add(next)
      reach.set(file, found)
    }
    const circles = [...reach].flatMap(([file, found]) =>
      found.has(file)
        ? [
            [...found]
              .filter((each) => reach.get(each)?.has(file))
              .toSorted()
              .join(', '),
          ]
        : [],
    )
    return [...new Set(circles)].toSorted()
  }

  test('form no cycles', () => {
    const isCode = ({ isType, isThread }: Import) => !isType && !isThread
    expect(circlesOf(ours.filter(isCode))).toEqual([])
    expect(circlesOf(electron.flatMap(importsOf).filter(isOurs).filter(isCode))).toEqual([])
  })

  test('form no cycles by types', () => {
    const all = [...ours, ...electron.flatMap(importsOf).filter(isOurs)]
    expect(circlesOf(all.filter(({ isThread }) => !isThread))).toEqual([])
  })
})

test.each([
  'express',
  'sql.js',
  'bcryptjs',
  'nodemailer',
  'web-push',
  'pino',
  'compression',
  'electron-store',
  'age-encryption',
  'aws4',
  'sax',
])('one file imports %s', (name) => {
  const all = [...imports, ...electron.flatMap(importsOf)]
  const files = all.filter(({ to, isType }) => to === name && !isType).map(({ from }) => from)
  expect(new Set(files).size).toBe(1)
})

test('tokens, proofs and assertions are the places of jose', () => {
  const files = imports.filter(({ to, isType }) => to === 'jose' && !isType).map(({ from }) => from)
  expect([...new Set(files)]).toEqual([
    'server/identity/auth/tokens.ts',
    'server/identity/oauth/client-auth.ts',
    'server/identity/oauth/dpop.ts',
  ])
})

test('one file imports ws for each side of a connection', () => {
  const files = imports.filter(({ to, isType }) => to === 'ws' && !isType).map(({ from }) => from)
  expect(files).toEqual(['server/platform/network/websocket.ts', 'server/platform/xrpc/sockets.ts'])
})

test('every imported package is a dependency', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const isPackage = (each: Import) => !isOurs(each) && !each.to.startsWith('node:')
  const all = [...imports, ...electron.flatMap(importsOf)]
  // The packaged program runs inside Electron.
  const known = (name: string) => name in dependencies || name === 'electron'
  const strays = all.filter(isPackage).filter(({ to, isType }) => !known(to) && !isType)
  expect(strays.map(show)).toEqual([])
})

test('SQL occurs only in the store, the schema and the tables of the wings', () => {
  const sql =
    /['"`]\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP|PRAGMA|BEGIN|COMMIT|WITH|VACUUM|ATTACH) /
  const files = server.filter((file) => sql.test(read(file)))
  const isPlace = (file: string) => /^server\/(?:store|schema|\w+\/tables)\//.test(file)
  expect(files.filter(isPlace).length).toBeGreaterThan(50)
  expect(files.filter((file) => !isPlace(file))).toEqual([])
})

describe('the files of a server', () => {
  test('are read and written by way of Files, with few exceptions', () => {
    const direct = server.filter((file) => /from 'node:fs(?:\/promises)?'/.test(read(file)))
    expect(direct).toEqual([
      // Commands read files that a person names.
      'server/operation/cli/command.ts',
      'server/operation/cli/passphrase.ts',
      'server/operation/cli/password-file.ts',
      'server/operation/cli/restore.ts',
      'server/operation/cli/source.ts',
      // A place is another disk.
      'server/operation/replicas/places/folder.ts',
      'server/operation/replicas/places/own-folder.ts',
      // Files of the program.
      'server/operation/web/ui.ts',
      'server/platform/config/version.ts',
      'server/repository/blobs/thumbnails/codec.ts',
      // The real file system.
      'server/store/files/files.ts',
      'server/store/files/lock-socket.ts',
      'server/store/files/lock.ts',
      // Failures of a server that a person expects.
      'server/testing/conformance/expected.ts',
      // Copies a folder between the real file system and memory.
      'server/testing/disk/copy-folder.ts',
      // Reads a world, and the pictures that it names.
      'server/testing/worlds/pictures.ts',
      'server/testing/worlds/read.ts',
    ])
  })

  test('are on the file system that is passed on: few files name the real one, except as a default', () => {
    const names = (file: string) => {
      const code = read(file).replaceAll(/^import [^']*'[^']+'|\bfiles(?:: Files)? = nodeFiles\b/gm, '')
      return /\bnodeFiles\b/.test(code)
    }
    expect(server.filter(names)).toEqual([
      // Commands, on the real data folder.
      'server/operation/cli/backup.ts',
      'server/operation/cli/places.ts',
      'server/operation/cli/restore.ts',
      // Threads, which open the real files.
      'server/operation/replicas/file-worker.ts',
      // A place is another disk.
      'server/operation/replicas/places/folder.ts',
      // Threads.
      'server/repository/blobs/videos/video-worker.ts',
      // Saves to a file that a person has chosen.
      'server/repository/records/export.ts',
      // Threads.
      'server/repository/records/import/verify-worker.ts',
      // The default.
      'server/server.ts',
      'server/store/backups/salvage.ts',
      // Threads, and the decision whether a thread can open the files.
      'server/store/backups/store-worker.ts',
      'server/store/backups/tasks.ts',
      'server/store/database.ts',
      'server/store/files/files.ts',
      'server/store/files/jobs-on-files.ts',
      // The folder of a network in memory, from its start to its end.
      'server/testing/data-folder.ts',
      // Copies a folder between the real file system and memory.
      'server/testing/disk/copy-folder.ts',
    ])
  })
})

describe('connections to other machines', () => {
  /** Ways to open a connection, to look a name up, or to load a package that does. */
  const doors = [
    /from '(?:node:https|node:tls|node:http2|node:dgram|node:dns(?:\/promises)?|undici)'/,
    /import \{[^}]*\b(?:connect|createConnection|Socket)\b[^}]*\} from 'node:net'/,
    /import \{[^}]*\b(?:request|get|Agent)\b[^}]*\} from 'node:http'/,
    /getBuiltinModule\('node:https?'\)/,
    /\bfetch\(|new WebSocket\(/,
    /import\('(?:nodemailer|web-push)'\)/,
  ]
  /** Type imports are erased. */
  const opens = (file: string) => {
    const text = read(file).replaceAll(/^import type .*$|type Socket/gm, '')
    return doors.some((door) => door.test(text))
  }
  /** Files outside `server/platform/network/`, with the reason. */
  const exceptions = [
    // Encrypts messages; it sends nothing.
    'server/app/push/web-push.ts',
    // Measures this server, or one that a person names.
    'server/operation/conformance/http.ts',
    // Mail goes to the mail server of the settings.
    'server/platform/mail/mailer.ts',
    // Listen and answer.
    'server/platform/xrpc/listen.ts',
    'server/platform/xrpc/upgrade.ts',
    // Asks the process that holds the data directory, by a local socket.
    'server/store/files/lock-socket.ts',
    // Calls the servers of its own network, as clients do.
    'server/testing/call.ts',
    pageScript,
  ]

  test('are opened in server/platform/network alone, with few exceptions', () => {
    const files = server.filter(opens)
    expect(files.filter((file) => file.startsWith('server/platform/network/')).length).toBeGreaterThan(2)
    expect(files.filter((file) => !file.startsWith('server/platform/network/'))).toEqual(exceptions)
  })
})

describe('sources of time, timers and random values', () => {
  const [timers, deadlines, random, sources] = ['timers', 'deadlines', 'random', 'sources'].map(
    (name) => `server/util/${name}.ts`,
  )
  /** Ways around them. A seed would not reach those. */
  const ways = [
    /from '(?:node:)?timers(?:\/promises)?'/,
    /(?<!\w)(?:Date\.now|Math\.random|AbortSignal\.timeout|setImmediate|queueMicrotask)\(/,
    /(?<!\w)performance(?:\.|\b.* = )|\bhrtime\b|process\.uptime/,
    /\bnew Date(?:\(\)|(?!\w|\())|(?<!\w)Date\(\)/,
    /\brandom(?:UUID|FillSync|Fill)\b|getRandomValues|generateKey(?:Pair)?(?:Sync)?\(|crypto\.random/,
    /import \{[^}]*\brandom\w*[^}]*\} from '(?:node:)?crypto'/,
    // Packages that draw numbers themselves.
    /new Secret\(\{ size/,
  ]
  /** The functions whose names are also global ones. */
  const names = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval']
  const code = (file: string) => read(file).replaceAll(/\/\*\*[\s\S]*?\*\/|^ *\/\/.*$/gm, '')
  /** Whether a file calls a global timer: one that it does not import, and that is no method. */
  const usesGlobal = (file: string) =>
    names.some((name) => {
      const imported = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '[./\\w]*/timers\\.ts'`)
      return new RegExp(`(?<![\\w.])${name}\\(`).test(code(file)) && !imported.test(read(file))
    })

  test('are in server/util alone', () => {
    const others = server.filter((file) => ![timers, deadlines, random, pageScript].includes(file))
    expect(others.filter((file) => ways.some((way) => way.test(code(file))))).toEqual([])
    expect(others.filter(usesGlobal)).toEqual([])
    expect(
      [timers, deadlines, random].filter((file) => ways.some((way) => way.test(code(file ?? '')))),
    ).toEqual([timers, deadlines, random])
  })

  test('are replaced by sources.ts alone, which only the network for tests imports', () => {
    const all = [
      ...imports,
      ...electron.flatMap(importsOf),
      ...list('renderer/**/*.{ts,tsx}').flatMap(importsOf),
    ]
    const users = all.filter(({ to, isType }) => to === sources && !isType).map(({ from }) => from)
    expect(users.filter((file) => !file.startsWith('server/testing/'))).toEqual([])
    const replacing = server.filter((file) =>
      /^import \{[^}]*\breplace(?:Timers|Deadlines|Random|Signer)\b/m.test(read(file)),
    )
    expect(replacing).toEqual([sources])
  })

  test('do not load the signer of seeded runs', () => {
    const users = imports.filter(({ to }) => to === '@noble/curves').map(({ from }) => from)
    expect(users).toEqual(['server/testing/seed/deterministic-signer.ts'])
  })
})

describe('bytes of others', () => {
  /** Packages and functions that decode, and readers of files that others send. */
  const decoders = [
    /from '(?:@jsquash\/|mediabunny|modern-tar|sax|age-encryption)/,
    /import\('(?:postal-mime|age-encryption)'\)/,
    /^import \{[^}]*\b(?:\w*[dD]ecompress\w*|create(?:Gunzip|Inflate\w*|Unzip)|(?:gunzip|inflate|unzip)\w*)\b[^}]*\} from 'node:zlib'/m,
    /\bopenArchive\(/,
  ]
  /** Files outside of the threads of `foreign-bytes.ts`, with the reason. */
  const exceptions = {
    // Read their own objects, which only the key of the copy can have sealed.
    'server/operation/replicas/assemble.ts': true,
    'server/operation/replicas/compact.ts': true,
    // Reads lists of a place that the owner chose, up to a limit of bytes, as a stream.
    'server/operation/replicas/places/xml.ts': true,
    // Reads messages that this server wrote.
    'server/platform/mail/outbox.ts': true,
    // Reads back what it has just written.
    'server/store/backups/copy-data.ts': true,
    // Stops at the limit of bytes of the method: streams, or at most the limit at once.
    'server/platform/xrpc/body.ts': true,
    // Loads the package that encrypts; it reads nothing.
    'server/util/age.ts': true,
  }

  /** The entry files of the threads that `foreign-bytes.ts` starts, and all that they import. */
  const inThreads = () => {
    const starters = ours
      .filter(({ to, isType }) => to === 'server/util/foreign-bytes.ts' && !isType)
      .map(({ from }) => from)
    const found = new Set(
      ours.filter(({ from, isThread }) => isThread && starters.includes(from)).map(({ to }) => to),
    )
    expect(found.size).toBeGreaterThanOrEqual(4)
    for (const file of found) {
      for (const { from, to, isType, isThread } of ours)
        if (from === file && !isType && !isThread) found.add(to)
    }
    return found
  }

  test('are decoded in threads of foreign-bytes.ts, with few exceptions', () => {
    const threads = inThreads()
    const files = server.filter((file) => decoders.some((decoder) => decoder.test(read(file))))
    expect(files.filter((file) => threads.has(file)).length).toBeGreaterThan(4)
    const outside = files.filter((file) => !threads.has(file) || file in exceptions)
    expect(outside).toEqual(Object.keys(exceptions).toSorted())
  })

  test('nothing but those threads imports the decoders of pictures, videos and archives', () => {
    const threads = inThreads()
    const isDecoder = /^(?:@jsquash\/.*|mediabunny|modern-tar)$/
    const users = imports.filter(({ to, isType }) => isDecoder.test(to) && !isType).map(({ from }) => from)
    expect(users.length).toBeGreaterThan(4)
    expect(users.filter((file) => !threads.has(file))).toEqual([])
  })
})

describe('methods and subscriptions', () => {
  const handlers = [...methods, ...subscriptions]

  test('have one handler per lexicon and one lexicon per handler', () => {
    const documents = list('lexicons/{com,app,chat}/**/*.json').map((file) => JSON.parse(read(file)))
    const declared = documents.filter(({ defs }) =>
      ['query', 'procedure', 'subscription'].includes(defs.main?.type),
    )
    expect(handlers.map(({ nsid }) => nsid).toSorted()).toEqual(declared.map(({ id }) => id).toSorted())
  })

  const files = list('server/api/*/**/*.ts')
  test.each(files)('%s exports only the handler of its path', async (file) => {
    const path = file.slice('server/api/'.length, -'.ts'.length)
    const name = path.split('/').at(-1) ?? ''
    const exported: Record<string, unknown> = await import(join(root, file))
    expect(Object.keys(exported)).toEqual([name])
    expect(exported[name]).toHaveProperty('nsid', path.replaceAll('/', '.'))
    expect(handlers).toContain(exported[name])
  })

  test('that require an active account declare AccountDeactivated and AccountSuspended', () => {
    const missing = handlers
      .filter(({ active }) => active)
      .filter(({ schema }) =>
        ['AccountDeactivated', 'AccountSuspended'].some((name) => !schema.errors?.includes(name as never)),
      )
    expect(missing.map(({ nsid }) => nsid)).toEqual([])
  })
})

test('every module except handlers starts with a doc comment', () => {
  const isHandler = (file: string) => /^server\/api\/.+\//.test(file)
  expect(
    [...server, ...electron].filter((file) => !isHandler(file) && !read(file).startsWith('/**')),
  ).toEqual([])
})

describe('plain words', () => {
  /** Files that are checked, without their extension. */
  const places = [
    ...[
      'lexicons/{com,app,chat}/**/*',
      'server/**/*',
      'electron/**/*',
      'renderer/**/*',
      'build/**/*',
      'test/**/*',
    ],
    '{README,.github/**/*}',
  ]
  const banned =
    /(?<![a-z])(tells?|telling|told|hears?|heard|whoever|whomever|somebody|nobody|gone|doomed|strangers?|mends?|mended|mending)(?![a-z])/i
  /** An event of Electron. */
  const quotations = /render-process-gone/g
  /** This list. */
  const exempt = 'test/architecture.test.ts'

  test.each(places)('%s use the terms of the field', (place) => {
    const files = list(`${place}.{ts,tsx,cts,json,html,css,yml,md}`)
    expect(files.length).toBeGreaterThan(0)
    const checked = files.filter((file) => file !== exempt)
    const found = checked.flatMap((file) =>
      read(file)
        .split('\n')
        .map((line, index) => ({ line, place: `${file}:${index + 1}` }))
        .filter(({ line }) => banned.test(separateWords(line.replaceAll(quotations, ''))))
        .map(({ line, place }) => `${place} ${line.trim()}`),
    )
    expect(found).toEqual([])
  })

  /** Splits identifiers: `lastRecipient` and `last_recipient` become `last Recipient` and `last recipient`. */
  function separateWords(line: string): string {
    return line.replaceAll(/(?<=[a-z\d])(?=[A-Z])|_/g, ' ')
  }
})

test('the only files directly in server/ are main.ts, server.ts and services.ts', () => {
  expect(list('server/*.*')).toEqual(['server/main.ts', 'server/server.ts', 'server/services.ts'])
})

describe('SQL that writes is deterministic, because the journal replays it', () => {
  /** Texts of SQL statements in quotes, without the schema, whose statements run once and are not replayed. */
  const statements = list('server/*/tables/*.ts').flatMap((file) =>
    [...read(file).matchAll(/`[^`]*`|'[^'\n]*'/g)]
      .map(([text]) => text.slice(1, -1).trim())
      .filter((text) => /^(INSERT|UPDATE|DELETE|REPLACE|WITH)\b/.test(text))
      .map((text) => `${file}: ${text}`),
  )

  test('every LIMIT has an ORDER BY', () => {
    expect(statements.length).toBeGreaterThan(100)
    const unordered = statements.filter((text) =>
      text
        .split(/\bLIMIT\b/)
        .slice(0, -1)
        .some((before) => !/ORDER BY[^()]*$/.test(before)),
    )
    expect(unordered).toEqual([])
  })

  test('nothing is computed from time, chance or the connection', () => {
    const banned =
      /\brandom(blob)?\(|\b(last_insert_rowid|changes|total_changes)\(|'now'|\bCURRENT_(TIME|DATE|TIMESTAMP)\b|\bunixepoch\(\)/i
    expect(statements.filter((text) => banned.test(text))).toEqual([])
  })
})
