/** Quitting, with the events of Electron emitted directly. */
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLogger } from '../../../../server/util/log.ts'

const electron = vi.hoisted(() => ({ app: {} as never, powerMonitor: {} as never }))
vi.mock('electron', () => electron)

const log = createLogger('silent')
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
let calls: string[]
let app: EventEmitter
let powerMonitor: EventEmitter
const existing = signals.map((signal) => process.listeners(signal))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  calls = []
  powerMonitor = new EventEmitter()
  app = Object.assign(new EventEmitter(), {
    quit: () => void calls.push('quit'),
    exit: () => void calls.push('exit'),
  })
  Object.assign(electron, { app, powerMonitor })
})
afterEach(() => {
  vi.useRealTimers()
  for (const [index, signal] of signals.entries()) {
    for (const listener of process.listeners(signal)) {
      if (!existing[index]?.includes(listener)) process.off(signal, listener)
    }
  }
})

const preventable = () => ({ preventDefault: () => void calls.push('prevented') })
const { setupQuit } = await import('../../../../electron/server/quit.ts')

test('a system shutdown waits for the cleanup, then exits', async () => {
  const { setQuestion } = setupQuit({ finish: async () => void calls.push('finished'), log })
  setQuestion(async () => false)
  powerMonitor.emit('shutdown', preventable())
  await vi.waitFor(() => expect(calls).toEqual(['prevented', 'finished', 'exit']))
})

test('a system shutdown exits within 4.5 s when the cleanup hangs', async () => {
  const { setQuestion } = setupQuit({ finish: () => new Promise(() => {}), log })
  setQuestion(async () => false)
  powerMonitor.emit('shutdown', preventable())
  await vi.advanceTimersByTimeAsync(4400)
  expect(calls).toEqual(['prevented'])
  await vi.advanceTimersByTimeAsync(200)
  expect(calls).toEqual(['prevented', 'exit'])
})

test('a refused quit can be requested again', async () => {
  const responses = [false, true]
  const { setQuestion } = setupQuit({ finish: async () => void calls.push('finished'), log })
  setQuestion(async () => responses.shift() ?? false)
  app.emit('before-quit', preventable())
  await vi.waitFor(() => expect(responses).toEqual([true]))
  await new Promise(setImmediate)
  expect(calls).toEqual(['prevented'])
  app.emit('before-quit', preventable())
  await vi.waitFor(() => expect(calls).toEqual(['prevented', 'prevented', 'finished', 'quit']))
})

test('the cleanup runs once, and quits even if it fails', async () => {
  let runs = 0
  const finish = async () => {
    runs++
    throw new Error('disk full')
  }
  const { end, quit, isQuitting } = setupQuit({ finish, log })
  expect(isQuitting()).toBe(false)
  end()
  end()
  quit()
  expect(isQuitting()).toBe(true)
  await vi.waitFor(() => expect(calls.filter((one) => one === 'quit')).toHaveLength(3))
  expect(runs).toBe(1)
})
