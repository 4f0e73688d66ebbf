import { expect, test } from 'vitest'
import { displayNameOf, handleOf, nameOf } from '../../../renderer/api/names.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

test('names: the display name, else the handle, else the DID', () => {
  expect(nameOf({ did, handle: 'alice.test', displayName: 'Alice' })).toBe('Alice')
  expect(nameOf({ did, handle: 'alice.test', displayName: ' \u202E ' })).toBe('alice.test')
  expect(nameOf({ did, handle: 'handle.invalid' })).toBe(did)
  expect(handleOf({ did, handle: 'alice.test' })).toBe('alice.test')
})

test.each([
  ['direction overrides and isolates', 'Al\u202Eice\u2066\u2069\u200F', 'Alice'],
  ['line breaks and other controls', 'Al\nice\u0000\u0007\t ', 'Al ice'],
  ['invisible characters', '\u200BAlice\uFEFF', 'Alice'],
  ['stacked marks', `A${'\u0301'.repeat(50)}lice`, `A${'\u0301'.repeat(4)}lice`],
  ['letters of several characters', '👩‍👩‍👧 नमस्ते', '👩‍👩‍👧 नमस्ते'],
])('display names: %s', (_, displayName, shown) => {
  expect(displayNameOf({ displayName })).toBe(shown)
})

test('display names: long ones are cut between letters', () => {
  expect(displayNameOf({ displayName: '👩‍👩‍👧'.repeat(100) })).toBe(`${'👩‍👩‍👧'.repeat(64)}…`)
})
