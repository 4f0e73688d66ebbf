import { expect, test } from 'vitest'
import { com } from '../../lexicons/generated/index.ts'

test('lexicons are generated', () => {
  expect(com.core.server.createAppPassword.$nsid).toBe('com.core.server.createAppPassword')
})
