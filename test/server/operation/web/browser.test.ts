/** A browser that opens any path gets the interface; a program gets the JSON error. */
import { describe, expect, test } from 'vitest'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer()

/** The Accept header with which Chromium, Firefox and Safari request a page. */
const navigation = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const open = (path: string, init: RequestInit = {}) =>
  fetch(server.url + path, { headers: navigation, redirect: 'manual', ...init })

describe('a browser is redirected to the interface', () => {
  test.each([
    '/sign-in',
    '/accounting',
    '/settings/sessions?tab=2',
    '/index.htm',
    '/assets/',
    '//elsewhere.example/',
    '/xrpc',
    '/xrpc/',
    '/xrpc/no',
    '/xrpc/com.core.server.noSuchMethod?a=b',
  ])('from %s', async (path) => {
    const answer = await open(path)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/'])
    expect(answer.headers.get('vary')).toBe('Accept')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

test.each(['/account', '/account/', '/account/sign-in?from=app'])(
  'a browser is redirected to the account screen from %s',
  async (path) => {
    const answer = await open(path)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/#/account'])
  },
)

describe('a browser gets the response itself', () => {
  test.each([
    ['/', 200],
    ['/xrpc/_health', 200],
    ['/xrpc/com.core.server.describeServer', 200],
    ['/xrpc/com.core.server.getSession', 401],
    ['/.well-known/nothing', 404],
    ['/.well-known/did.json', 200],
  ])('of %s', async (path, status) => {
    expect((await open(path)).status).toBe(status)
  })
})

describe('a program gets the JSON error', () => {
  const notFound = { status: 404, error: 'PathNotFound' }
  test.each<[string, RequestInit, { status: number; error: string }]>([
    ['/sign-in', { headers: {} }, notFound],
    ['/sign-in', { headers: { accept: '*/*' } }, notFound],
    ['/sign-in', { headers: { accept: 'application/json' } }, notFound],
    ['/sign-in', { method: 'POST' }, notFound],
    ['/xrpc/com.core.server.noSuchMethod', { headers: {} }, { status: 501, error: 'MethodNotImplemented' }],
    [
      '/xrpc/com.core.server.noSuchMethod',
      { method: 'POST' },
      { status: 501, error: 'MethodNotImplemented' },
    ],
    ['/xrpc/no', { headers: { accept: 'application/json' } }, { status: 400, error: 'InvalidRequest' }],
  ])('at %s (%j)', async (path, init, { status, error }) => {
    const answer = await open(path, init)
    expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining({ error })])
  })
})
