import { setTimeout as realSleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { createLogicalClock, type LogicalClock } from '../../../../server/testing/seed/logical-clock.ts'

const start = new Date('2030-01-01T00:00:00.000Z')
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

let clock: LogicalClock
let runs: string[] = []

function begin(options: Partial<Parameters<typeof createLogicalClock>[0]> = {}): LogicalClock {
  runs = []
  clock = createLogicalClock({ start, ...options })
  return clock
}

const msPassed = () => clock.now().getTime() - start.getTime()
const note = (name: string) => () => void runs.push(`${name} ${msPassed()}`)

afterEach(() => clock.close())

test('the clock stands still until it is moved', async () => {
  begin().setTimeout(note('timer'), 5)
  await realSleep(20)
  expect([clock.now(), clock.time(), clock.elapsed(), runs]).toEqual([start, start, 0, []])
  clock.tick()
  expect([msPassed(), clock.elapsed()]).toEqual([1, 1])
})

test('timers run in the order of their due times, then of their starts, at their time', async () => {
  begin()
  for (const [name, ms] of Object.entries({ c: 30, a: 10, b: 20, b2: 20, late: 41 })) {
    clock.setTimeout(note(name), ms)
  }
  clock.setInterval(note('interval'), 15)
  await clock.advance(40)
  expect(runs).toEqual(['a 10', 'b 20', 'b2 20', 'c 30', 'interval 30'])
  expect(msPassed()).toBe(40)
})

test('timers that a timer starts run in the same move', async () => {
  begin().setTimeout(() => {
    runs.push('first')
    clock.setTimeout(note('second'), 10)
    clock.setTimeout(note('third'), 100)
  }, 10)
  await clock.advance(50)
  expect(runs).toEqual(['first', 'second 20'])
})

test('a timer that was cleared does not run, one that was refreshed runs later', async () => {
  begin()
  const cleared = clock.setTimeout(note('cleared'), 10)
  const refreshed = clock.setTimeout(note('refreshed'), 10).unref()
  const interval = clock.setInterval(note('interval'), 10)
  await clock.advance(5)
  clock.clearTimeout(cleared)
  clock.clearInterval(interval)
  clock.clearTimeout(undefined)
  refreshed.refresh()
  await clock.advance(50)
  expect(runs).toEqual(['refreshed 15'])
})

test('a timer waits until the work of the one before has ended', async () => {
  let running = Promise.resolve()
  begin({ settle: () => running })
  const work = (name: string) => () => {
    running = realSleep(10).then(note(name))
  }
  clock.setTimeout(work('one'), 1)
  clock.setTimeout(work('two'), 2)
  await clock.advance(3)
  expect(runs).toEqual(['one 1', 'two 2'])
})

test('work that waits for the clock itself does not stop a move', { timeout: 20_000 }, async () => {
  let running: Promise<unknown> = Promise.resolve()
  begin({ settle: () => running })
  clock.setTimeout(() => {
    running = new Promise<void>((resolve) => clock.setTimeout(resolve, 30 * second)).then(note('work'))
  }, second)
  await clock.advance(minute)
  await running
  expect(runs.length).toBe(1)
})

test('moves run one after the other', async () => {
  begin().setTimeout(note('timer'), 15)
  await Promise.all([clock.advance(10), clock.advance(10)])
  expect([runs, msPassed()]).toEqual([['timer 15'], 20])
})

test('an hour misses no run of a minute job', async () => {
  begin().setInterval(note('job'), minute)
  await clock.advance(hour)
  expect(runs).toEqual(Array.from({ length: 60 }, (_, index) => `job ${(index + 1) * minute}`))
})

test('a year runs each interval some sixty times, the last time at its end, in steps of less than a week', async () => {
  begin()
  const times: number[] = []
  clock.setInterval(() => times.push(msPassed()), minute)
  for (let job = 0; job < 30; job++) clock.setInterval(note('job'), minute / 4)
  await clock.advance(365 * day)
  expect(runs.length).toBeLessThan(30 * 65)
  expect(times.length).toBeGreaterThanOrEqual(60)
  expect(times.length).toBeLessThanOrEqual(64)
  expect(times.at(-1)).toBe(365 * day)
  const steps = times.map((time, index) => time - (times[index - 1] ?? 0))
  expect(Math.max(...steps)).toBeLessThanOrEqual(6 * day + minute)
  expect(msPassed()).toBe(365 * day)
})

test('daily jobs run in a move of a year, at times that they fall due', async () => {
  begin().setInterval(note('daily'), day)
  await clock.advance(365 * day)
  const times = runs.map((run) => Number(run.split(' ')[1]))
  expect(times.at(-1)).toBe(365 * day)
  expect(times.every((time) => time % day === 0)).toBe(true)
})

test('a retry that starts itself again does not run for each second of a year', async () => {
  begin()
  const retry = () => {
    runs.push('retry')
    clock.setTimeout(retry, second)
  }
  clock.setTimeout(retry, second)
  clock.setTimeout(note('last'), 365 * day)
  await clock.advance(365 * day)
  expect(runs.length).toBeLessThan(5000)
  expect(runs).toContain(`last ${365 * day}`)
})

test('a timer without delay, and one that a tick makes due, run in the next turns of the event loop', async () => {
  begin().setTimeout(note('now'), 0)
  clock.setTimeout(note('next'), 1)
  await realSleep(20)
  expect(runs).toEqual(['now 0'])
  clock.tick()
  expect(runs).toEqual(['now 0'])
  await realSleep(20)
  expect(runs).toEqual(['now 0', 'next 1'])
})

test.each([false, true])(
  'one that waits runs nothing until it begins; follows the machine: %s',
  async (follows) => {
    begin({ waits: true, runs: follows }).setTimeout(note('timer'), 0)
    await realSleep(20)
    expect([msPassed(), clock.elapsed(), runs]).toEqual([0, 0, []])
    clock.begin()
    await vi.waitFor(() => expect(runs).toHaveLength(1))
  },
)

test('set moves the clock to a time, and sets it back without a loss of timers', async () => {
  begin().setTimeout(note('timer'), 10)
  await clock.set(new Date(start.getTime() - day))
  expect([msPassed(), clock.elapsed(), runs]).toEqual([-day, 0, []])
  await clock.set(new Date(start.getTime() - day + 10))
  expect(runs).toEqual([`timer ${-day + 10}`])
})

test('an error of a timer rejects the move, and the next one goes on', async () => {
  begin().setTimeout(() => {
    throw new Error('of a timer')
  }, 10)
  clock.setTimeout(note('later'), 20)
  await expect(clock.advance(50)).rejects.toThrow('of a timer')
  expect(msPassed()).toBe(10)
  await clock.advance(10)
  expect(runs).toEqual(['later 20'])
})

test('a clock that runs follows the machine: timers fall due by themselves, and by moves', async () => {
  begin({ runs: true })
  clock.setTimeout(() => runs.push('soon'), 20)
  clock.setTimeout(() => runs.push('tomorrow'), day)
  await expect.poll(() => runs).toEqual(['soon'])
  expect(msPassed()).toBeGreaterThanOrEqual(20)
  await clock.advance(day)
  expect(runs).toEqual(['soon', 'tomorrow'])
  expect(msPassed()).toBeGreaterThanOrEqual(day + 20)
  const interval = clock.setInterval(() => runs.push('again'), 10)
  await expect.poll(() => runs.filter((run) => run === 'again').length).toBeGreaterThan(1)
  clock.clearInterval(interval)
})

test('a closed clock runs nothing any more', async () => {
  begin({ runs: true }).setTimeout(note('timer'), 5)
  clock.close()
  clock.setTimeout(note('later'), 5)
  await realSleep(30)
  expect(runs).toEqual([])
})

test('a simulated clock runs timers of the same time together, and then waits until all has ended', async () => {
  const settle = async () => {
    await realSleep(5)
    runs.push('settled')
  }
  begin({ isSimulated: true, settle })
  const ended = clock.setTimeout(note('ended'), 30)
  clock.setInterval(note('interval'), 10)
  clock.setTimeout(async () => {
    clock.clearTimeout(ended)
    await undefined
    runs.push('continued')
  }, 10)
  clock.setTimeout(note('other'), 10)
  await clock.advance(30)
  expect(runs).toEqual(['continued', 'other 10', 'settled', 'interval 30', 'settled'])
})
