import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { acquireFileLock, acquireLock, acquireSystemLock } from '../../../../server/store/files/lock.ts'
import {
  directoryKey,
  findHolder,
  listen,
  systemAddress,
} from '../../../../server/store/files/lock-socket.ts'
import { StoreLocked } from '../../../../server/store/files/store-errors.ts'

const isLinux = process.platform === 'linux'
const isWindows = process.platform === 'win32'
const script = fileURLToPath(new URL('./lock-holder.ts', import.meta.url))

let directory: string
let lock: string
const ends: (() => Promise<void>)[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pds-lock-'))
  lock = join(directory, 'pds.lock')
})
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
  rmSync(directory, { recursive: true })
})

/** Another process that can take the lock. */
class Taker {
  readonly child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    ends.push(() => this.kill())
  }

  /** Resolves when the process is up, before it tries. */
  static async start(kind: 'any' | 'system' = 'any'): Promise<Taker> {
    const taker = new Taker(spawn(process.execPath, ['--no-warnings', script, directory, kind]))
    await taker.line()
    return taker
  }

  async line(): Promise<string> {
    return (await this.#lines.next()).value
  }

  take(): Promise<string> {
    this.child.stdin.write('go\n')
    return this.line()
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    this.child.kill('SIGKILL')
    await once(this.child, 'exit')
  }
}

test('lock: a second taker is refused and reads the pid of the holder, in this process too', async () => {
  const held = await acquireLock(directory)
  await expect(acquireLock(directory)).rejects.toThrow(StoreLocked)
  await expect(acquireLock(directory)).rejects.toThrow(
    `The data folder ${directory} is in use by process ${process.pid}. Stop that process first`,
  )
  await held.release()
  expect(readdirSync(directory)).toEqual([])
  await (await acquireLock(directory)).release()
})

test('lock: a directory under another name is the same directory', async () => {
  const alias = `${directory}-alias`
  symlinkSync(directory, alias)
  for (const acquire of [acquireLock, acquireSystemLock]) {
    const held = await acquire(directory)
    await expect(acquire(alias)).rejects.toThrow(StoreLocked)
    await held.release()
  }
  rmSync(alias)
})

test('lock: a path too long for a socket works, and leaves no temporary link', async () => {
  const long = join(directory, 'x'.repeat(150))
  mkdirSync(long)
  // Other programs use the folder of the system.
  const temporary = mkdtempSync(join(tmpdir(), 'pds-'))
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(temporary, { recursive: true })
  })
  const held = await acquireLock(long)
  await expect(acquireLock(long)).rejects.toMatchObject({ pid: process.pid })
  expect(readdirSync(temporary)).toEqual([])
  await held.release()
  expect(readdirSync(long)).toEqual([])
})

test.each([
  ['file', (dir: string) => acquireFileLock(dir, dir)],
  ['system', acquireSystemLock],
])('lock (%s): of ten takers at the same moment exactly one succeeds', async (_, acquire) => {
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => acquire(directory)))
  const locks = results.filter((result) => result.status === 'fulfilled')
  expect(locks).toHaveLength(1)
  expect(results.filter((result) => result.status === 'rejected').map(({ reason }) => reason.pid)).toEqual(
    Array(9).fill(process.pid),
  )
  await locks[0]?.value.release()
  expect(readdirSync(directory)).toEqual([])
})

describe('lock between processes', () => {
  test.each(['any', 'system'] as const)(
    'kind %s: the second taker is refused while the first lives, and succeeds once it is killed',
    async (kind) => {
      const acquire = kind === 'system' ? acquireSystemLock : acquireLock
      const holder = await Taker.start(kind)
      expect(await holder.take()).toBe('holds')
      await expect(acquire(directory)).rejects.toMatchObject({ pid: holder.child.pid, directory })
      await holder.kill()
      await (await acquire(directory)).release()
    },
  )

  test('of five takers that find the lock of a killed holder, exactly one succeeds', async () => {
    const dead = await Taker.start()
    await dead.take()
    await dead.kill()
    const takers = await Promise.all(Array.from({ length: 5 }, () => Taker.start()))
    const answers = await Promise.all(takers.map((taker) => taker.take()))
    const winner = takers[answers.indexOf('holds')]
    expect(answers.filter((answer) => answer !== 'holds')).toEqual(
      Array(4).fill(`locked by ${winner?.child.pid}`),
    )
    if (!isWindows) expect(readdirSync(directory)).toEqual(['pds.lock'])
  })

  test.skipIf(isWindows)('a stopped holder keeps the lock, though it cannot answer', async () => {
    const holder = await Taker.start()
    await holder.take()
    holder.child.kill('SIGSTOP')
    expect(await findHolder(lock, 0)).toEqual({})
    await expect(acquireLock(directory)).rejects.toThrow(`${directory} is in use by another process. Stop`)
  })

  test.runIf(isLinux)(
    'a killed holder that its parent has not reaped is no holder, 5 of 5 times',
    async () => {
      for (let start = 1; start <= 5; start++) {
        const { pid, parent } = await unreapedTaker()
        await expect(acquireLock(directory)).rejects.toMatchObject({ pid })
        process.kill(pid, 'SIGKILL')
        while (stateOf(pid) !== 'Z') await setImmediate()
        const held = await acquireLock(directory)
        expect(stateOf(pid)).toBe('Z')
        await held.release()
        await parent.kill()
      }
    },
  )
})

