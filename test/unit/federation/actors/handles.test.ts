/** Handles of actors of other servers: verification, and other names. */
import { describe, expect, test } from 'vitest'
import { hostHandle, isHandleOf } from '../../../../server/federation/actors/handles.ts'
import { createNames } from '../../../../server/platform/config/aliases.ts'
import { testConfig } from '../../../support/server/server.ts'

test.each([
  ['alice.test', 'http://192.168.1.20:2583', 'alice.192-168-1-20-2583.test'],
  ['alice.pds.example', 'https://pds.example', 'alice.pds-example.test'],
  ['alice.test', 'http://[fe80::1]:2583', 'alice.fe80--1--2583.test'],
  ['alice.test', 'https://PDS.Example', 'alice.pds-example.test'],
  // A label has at most 63 characters.
  ['alice.test', `https://${'long.'.repeat(13)}example`, null],
])('the other handle of %s at %s is %s', (handle, host, expected) => {
  expect(hostHandle(handle, host)).toBe(expected)
})

describe('a handle', () => {
  const claim = { did: 'did:web:alice.example', handle: 'alice.test' }
  const away = 'http://127.0.0.1:1'
  const deps = {
    config: testConfig({ dataDir: '' }),
    names: createNames(new Map()),
    upstreamOrigins: () => [away],
    resolveHandle: undefined,
  }

  test('is not looked up at a private address', async () => {
    expect(await isHandleOf(deps, { ...claim, host: 'https://127.0.0.1' })).toBe(false)
  })

  test('of an upstream that is away may be verified later', async () => {
    expect(await isHandleOf(deps, { ...claim, host: away })).toBeUndefined()
  })
})
