/** Threads that read bytes of others, and their limits. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  isOfBytes,
  type Limits,
  readForeignBytes,
  startForeignBytesWorker,
} from '../../../server/util/foreign-bytes.ts'

const serving = new URL('../../../server/util/worker-or-inline.ts', import.meta.url).href
const megabyte = 2 ** 20

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-foreign-'))
  const source = `
    import { serveJobs } from ${JSON.stringify(serving)}
    const kept = []
    const jobs = {
      good: () => 'done',
      values: () => { for (;;) kept.push({ value: kept.length }) },
      buffers: () => { for (;;) kept.push(new Uint8Array(2 ** 20).fill(1)) },
      memories: () => { for (;;) kept.push(new WebAssembly.Memory({ initial: 16 })) },
      time: () => { for (;;); },
      waiting: () => new Promise((resolve) => setTimeout(resolve, 2 ** 30)),
      some: () => { kept.push(new Uint8Array(200 * 2 ** 20).fill(1)); return new Promise(() => {}) },
      disk: () => { throw Object.assign(new Error('full'), { syscall: 'write' }) },
      content: () => { throw new Error('damaged') },
    }
    serveJobs((job) => jobs[job]())
  `
  await writeFile(join(folder, 'reader.mjs'), source)
})
afterAll(() => rm(folder, { recursive: true }))

const options = (limits: Partial<Limits> = {}, file = 'reader.mjs') => ({
  ...{ file: pathToFileURL(join(folder, file)), name: 'reader', limits },
  onUnloadable: () => {},
})
const failureOf = (job: string, ...given: Parameters<typeof options>) =>
  readForeignBytes<string, string>(options(...given), job).then(
    () => undefined,
    (error: Error) => error,
  )

test('a job within the limits returns its result', async () => {
  expect(await readForeignBytes(options(), 'good')).toBe('done')
})

test.each(['values', 'buffers', 'memories'])('a job that allocates %s without end is ended', async (job) => {
  const error = await failureOf(job, { memoryBytes: 64 * megabyte })
  expect(error).toMatchObject({ name: 'LimitExceeded', limit: 'memoryBytes' })
  expect(isOfBytes(error)).toBe(true)
})

test('inline jobs need no thread, and have no limits', async () => {
  const inline = async (job: string) => {
    await setTimeout(50)
    return `${job} inline`
  }
  const unlimited = { ...options({ timeMs: 1, memoryBytes: 1 }, 'missing.mjs'), isInline: true, inline }
  expect(await readForeignBytes(unlimited, 'good')).toBe('good inline')
})

test('a job that never ends is ended', async () => {
  const error = await failureOf('time', { timeMs: 0 })
  expect(error).toMatchObject({ limit: 'timeMs' })
  expect(isOfBytes(error)).toBe(true)
})

test('a job that gets no CPU in its time is ended, which is no fault of the bytes', async () => {
  const error = await failureOf('waiting', { timeMs: 1000 })
  expect(error).toMatchObject({ limit: 'busy' })
  expect(isOfBytes(error)).toBe(false)
})

test('the CPU time of a thread is known while it runs', async () => {
  const worker = startForeignBytesWorker<string, string>(options({ timeMs: 60_000 }))
  expect(await worker.run('good')).toBe('done')
  const job = expect(worker.run('time')).rejects.toThrow('has ended')
  expect(await worker.cpuMs()).toBeGreaterThan(0)
  await worker.end()
  await job
})

test('threads that need too much together: the largest is ended, and may be tried again', async () => {
  const failures = await Promise.race([failureOf('some'), failureOf('some')])
  expect(failures).toMatchObject({ limit: 'shared' })
  expect(isOfBytes(failures)).toBe(false)
})

test('without a thread a job fails, and may be tried again', async () => {
  const error = await failureOf('good', {}, 'missing.mjs')
  expect(error?.message).toContain('need a thread')
  expect(isOfBytes(error)).toBe(false)
})

test('an error of the disk is not attributed to the bytes, damaged content is', async () => {
  expect(isOfBytes(await failureOf('disk'))).toBe(false)
  expect(isOfBytes(await failureOf('content'))).toBe(true)
})

test('a thread that was ended takes no more jobs', async () => {
  const worker = startForeignBytesWorker<string, string>(options({ timeMs: 0 }))
  await expect(worker.run('time')).rejects.toMatchObject({ limit: 'timeMs' })
  await expect(worker.run('good')).rejects.toThrow('has ended')
})
