import { describe, expect, test } from 'vitest'
import {
  defaultPreferences,
  preferencesOf,
  wantedBy,
} from '../../../../server/app/notifications/preferences.ts'
import { reasons } from '../../../../server/app/tables/reasons.ts'

const off = { include: 'all', list: false, push: false } as const

describe('wantedBy', () => {
  test('by default every reason from everyone is wanted', () => {
    expect(wantedBy(defaultPreferences, 'list')).toEqual({ followed: reasons, others: reasons })
    expect(wantedBy(defaultPreferences, 'push')).toEqual({ followed: reasons, others: reasons })
  })

  test('list and push are independent', () => {
    const preferences = { ...defaultPreferences, like: { ...off, push: true }, quote: { ...off, list: true } }
    expect(wantedBy(preferences, 'list').others).toEqual(reasons.filter((reason) => reason !== 'like'))
    expect(wantedBy(preferences, 'push').others).toEqual(reasons.filter((reason) => reason !== 'quote'))
  })

  test('include "follows" and priority exclude authors that are not followed', () => {
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

  test('contact-match cannot be disabled', () => {
    const none = Object.fromEntries(Object.keys(defaultPreferences).map((key) => [key, off]))
    expect(wantedBy({ ...defaultPreferences, ...none }, 'list').others).toEqual(['contact-match'])
  })
})

test('preferencesOf: stored preferences without a newer reason return its default', () => {
  const like = { include: 'follows', list: true, push: false }
  const row = { preferences: JSON.stringify({ like }) }
  const db = { get: <Row>() => row as Row, all: () => [] }
  expect(preferencesOf(db, 'did:web:alice.test')).toEqual({ ...defaultPreferences, like })
})
