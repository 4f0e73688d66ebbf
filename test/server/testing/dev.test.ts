/** `desktop-pds dev` as a process, and what an ordinary server has of it: nothing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const fileOf = (path: string) => fileURLToPath(new URL(`../../../server/${path}`, import.meta.url))
const dev = `import { runDev } from ${JSON.stringify(fileOf('testing/dev.ts'))}
process.exitCode = await runDev(process.argv.slice(1))`
const isWindows = process.platform === 'win32'
const markName = 'network-for-tests.json'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-dev-'))
})
afterAll(() => rm(folder, { recursive: true }))

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, ['--no-warnings', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
}

const startDev = (...args: string[]) => start(['--input-type=module', '--eval', dev, '--', ...args])
const serverArgs = (dataDir: string) => [fileOf('main.ts'), '--data-dir', dataDir, '--port', '0']

/** Runs a process until it ends by itself. */
async function ended(child: ReturnType<typeof start>) {
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { output, errors, code }
}

const run = (...args: string[]) => ended(startDev('--port', '0', ...args))

/** Resolves with the output when it has a text. */
async function outputUntil(child: ReturnType<typeof start>, end: string): Promise<string> {
  let output = ''
  child.stdout.setEncoding('utf8')
  for (;;) {
    if (output.includes(end)) return output
    const [part] = await Promise.race([once(child.stdout, 'data'), once(child.stdout, 'end')])
    if (part === undefined) throw new Error(`It ended: ${output}`)
    output += part
  }
}

/** Node.js that calls `/dev` of the network that runs it, and prints the answer. */
const calling = (code: string) => [
  '--exec',
  process.execPath,
  '--eval',
  `const dev = async (path, body) => {
    const headers = { 'content-type': 'application/json' }
    const init = body && { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(process.env.DEV_URL + path, init)).json()
  }
  ;(async () => { ${code} })()`,
]

