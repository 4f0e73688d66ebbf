import { cidForCbor, cidForRawBytes, decodeCid, parseCid } from '@atproto/lex-data'
import { expect, test } from 'vitest'
import { cidBytes, cidText } from '../../../server/util/cid.ts'

test('CIDs of records and blobs: bytes and text agree with the library', async () => {
  for (let n = 0; n < 50; n++) {
    for (const cid of [await cidForCbor(new Uint8Array([n])), await cidForRawBytes(new Uint8Array([n]))]) {
      expect(cidBytes(cid.toString())).toEqual(cid.bytes)
      expect(cidText(cid.bytes)).toBe(cid.toString())
    }
  }
})

test('CIDs of other forms are converted too', () => {
  const old = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'
  const identity = decodeCid(new Uint8Array([1, 0x55, 0, 1, 7]))
  for (const cid of [parseCid(old), identity]) {
    expect(cidBytes(cid.toString())).toEqual(cid.bytes)
    expect(cidText(cid.bytes)).toBe(cid.toString())
  }
})

test.each([
  'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2b',
  'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2!',
  'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2é',
  '',
])('%j is no CID', (text) => {
  expect(() => cidBytes(text)).toThrow()
})
