import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { periodicJobs } from '../../../../../server/operation/jobs/jobs.ts'
import { startJobs } from '../../../../../server/operation/jobs/scheduler.ts'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { listBackups } from '../../../../../server/operation/replicas/local/list.ts'
import { day, hour, minute } from '../../../../support/server/clock.ts'
import { server, setupServer } from '../../../../support/server/setup.ts'

setupServer({ per: 'test' })
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('daily backup: runs a minute after the start, and then a day after the last backup', async () => {
  const { services } = server.running
  const made = async (ms: number) => {
    server.clock.advance(ms)
    vi.advanceTimersByTime(ms)
    await services.background.idle()
    return (await listBackups(server.config.dataDir)).length
  }
  const jobs = periodicJobs(services).filter(({ name }) => name === 'daily backup')
  expect(jobs).toHaveLength(1)
  const stop = startJobs(jobs, services.background)
  expect(await made(minute - 1)).toBe(0)
  expect(await made(1)).toBe(1)
  expect(await made(day - hour)).toBe(1)
  expect(await made(hour)).toBe(2)
  expect(await made(hour)).toBe(2)
  const { now } = server.clock
  await makeBackup({ dataDir: server.config.dataDir, now, store: services.store })
  expect(await made(day - hour)).toBe(3)
  expect(await made(hour)).toBe(4)
  stop()
  startJobs(jobs, services.background)()
  expect(await made(2 * day)).toBe(4)
})
