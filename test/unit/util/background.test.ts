import { expect, test } from 'vitest'
import { createBackground } from '../../../server/util/background.ts'
import { createLogger } from '../../../server/util/log.ts'

const log = createLogger('silent')

test('background: work starts after the current response was sent', async () => {
  const background = createBackground(log)
  const events: string[] = []
  background.run('work', async () => events.push('work'))
  // A response only waits for settled promises at this point.
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  events.push('answer')
  await background.idle()
  expect(events).toEqual(['answer', 'work'])
})

test('background: idle waits for all work, also for work started by work, and for failures', async () => {
  const background = createBackground(log)
  const events: string[] = []
  background.run('outer', async () => {
    events.push('outer')
    background.run('inner', async () => events.push('inner'))
  })
  background.run('broken', () => {
    throw new Error('broken')
  })
  await background.idle()
  expect(events).toEqual(['outer', 'inner'])
})
