/** The end of subscriptions whose sessions have ended, when a part of the sessions is damaged on the disk. */
import { expect, test } from 'vitest'
import { createSessionWatch } from '../../../server/identity/callers/session-watch.ts'
import type { Database } from '../../../server/store/database.ts'
import { StoreDamaged } from '../../../server/store/files/store-errors.ts'

test('a damaged page ends the subscriptions whose sessions it has, and keeps none that was revoked', () => {
  const missing = new Set<string>()
  let damaged: string | undefined
  let change = () => {}
  const store = {
    watch(tables: readonly string[] | 'all', call: () => void) {
      if (tables !== 'all') change = call
      return () => {}
    },
    all(_: string, [json]: [string]) {
      const ids = JSON.parse(json) as string[]
      if (damaged !== undefined && ids.includes(damaged)) throw new StoreDamaged('pds.sqlite', 'is damaged')
      return ids.filter((id) => missing.has(id)).map((id) => ({ id }))
    },
  } as unknown as Database
  const watch = createSessionWatch({ store, now: () => new Date(0) })
  const ended: string[] = []
  const subscribe = (sessionId: string) =>
    watch({ sessionId, expiresAt: 1000 }, ({ name }) => ended.push(`${sessionId} ${name}`))
  const stops = ['damaged', 'revoked', 'other'].map(subscribe)
  expect(ended).toEqual([])

  damaged = 'damaged'
  missing.add('revoked')
  change()
  expect(ended).toEqual(['damaged NotEnoughResources', 'revoked ExpiredToken'])
  for (const stop of stops) stop()
})
