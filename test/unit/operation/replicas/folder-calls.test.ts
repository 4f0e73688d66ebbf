/** Calls of folders, of which some hang. */
import { afterEach, expect, test, vi } from 'vitest'
import {
  createFolderCalls,
  exitDespiteHangs,
} from '../../../../server/operation/replicas/places/folder-calls.ts'

afterEach(() => vi.restoreAllMocks())

const hanging = () => new Promise<never>(() => {})
const unreachable = { kind: 'unreachable', message: expect.stringContaining('does not respond') }

test('a folder that hangs keeps one thread, and is reported', async () => {
  const calls = createFolderCalls({ most: 3, hangMs: 1 })
  const first = calls.run('/a', hanging)
  const begun: string[] = []
  const second = calls.run('/a', async () => void begun.push('second'))
  await expect(first).rejects.toMatchObject(unreachable)
  await expect(second).rejects.toMatchObject(unreachable)
  expect(begun).toEqual([])
  expect(calls.running).toBe(1)
})

test('the calls of a folder run one after another, also after one that failed', async () => {
  const calls = createFolderCalls({ most: 3, hangMs: 60_000 })
  const { promise, reject } = Promise.withResolvers<string>()
  const first = calls.run('/a', () => promise)
  const second = calls.run('/a', async () => 'second')
  expect(await calls.run('/b', async () => 'other')).toBe('other')
  reject(new Error('first'))
  await expect(first).rejects.toThrow('first')
  expect(await second).toBe('second')
  expect(calls.running).toBe(0)
})

test('folders that hang leave threads to the server', async () => {
  const calls = createFolderCalls({ most: 2, hangMs: 1 })
  const all = ['/a', '/b', '/c'].map((root) => calls.run(root, hanging))
  for (const call of all) await expect(call).rejects.toMatchObject(unreachable)
  expect(calls.running).toBe(2)
})

test('the process does not wait at its end for a name server that does not respond', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const active = vi.spyOn(process, 'getActiveResourcesInfo').mockReturnValue([])
  const exit = vi.fn()
  exitDespiteHangs(exit)
  expect(exit).toHaveBeenCalledOnce()
  active.mockReturnValue(['GetAddrInfoReqWrap'])
  exitDespiteHangs(exit)
  expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGKILL')
  expect(exit).toHaveBeenCalledOnce()
})
