/** The interop test vectors: this server's own readers agree with them, as the measurement relies on these. */
import { decode, encode } from '@atproto/lex-cbor'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import {
  isAtUriString,
  isValidDid,
  isValidHandle,
  isValidNsid,
  isValidRecordKey,
  isValidTid,
} from '@atproto/syntax'
import { expect, test } from 'vitest'
import { encoded } from '../../../../server/operation/conformance/vectors/data-model.ts'
import {
  atUris,
  dids,
  handles,
  nsids,
  recordKeys,
  tids,
} from '../../../../server/operation/conformance/vectors/syntax.ts'
import { heights, leaf, proofs } from '../../../../server/operation/conformance/vectors/trees.ts'
import { layerOf } from '../../../../server/repository/format/tree-node.ts'
import { applyChanges, emptyTree } from '../../../../server/repository/records/tree.ts'
import { cborCid } from '../../../../server/util/cid.ts'

test.each([
  ['handles', handles, isValidHandle],
  ['DIDs', dids, isValidDid],
  ['NSIDs', nsids, isValidNsid],
  ['record keys', recordKeys, isValidRecordKey],
  ['TIDs', tids, isValidTid],
  ['AT URIs', atUris, isAtUriString],
] as const)('%s are valid or not, as the vectors have it', (_, { valid, invalid }, isValid) => {
  expect(valid.filter((value) => !isValid(value))).toEqual([])
  expect(invalid.filter((value) => isValid(value))).toEqual([])
  expect(invalid.length).toBeGreaterThan(8)
})

test.each(encoded)('a value has the encoding and the CID $cid', ({ json, cbor, cid }) => {
  const bytes = encode(jsonToLex(json as JsonValue))
  expect(Buffer.from(bytes).equals(Buffer.from(cbor, 'base64'))).toBe(true)
  expect(cborCid(bytes)).toBe(cid)
  expect(decode(bytes)).toBeDefined()
})

test('keys have the layers of the vectors', () => {
  expect(Object.fromEntries(Object.keys(heights).map((key) => [key, layerOf(key)]))).toEqual(heights)
})

test.each(proofs)('$name: the trees before and after have the roots of the vectors', (vector) => {
  const created = (key: string) => ({ key, cid: leaf, prev: undefined })
  const before = applyChanges(emptyTree(), vector.keys.map(created))
  expect(before.cid).toBe(vector.rootBefore)
  const after = applyChanges(before, [
    ...vector.adds.map(created),
    ...vector.dels.map((key) => ({ key, cid: undefined, prev: leaf })),
  ])
  expect(after.cid).toBe(vector.rootAfter)
})
