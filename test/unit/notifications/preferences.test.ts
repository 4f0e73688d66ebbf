import { describe, expect, test } from 'vitest'
import { defaultPreferences, preferencesOf, wantedBy } from '../../../server/notifications/preferences.ts'
import { reasons } from '../../../server/notifications/reasons.ts'

const off = { include: 'all', list: false, push: false } as const

describe('what is wanted', () => {
  test('is everything from everyone by default', () => {
    expect(wantedBy(defaultPreferences, 'list')).toEqual({ followed: reasons, others: reasons })
    expect(wantedBy(defaultPreferences, 'push')).toEqual({ followed: reasons, others: reasons })
  })

  test('listed and pushed are chosen apart', () => {
    const preferences = { ...defaultPreferences, like: { ...off, push: true }, quote: { ...off, list: true } }
    expect(wantedBy(preferences, 'list').others).toEqual(reasons.filter((reason) => reason !== 'like'))
    expect(wantedBy(preferences, 'push').others).toEqual(reasons.filter((reason) => reason !== 'quote'))
  })

  test('from followed accounts only, by preference or by priority', () => {
    const preferences = {
      ...defaultPreferences,
      like: { include: 'follows', list: true, push: true } as const,
    }
    const only = ['like', 'repost', 'nonsense']
    expect(wantedBy(preferences, 'list', { reasons: only })).toEqual({
      followed: ['like', 'repost'],
      others: ['repost'],
    })
    expect(wantedBy(preferences, 'list', { reasons: only, priority: true })).toEqual({
      followed: ['like', 'repost'],
      others: [],
    })
  })

  test('contact matches have no preference that hides them', () => {
    const none = Object.fromEntries(Object.keys(defaultPreferences).map((key) => [key, off]))
    expect(wantedBy({ ...defaultPreferences, ...none }, 'list').others).toEqual(['contact-match'])
  })
})

test('what was chosen before a kind was known leaves that kind at its default', () => {
  const like = { include: 'follows', list: true, push: false }
  const row = { preferences: JSON.stringify({ like }) }
  const db = { get: <Row>() => row as Row, all: () => [] }
  expect(preferencesOf(db, 'did:web:alice.test')).toEqual({ ...defaultPreferences, like })
})
