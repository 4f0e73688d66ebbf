import { expect, test } from 'vitest'
import { readHead } from '../../../../server/operation/replicas/lease.ts'

const read = (head: string) => readHead({ get: async () => Buffer.from(head) })

test('names the key of the copies', async () => {
  expect(await read('{"format":1,"key":"a key"}')).toEqual({ key: 'a key' })
})

test.each([0, 1, 2, 3, 4, 5, 6, 7])('a flipped bit %i in the number of its format is damage', async (bit) => {
  const digit = String.fromCharCode('1'.charCodeAt(0) ^ (1 << bit))
  await expect(read(`{"format":${digit},"key":"a key"}`)).rejects.toMatchObject({ kind: 'damaged' })
})

test('one of a newer version is named', async () => {
  const head = '{"format":2,"formatAgain":2,"key":"a key"}'
  await expect(read(head)).rejects.toThrow('A newer version of this program made the copy')
})
