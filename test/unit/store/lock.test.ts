import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StoreLocked } from '../../../server/store/errors.ts'
import { nodeFiles } from '../../../server/store/files.ts'
import { acquireLock } from '../../../server/store/lock.ts'

let directory: string
let lock: string
const processes: Holder[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pds-lock-'))
  lock = join(directory, 'pds.lock')
})
afterEach(async () => {
  await Promise.all(processes.splice(0).map((holder) => holder.kill()))
  rmSync(directory, { recursive: true })
})

/** Another process that can take the lock. */
class Holder {
  readonly child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>

  private constructor() {
    const script = fileURLToPath(new URL('./lock-holder.ts', import.meta.url))
    this.child = spawn(process.execPath, ['--no-warnings', script, directory])
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  /** Resolves when the process is up, before it has tried. */
  static async start(): Promise<Holder> {
    const holder = new Holder()
    processes.push(holder)
    await holder.#lines.next()
    return holder
  }

  async take(): Promise<string> {
    this.child.stdin.write('go\n')
    return (await this.#lines.next()).value
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    this.child.kill('SIGKILL')
    await once(this.child, 'exit')
  }
}

const take = () => acquireLock(nodeFiles, directory)

test('a held directory is refused, with the holder named, in this process too', async () => {
  const held = await take()
  await expect(take()).rejects.toThrow(StoreLocked)
  await expect(take()).rejects.toThrow(
    `The data directory ${directory} is in use by process ${process.pid}. Stop that process first`,
  )
  await held.release()
  expect(readdirSync(directory)).toEqual([])
  await (await take()).release()
})

test('a directory under another name is the same directory', async () => {
  const held = await take()
  const alias = `${directory}-alias`
  symlinkSync(directory, alias)
  await expect(acquireLock(nodeFiles, alias)).rejects.toThrow(StoreLocked)
  rmSync(alias)
  await held.release()
})

describe('between processes', () => {
  test('the second is refused while the first lives, and takes over at once when it was killed', async () => {
    const holder = await Holder.start()
    expect(await holder.take()).toBe('holds')
    await expect(take()).rejects.toMatchObject({ pid: holder.child.pid, directory })
    await holder.kill()
    expect(readdirSync(directory)).toEqual(['pds.lock'])
    await (await take()).release()
  })

  test('of many that find the lock of a dead one, exactly one gets it', async () => {
    const dead = await Holder.start()
    await dead.take()
    await dead.kill()
    const takers = await Promise.all(Array.from({ length: 5 }, () => Holder.start()))
    const answers = await Promise.all(takers.map((taker) => taker.take()))
    const winner = takers[answers.indexOf('holds')]
    expect(answers.filter((answer) => answer !== 'holds')).toEqual(
      Array(4).fill(`locked by ${winner?.child.pid}`),
    )
    expect(readdirSync(directory)).toEqual(['pds.lock'])
  })
})

describe('a lock that is nobody’s', () => {
  test.each([
    ['of an earlier life of this pid', `pds.lock.${process.pid}.boot-1.token`],
    ['of a pid that is not in use', 'pds.lock.4194999.boot-1.token'],
    ['that a power cut left empty', ''],
    ['that is no lock at all', 'hello'],
  ])('%s is taken over', async (_, content) => {
    writeFileSync(lock, content)
    const held = await take()
    expect(readFileSync(lock, 'utf8')).toContain(`pds.lock.${process.pid}.`)
    await held.release()
  })

  test.runIf(process.platform === 'linux')(
    'of a pid that another program has now is taken over',
    async () => {
      writeFileSync(lock, `pds.lock.${process.ppid}.boot-1.token`)
      await (await take()).release()
    },
  )

  test('claims of processes that died while taking it are cleared away', async () => {
    writeFileSync(join(directory, 'pds.lock.4194999.boot-1.token'), '')
    const held = await take()
    expect(readdirSync(directory)).toEqual(['pds.lock'])
    await held.release()
  })
})