/** A process that holds the lock and whose parent, a shell that became `sleep`, never reaps it. */
async function unreapedTaker(): Promise<{ pid: number; parent: Taker }> {
  const shell = 'exec 3<&0; "$0" --no-warnings "$1" "$2" <&3 & echo $!; exec sleep 600'
  const parent = new Taker(spawn('sh', ['-c', shell, process.execPath, script, directory]))
  const pid = Number(await parent.line())
  ends.push(async () => void (existsSync(`/proc/${pid}`) && process.kill(pid, 'SIGKILL')))
  expect(await parent.line()).toBe('ready')
  expect(await parent.take()).toBe('holds')
  return { pid, parent }
}

/** The letter by which Linux names the state of a process; Z is a zombie. */
function stateOf(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2)[0]
}

describe.skipIf(isWindows)('a lock file without a listener is taken over', () => {
  test.each([
    ['with the pid of a live process in it', `pds.lock.${process.ppid}.boot-1.token`],
    ['left empty by a power cut', ''],
    ['with other content', 'hello'],
  ])('%s', async (_, content) => {
    writeFileSync(lock, content)
    const held = await acquireLock(directory)
    expect(await findHolder(lock, 5_000)).toEqual({ pid: process.pid, host: hostname() })
    await held.release()
  })

  test('as a socket of a process that has ended', async () => {
    const holder = await Taker.start()
    await holder.take()
    await holder.kill()
    expect(readdirSync(directory)).toEqual(['pds.lock'])
    expect(await findHolder(lock, 0)).toBe(undefined)
    await (await acquireLock(directory)).release()
  })

  test('and claims of processes that ended while taking it are removed', async () => {
    writeFileSync(join(directory, 'pds.lock.0123456789ab'), '')
    const held = await acquireLock(directory)
    expect(readdirSync(directory)).toEqual(['pds.lock'])
    await held.release()
  })
})

test.skipIf(isWindows)('lock: a live claim of another process is respected', async () => {
  const claim = await listen(join(directory, 'pds.lock.0123456789ab'))
  await expect(acquireLock(directory)).rejects.toMatchObject({ pid: process.pid })
  claim.close()
  await (await acquireLock(directory)).release()
})

test.skipIf(isWindows)('lock: a holder in another container is reported with its host name', async () => {
  const other = createServer((socket) => socket.end('7 container-a\n'))
  other.listen(lock)
  await once(other, 'listening')
  await expect(acquireLock(directory)).rejects.toThrow('is in use by process 7 on container-a. Stop')
  other.close()
})

test.skipIf(isWindows)(
  'lock on macOS: a file system without sockets has its lock in the temporary folder',
  async () => {
    const folder = join(tmpdir(), await directoryKey(directory))
    const held = await acquireSystemLock(directory, 'darwin')
    expect(readdirSync(folder)).toEqual(['pds.lock'])
    await expect(acquireSystemLock(directory, 'darwin')).rejects.toMatchObject({
      pid: process.pid,
      directory,
    })
    await held.release()
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
  },
)

test('lock: the system’s name of a directory is a pipe on Windows, an abstract socket on Linux, none on macOS', async () => {
  const key = await directoryKey(directory)
  expect(key).toMatch(/^desktop-pds-[0-9a-f]{32}$/)
  expect(await directoryKey(tmpdir())).not.toBe(key)
  expect(systemAddress(key, 'win32')).toBe(`\\\\.\\pipe\\${key}`)
  expect(systemAddress(key, 'linux')).toBe(`\0${key}`)
  expect(systemAddress(key, 'darwin')).toBe(undefined)
})
