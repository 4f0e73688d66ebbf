import { expect, test } from 'vitest'
import { appOf, choicesOf, matches, noFilter } from '../../../renderer/screens/requests/filter.ts'

const base = {
  ...{
    id: 1,
    at: '2030-01-01T00:00:00.000Z',
    microseconds: 1500,
    verb: 'GET',
    outputBytes: 2,
    inputCut: false,
  },
  ...{ path: '/xrpc/com.test.it', name: 'com.test.it', status: 200, ownPage: false, params: [] },
} as const
const request = (change: object) => ({ ...base, ...change }) as never

test.each([
  ['the interface of the server', { ownPage: true, client: 'Mozilla/5.0' }, 'This interface'],
  ['an app password', { app: 'Phone', openedWith: 'appPassword', client: 'skeets/1' }, 'Phone'],
  ['an OAuth app', { app: 'https://app.example/client.json', openedWith: 'oauth' }, 'app.example'],
  ['a page', { client: 'Mozilla/5.0 (X11)', origin: 'https://page.example' }, 'https://page.example'],
  ['a program', { client: 'skeets/2.4 (Android)' }, 'skeets'],
  ['a request without a name', {}, 'Unknown app'],
])('app: the name of %s', (_, change, name) => {
  expect(appOf(request(change))).toBe(name)
})

test('filter: this interface is left out until it is chosen', () => {
  const own = request({ ownPage: true })
  expect(matches(own, noFilter)).toBe(false)
  expect(matches(own, { ...noFilter, app: 'This interface' })).toBe(true)
})

test('filter: requests without an account, and by outcome', () => {
  const none = { ...noFilter, account: 'none' }
  expect(matches(request({}), none)).toBe(true)
  expect(matches(request({ did: 'did:web:x' }), none)).toBe(false)
  const outcomes = [200, 400, 502, 101, undefined].map((status) =>
    (['succeeded', 'refused', 'failed'] as const).filter((one) =>
      matches(request({ status }), { ...noFilter, status: one }),
    ),
  )
  expect(outcomes).toEqual([['succeeded'], ['refused'], ['failed'], ['succeeded'], []])
  const ended = request({ status: 101, error: 'FutureCursor' })
  expect(matches(ended, { ...noFilter, status: 'refused' })).toBe(true)
})

test('choices: accounts by handle, and the apps of the requests', () => {
  const { accounts, apps } = choicesOf([
    request({ did: 'did:web:x', handle: 'x.test', client: 'curl/8' }),
    request({}),
  ])
  expect(accounts).toEqual({ '': 'All', 'did:web:x': 'x.test', none: 'Not signed in' })
  expect(Object.keys(apps)).toEqual(['', 'This interface', 'curl', 'Unknown app'])
})
