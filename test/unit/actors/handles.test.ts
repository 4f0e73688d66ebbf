import { expect, test } from 'vitest'
import { hostHandle } from '../../../server/actors/handles.ts'

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