describe('the process', () => {
  test.skipIf(isWindows)(
    'prints its addresses, listens on this computer alone, and ends by a signal',
    async () => {
      const child = startDev('--port', '0', '--servers', '2', '--seed', '3')
      const output = await outputUntil(child, 'DEV_URL=http://localhost:')
      expect(output).toMatch(
        /^# A network for tests.*\nPDS_URL=(http:\S+)\nPDS_URL_2=(http:\S+)\nPLC_URL=(http:\S+)\nSTREAM_URL=ws:\S+\/subscribe\nDEV_URL=\3\n/,
      )
      const url = /DEV_URL=(\S+)/.exec(output)?.[1] ?? ''
      expect((await fetch(`${url}/dev/clock`)).status).toBe(200)
      const others = Object.values(networkInterfaces())
        .flatMap((list) => list ?? [])
        .filter(({ internal, family }) => !internal && family === 'IPv4')
      for (const { address } of others)
        for (const [, port] of output.matchAll(/localhost:(\d+)/g))
          expect(await isOpen(Number(port), address), `${address}:${port}`).toBe(false)
      child.kill('SIGINT')
      expect(await once(child, 'exit')).toEqual([0, null])
    },
  )

  test('a port that is in use is named', async () => {
    const child = startDev('--port', '0')
    const port = /PDS_URL=\S+:(\d+)/.exec(await outputUntil(child, 'DEV_URL='))?.[1] ?? ''
    const { code, errors } = await ended(startDev('--port', port))
    expect(code).toBe(2)
    expect(errors).toMatch(/^A port is in use by another program\. Choose another with --port \(.*\)\.\n$/)
    child.kill('SIGHUP')
    if (!isWindows) expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('loads a world without the proxy that the environment names', async () => {
    const args = ['--input-type=module', '--eval', dev, '--', '--port', '0', '--world', 'friends']
    // Nothing listens on port 9.
    const child = start(args, { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' })
    await outputUntil(child, 'alice.test')
    child.kill()
    await once(child, 'exit')
  })

  test('prints the accounts of a world', async () => {
    const { output, code } = await run('--world', 'friends', '--exec', process.execPath, '--version')
    expect(code).toBe(0)
    expect(output).toMatch(/\n# alice\.test +alice-password\n# bob\.test +bob-password\n/)
  })
})

function isOpen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host })
    const end = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

describe('a command', () => {
  test('finds the clock of the network at the present', async () => {
    const script = `const before = Date.now()
      fetch(process.env.DEV_URL + '/dev/clock').then((answer) => answer.json())
      .then(({ now }) => console.log('behind by', before - Date.parse(now)))`
    const { output } = await run('--exec', process.execPath, '--eval', script)
    const [, behind] = /behind by (-?\d+)/.exec(output) ?? []
    // Loading the server takes longer.
    expect(Number(behind)).toBeLessThan(200)
  })

  test('has the addresses in its environment, and its exit code is passed on', async () => {
    const code = "const { servers } = await dev('/dev/servers'); console.log(servers[0].url); process.exit(7)"
    const { output, code: exit } = await run(...calling(code))
    const url = /PDS_URL=(\S+)/.exec(output)?.[1]
    expect([exit, output.trim().split('\n').at(-1)]).toEqual([7, url])
  })

  test.skipIf(isWindows)('that a signal ends gives 128 and its number', async () => {
    expect((await run(...calling("process.kill(process.pid, 'SIGKILL')"))).code).toBe(137)
  })

  test.skipIf(isWindows)('gets the signal that ends a process', async () => {
    const child = startDev(
      '--port',
      '0',
      ...calling(
        "process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('ready')",
      ),
    )
    await outputUntil(child, 'ready')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([9, null])
  })

  test.skipIf(isWindows)('that does not exist is named', async () => {
    const { code, errors } = await run('--exec', 'no-such-command')
    expect([code, errors]).toEqual([2, expect.stringMatching(/^no-such-command cannot be started: .*\n$/)])
    const quoted = await run('--exec', 'echo hello')
    expect(quoted.errors).toMatch(/^echo hello cannot be started: .* without quotes around both\.\n$/)
  })
})

describe('a data folder', () => {
  const alice = "const { did } = await dev('/dev/accounts', { handle: 'alice' }); console.log('did', did)"
  const again = "const { did } = await dev('/dev/accounts/alice'); console.log('did', did)"
  const didIn = (output: string) => /did (did:plc:\w+)/.exec(output)?.[1]
  let dataDir: string
  let did: string | undefined

  beforeAll(async () => {
    dataDir = join(folder, 'network')
    did = didIn((await run('--seed', '5', '--servers', '2', '--data-dir', dataDir, ...calling(alice))).output)
  })

  test('keeps accounts, directory, events and the clock', async () => {
    const more = `${again}
      const lines = await (await fetch(process.env.DEV_URL + '/dev/events')).text()
      console.log('events', lines.trim().split('\\n').length)
      const document = await (await fetch(process.env.PLC_URL + '/' + did)).json()
      console.log(document.service[0].serviceEndpoint === process.env.PDS_URL)
      await dev('/dev/clock', { set: '2026-02-01' })`
    const { output, code, errors } = await run('--seed', '5', '--data-dir', dataDir, ...calling(more))
    expect([code, errors]).toEqual([0, ''])
    expect(didIn(output)).toBe(did)
    expect(output).toMatch(/events 2\ntrue\n$/)
    const earlier = await run('--seed', '5', '--now', '2026-01-15', '--data-dir', dataDir)
    expect([earlier.code, earlier.errors]).toEqual([2, expect.stringContaining('--now must not be earlier')])
  })

  test.each<[what: string, change: (state: string) => Promise<void>, reason: RegExp]>([
    [
      'a file of another form',
      (state) => writeFile(join(state, 'network.json'), '{"urls":[]}'),
      /network\.json was damaged, or another version wrote it \(.+\)/,
    ],
    ['no disk', (state) => rm(join(state, '1'), { recursive: true }), /state-\w+.1 is incomplete/],
    ['no database', (state) => rm(join(state, '1', 'pds.sqlite')), /state-\w+.1 is incomplete/],
    [
      'a damaged database',
      async (state) => {
        const file = join(state, '1', 'pds.sqlite')
        const bytes = await readFile(file)
        await writeFile(file, bytes.fill(0xff, 5000, 5010))
      },
      /The data in .+ cannot be used, and stay as they are \(pds\.sqlite has a damaged page \(2\)\)/,
    ],
  ])('with %s is refused in one line and stays as it is', async (_, change, reason) => {
    const damaged = await mkdtemp(join(folder, 'damaged-'))
    await cp(dataDir, damaged, { recursive: true })
    const [state = ''] = (await readdir(damaged)).filter((name) => name.startsWith('state-'))
    await change(join(damaged, state))
    const before = await readdir(damaged, { recursive: true })
    const { code, output, errors } = await run('--data-dir', damaged)
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toMatch(reason)
    expect(errors).toMatch(/^[^\n]+: name another folder with --data-dir\.\n$/)
    expect(await readdir(damaged, { recursive: true })).toEqual(before)
  })

  test('needs as many servers as it has', async () => {
    const { code, errors } = await run('--servers', '3', '--data-dir', dataDir)
    expect([code, errors]).toEqual([2, `${dataDir} has a network of 2 servers: start it with --servers 2.\n`])
  })

  test('is used by one network at a time', async () => {
    const child = startDev('--port', '0', '--data-dir', dataDir)
    await outputUntil(child, 'DEV_URL=')
    const { code, errors } = await run('--data-dir', dataDir)
    expect([code, errors]).toEqual([2, expect.stringContaining(`is in use by process ${child.pid}`)])
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual(isWindows ? [null, 'SIGTERM'] : [0, null])
  })

  test('is refused by an ordinary server, as are the folders in it', async () => {
    const state = (await readdir(dataDir)).find((name) => name.startsWith('state-')) ?? ''
    for (const each of [dataDir, join(dataDir, state), join(dataDir, state, '1')]) {
      const before = await readdir(each)
      const { code, output, errors } = await ended(start(serverArgs(each)))
      expect({ code, output }).toEqual({ code: 1, output: '' })
      expect(errors).toBe(
        `${each} belongs to a network for tests. Its keys and passwords are public, so use another folder or backup.\n`,
      )
      expect(await readdir(each)).toEqual(before)
    }
  })

  test.each(['backup', 'restore'])('is refused by the command %s', async (command) => {
    const state = (await readdir(dataDir)).find((name) => name.startsWith('state-')) ?? ''
    const disk = join(dataDir, state, '1')
    const before = await readdir(disk)
    const option = command === 'backup' ? [] : ['--list']
    const args = [fileOf(`operation/cli/${command}.ts`), ...option, '--data-dir', disk]
    const { code, output, errors } = await ended(start(args))
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).toContain(`${disk} belongs to a network for tests.`)
    expect(await readdir(disk)).toEqual(before)
  })

  test('that was copied without its marks is refused by an ordinary server, and by a restore', async () => {
    const state = (await readdir(dataDir)).find((name) => name.startsWith('state-')) ?? ''
    const [copy, real] = [join(folder, 'unmarked'), join(folder, 'restored')]
    await cp(join(dataDir, state, '1'), copy, { recursive: true })
    await rm(join(copy, markName))
    const [database, backup] = [join(copy, 'pds.sqlite'), join(folder, 'backup.sqlite')]
    await cp(database, backup)
    const before = await readdir(copy)
    const restore = fileOf('operation/cli/restore.ts')
    const ways: [named: string, args: string[]][] = [
      [database, serverArgs(copy)],
      [database, [fileOf('operation/cli/backup.ts'), '--data-dir', copy]],
      [join(copy, 'pds.000000000001.journal'), [restore, '--salvage', '--data-dir', copy]],
      [backup, [restore, backup, '--data-dir', real]],
    ]
    for (const [named, args] of ways) {
      const { code, output, errors } = await ended(start(args))
      const refused = `${named} belongs to a network for tests. Its keys and passwords are public, so use another folder or backup.\n`
      expect({ code, output, errors }, args[0]).toEqual({ code: 1, output: '', errors: refused })
    }
    expect((await readdir(copy)).filter((name) => name !== 'backups')).toEqual(before)
    expect(await readdir(real)).not.toContain('pds.sqlite')
  })

  test('whose journal was copied to the data of a server is refused by that server, and by a salvage', async () => {
    const state = (await readdir(dataDir)).find((name) => name.startsWith('state-')) ?? ''
    const mixed = join(folder, 'mixed')
    const server = start(serverArgs(mixed))
    await outputUntil(server, 'listening')
    server.kill()
    await once(server, 'exit')
    const journals = async (path: string) => (await readdir(path)).filter((name) => name.endsWith('.journal'))
    for (const name of await journals(mixed)) await rm(join(mixed, name))
    const from = join(dataDir, state, '1')
    const [journal = ''] = await journals(from)
    await cp(join(from, journal), join(mixed, journal))
    const data = async () => (await readdir(mixed)).filter((name) => !['backups', 'pds.lock'].includes(name))
    const before = await data()
    for (const args of [
      serverArgs(mixed),
      [fileOf('operation/cli/restore.ts'), '--salvage', '--data-dir', mixed],
    ]) {
      const { code, output, errors } = await ended(start(args))
      expect({ code, output }).toEqual({ code: 1, output: '' })
      expect(errors).toContain(`${journal} belongs to a network for tests.`)
    }
    expect(await data()).toEqual(before)
  })

  test('with the data of a server, or with other files, is refused and stays as it is', async () => {
    const [real, other] = [join(folder, 'real'), join(folder, 'other')]
    const server = start(serverArgs(real))
    await outputUntil(server, 'data in')
    server.kill()
    await once(server, 'exit')
    const names = await readdir(real)
    const { code, errors } = await run('--data-dir', real)
    expect([code, errors]).toEqual([
      2,
      `${real} has the data of a server, so a network for tests must not use it: name another folder with --data-dir.\n`,
    ])
    expect(await readdir(real)).toEqual(names)
    // The mark was copied there.
    await cp(join(dataDir, markName), join(real, markName))
    expect((await run('--data-dir', real)).errors).toContain('has the data of a server')
    expect(await readdir(real)).toHaveLength(names.length + 1)
    await mkdir(other)
    await writeFile(join(other, 'letter.txt'), 'Dear')
    expect((await run('--data-dir', other)).errors).toContain('has other files')
    expect(await readdir(other)).toEqual(['letter.txt'])
  })
})

/** A folder that came from another person. */
describe('a copied data folder', () => {
  let copy: string
  let state: string
  beforeAll(async () => {
    const dataDir = join(folder, 'copied', 'network')
    await run('--seed', '5', '--data-dir', dataDir, '--exec', process.execPath, '--version')
    state = (await readdir(dataDir)).find((name) => name.startsWith('state-')) ?? ''
    copy = dataDir
  })
  const exec = ['--exec', process.execPath, '--version']

  test('whose mark names another folder is refused, and that folder is kept', async () => {
    const [parent, mark] = [join(copy, '..'), join(copy, markName)]
    await cp(join(copy, state), parent, { recursive: true })
    const before = [await readFile(mark), await readdir(parent)]
    for (const named of ['..', '.', `../network/${state}`, `${state}/../..`]) {
      await writeFile(mark, JSON.stringify({ about: '', state: named }))
      const { code, errors } = await run('--data-dir', copy, ...exec)
      expect([code, errors], named).toEqual([
        2,
        `${mark} names no state of a network for tests: name another folder with --data-dir.\n`,
      ])
    }
    await writeFile(mark, before[0] as Buffer)
    expect(await readdir(parent)).toEqual(before[1])
  })

  test.skipIf(isWindows)('with a link in the place of the data of a server is refused', async () => {
    const [disk, real] = [join(copy, state, '1'), join(folder, 'moved')]
    await rename(disk, real)
    await symlink(real, disk)
    const { code, errors } = await run('--data-dir', copy, ...exec)
    expect([code, errors]).toEqual([2, `${disk} is a link to another folder.\n`])
  })
})

describe('an ordinary server', () => {
  const names = [
    'DEV',
    'DEV_URL',
    'TESTING',
    'NETWORK',
    'NETWORK_FOR_TESTS',
    'FOR_TESTS',
    'IS_FOR_TESTS',
    'SEED',
  ]
  const more = ['SERVERS', 'WORLD', 'NOW', 'CLOCK', 'CONTROL', 'CONTROL_PORT', 'FAULTS', 'STREAM_URL', 'EXEC']
  const settings = [...names, ...more].flatMap((name) => [
    [name, '1'],
    [`PDS_${name}`, '1'],
    [`DESKTOP_PDS_${name}`, '1'],
  ])

  test('has no /dev, no other port, no file and no mark, whatever is in its environment', async () => {
    const dataDir = join(folder, 'ordinary')
    const child = start(serverArgs(dataDir), { ...Object.fromEntries(settings), NODE_ENV: 'test' })
    const url = /listening on (\S+)/.exec(await outputUntil(child, 'data in'))?.[1] ?? ''
    for (const path of ['/dev', '/dev/accounts', '/dev/reset', '/subscribe']) {
      const { status } = await fetch(url + path, { method: path === '/dev/reset' ? 'POST' : 'GET' })
      expect([path, status]).toEqual([path, 404])
    }
    const description = await fetch(`${url}/xrpc/com.core.server.describeServer`)
    expect(await description.json()).not.toHaveProperty('isForTests')
    if (process.platform === 'linux')
      expect([...new Set(await listening(child.pid ?? 0))]).toEqual([Number(new URL(url).port)])
    expect((await readdir(dataDir)).filter((name) => /test|dev|network/.test(name))).toEqual([])
    child.kill()
    await once(child, 'exit')
  })

  test.each(['--dev', '--seed=1'])('refuses %s', async (option) => {
    const { code, output } = await ended(start([...serverArgs(join(folder, 'none')), option]))
    expect({ code, output }).toEqual({ code: 1, output: '' })
  })
})

/** The ports on which a process listens. */
async function listening(pid: number): Promise<number[]> {
  const opened = await readdir(`/proc/${pid}/fd`)
  const targets = await Promise.all(opened.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
  const inodes = new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.slice(1) ?? []))
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')))
  return tables.flatMap((table) =>
    table
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode ?? ''))
      .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16)),
  )
}
