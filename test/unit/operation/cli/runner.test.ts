import { expect, test } from 'vitest'
import { createRunner } from '../../../../server/operation/cli/runner.ts'
import type { RunningServer } from '../../../../server/server.ts'

/** Runs servers of which some do not start or close. @param faults the error of each start; undefined for none */
function runnerWith(faults: readonly (Error | undefined)[], close = async () => {}) {
  const rest = [...faults]
  const failures: unknown[] = []
  let started = 0
  const runner = createRunner(
    async () => {
      const fault = rest.shift()
      if (fault) throw fault
      started += 1
      return { port: 1234, proxyPort: undefined, close } as Partial<RunningServer> as RunningServer
    },
    (error) => failures.push(error),
  )
  return { runner, failures, started: () => started }
}

const damaged = new Error('damaged')

test('a server that does not start after the work starts again once it is undone', async () => {
  const { runner, failures, started } = runnerWith([undefined, damaged, undefined])
  await runner.start()
  const undone: string[] = []
  const work = runner.whileStopped(
    async () => 'restored',
    async (done) => undone.push(done),
  )
  await expect(work).rejects.toBe(damaged)
  expect(undone).toEqual(['restored'])
  expect(started()).toBe(2)
  expect(failures).toEqual([])
})

test('work is not undone because another program has taken the port', async () => {
  const taken = Object.assign(new Error('in use'), { code: 'EADDRINUSE' })
  const { runner, failures } = runnerWith([undefined, taken])
  await runner.start()
  const undone: string[] = []
  await runner.whileStopped(
    async () => 'restored',
    async (done) => undone.push(done),
  )
  expect(undone).toEqual([])
  expect(failures).toEqual([taken])
})

test('a server that starts neither with the work nor without it ends the process', async () => {
  const { runner, failures } = runnerWith([undefined, damaged, damaged])
  await runner.start()
  const work = runner.whileStopped(
    async () => {},
    async () => {},
  )
  await expect(work).rejects.toBe(damaged)
  expect(failures).toEqual([damaged])
})

test('a stop does not wait for the work, which the next start finishes or leaves', async () => {
  const { runner, started } = runnerWith([])
  await runner.start()
  const working = Promise.withResolvers<void>()
  const { promise: restored, resolve: finish } = Promise.withResolvers<string>()
  const work = runner.whileStopped(() => {
    working.resolve()
    return restored
  })
  await working.promise
  expect(await runner.stop()).toBe('interrupted')
  finish('restored')
  expect(await work).toBe('restored')
  expect(started()).toBe(1)
})

test('work does not begin once the process ends', async () => {
  const { promise: closed, resolve: finish } = Promise.withResolvers<void>()
  const closing = Promise.withResolvers<void>()
  const { runner, started } = runnerWith([], () => {
    closing.resolve()
    return closed
  })
  await runner.start()
  let isDone = false
  const work = runner.whileStopped(async () => {
    isDone = true
  })
  await closing.promise
  const stopped = runner.stop()
  finish()
  await expect(work).rejects.toThrow('The server is stopped')
  expect(await stopped).toBe('stopped')
  expect(isDone).toBe(false)
  expect(started()).toBe(1)
})

test('a server that cannot be closed starts again, and the work is left', async () => {
  const full = new Error('no space')
  const { runner, failures, started } = runnerWith([], () => Promise.reject(full))
  await runner.start()
  let isDone = false
  const work = runner.whileStopped(async () => {
    isDone = true
  })
  await expect(work).rejects.toBe(full)
  expect(isDone).toBe(false)
  expect(started()).toBe(2)
  expect(failures).toEqual([])
})
