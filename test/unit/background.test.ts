import { expect, test } from 'vitest'
import { createBackground } from '../../server/jobs/background.ts'
import { createLogger } from '../../server/util/log.ts'

const log = createLogger('silent')

test('an answer under way leaves before work in the background begins', async () => {
  const background = createBackground(log)
  const events: string[] = []
  background.run('work', async () => events.push('work'))
  // What an answer waits for at this point are promises that are kept already.
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  events.push('answer')
  await background.idle()
  expect(events).toEqual(['answer', 'work'])
})

test('idle waits for all work, also for what work begins and what fails', async () => {
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
