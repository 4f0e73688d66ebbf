/** Worker threads, and what replaces one that cannot be loaded. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { threadId } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInWorker, startWorker } from '../../../server/util/worker-or-inline.ts'

const util = new URL('../../../server/util/worker-or-inline.ts', import.meta.url).href

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-worker-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The worker of a file, and what it reports. */
async function workerOf(name: string, source: string | undefined) {
  const file = join(folder, `${name}.mjs`)
  if (source !== undefined) await writeFile(file, source)
  const problems: Error[] = []
  const options = {
    file: pathToFileURL(file),
    name,
    inline: (job: string) => {
      if (job === 'fail') throw new Error('failed inline')
      return `${job} in thread ${threadId}`
    },
    onUnloadable: (error: Error) => problems.push(error),
  }
  return { options, problems }
}

/** Starts a worker that replies with its thread and the job. */
async function start(name: string, source: string | undefined) {
  const { options, problems } = await workerOf(name, source)
  return { runner: startWorker<string, string>(options), problems }
}

const serving = `
  import { threadId } from 'node:worker_threads'
  import { serveJobs } from ${JSON.stringify(util)}
  serveJobs((job) => {
    if (job === 'fail') throw Object.assign(new TypeError('failed in the thread'), { file: 'a.sqlite' })
    if (job === 'exit') process.exit(1)
    return job + ' in ' + (threadId === ${threadId} ? 'the same thread' : 'another thread')
  })
`

test('jobs run in the thread, one after the other', async () => {
  const { runner, problems } = await start('good', serving)
  expect(await runner.run('one')).toBe('one in another thread')
  expect(await runner.run('two')).toBe('two in another thread')
  await runner.end()
  expect(problems).toEqual([])
})

test('inline jobs run on the main thread, although there can be a thread', async () => {
  const { options, problems } = await workerOf('inline', serving)
  const runner = startWorker<string, string>({ ...options, isInline: true })
  expect(await runner.run('one')).toBe(`one in thread ${threadId}`)
  await expect(runner.run('fail')).rejects.toThrow('failed inline')
  expect(await runner.memory()).toBeUndefined()
  await runner.end()
  await expect(runner.run('late')).rejects.toThrow('has ended')
  expect(problems).toEqual([])
})

test.each([
  ['missing', undefined],
  ['broken', 'this is no JavaScript'],
  ['importing', `import 'a-package-that-is-not-installed'\n${serving}`],
  ['ending', 'process.exit(0)'],
  ['throwing', `throw new Error('at load')\n`],
])('a %s worker file: jobs run on the main thread, and this is reported once', async (name, source) => {
  const { runner, problems } = await start(name, source)
  expect(await runner.run('one')).toBe(`one in thread ${threadId}`)
  expect(problems.map(({ message }) => message)).toEqual([
    `The ${name} worker cannot be loaded, its jobs run on the main thread`,
  ])
  expect(await runner.run('two')).toBe(`two in thread ${threadId}`)
  await expect(runner.run('fail')).rejects.toThrow('failed inline')

  const again = await start(name, source)
  expect(await again.runner.run('three')).toBe(`three in thread ${threadId}`)
  expect(again.problems).toEqual([])
})

/** Replies like `serving`, unless there is a file beside it: then the thread cannot start. */
const sometimes = (flag: string) => `
  import { existsSync } from 'node:fs'
  if (existsSync(${JSON.stringify(flag)})) throw new Error('too many open files')
  ${serving}
`

test('a file that was loaded before: without a thread its job is refused, and the next one has a thread', async () => {
  const flag = join(folder, 'lacking')
  const { options, problems } = await workerOf('lacking', sometimes(flag))
  expect(await runInWorker(options, 'one')).toBe('one in another thread')
  await writeFile(flag, '')
  await expect(runInWorker(options, 'two')).rejects.toMatchObject({ name: 'NoThread' })
  const runner = startWorker(options)
  await expect(runner.run('three')).rejects.toMatchObject({ name: 'NoThread' })
  await expect(runner.run('four')).rejects.toMatchObject({ name: 'NoThread' })
  await rm(flag)
  expect(await runInWorker(options, 'five')).toBe('five in another thread')
  expect(problems).toEqual([])
})

test('a file that could not be loaded is tried again later', async () => {
  const flag = join(folder, 'late')
  const { options, problems } = await workerOf('late', sometimes(flag))
  await writeFile(flag, '')
  expect(await runInWorker({ ...options, retryMs: 0 }, 'one')).toBe(`one in thread ${threadId}`)
  await rm(flag)
  expect(await runInWorker(options, 'two')).toBe('two in another thread')
  expect(problems.length).toBe(1)
})

test('a job that fails in the thread is not repeated on the main thread', async () => {
  const { runner, problems } = await start('failing', serving)
  await expect(runner.run('fail')).rejects.toMatchObject({
    name: 'TypeError',
    message: 'failed in the thread',
    file: 'a.sqlite',
  })
  expect(await runner.run('next')).toBe('next in another thread')
  await expect(runner.run('exit')).rejects.toThrow('The failing thread has ended')
  await expect(runner.run('next')).rejects.toThrow('The failing thread has ended')
  expect(problems).toEqual([])
})

test('ending a worker rejects its job', async () => {
  const { runner, problems } = await start('ended', serving)
  const job = expect(runner.run('one')).rejects.toThrow('The ended thread has ended')
  await runner.end()
  await job
  expect(problems).toEqual([])
})

test('a signal ends the thread of a job, or keeps it from starting', async () => {
  const { options } = await workerOf('signalled', `${serving}\nsetInterval(() => {}, 1000)`)
  expect(await runInWorker(options, 'one')).toBe('one in another thread')
  const stopping = new AbortController()
  const job = runInWorker(options, 'two', stopping.signal)
  stopping.abort()
  await expect(job).rejects.toThrow('The signalled thread has ended')
  await expect(runInWorker(options, 'three', stopping.signal)).rejects.toThrow('aborted')
})
