/** Keys that other ones replaced stay kept. */
import { expect, test } from 'vitest'
import {
  type CredentialsKeeper,
  changeCredentials,
  readCredentials,
  takeKeyBack,
} from '../../../../server/operation/replicas/credentials.ts'

function keeperOf(kept: object): CredentialsKeeper {
  let text = JSON.stringify(kept)
  return {
    read: async () => text,
    async write(changed) {
      text = changed
    },
  }
}

test('a key that another one replaces stays among the earlier keys, as do the passwords of places', async () => {
  const places = { 's3://bucket': { password: 'secret' } }
  const keeper = keeperOf({ key: 'first', places })
  await changeCredentials(keeper, { key: 'second' })
  await changeCredentials(keeper, { places: {} })
  await changeCredentials(keeper, { key: 'first', places })
  expect(await readCredentials(keeper)).toEqual({ key: 'first', places, earlierKeys: ['first', 'second'] })
})

test('an undo of a restore uses the key of before again, and the undo of the undo the other one', async () => {
  const keeper = keeperOf({ key: 'ours' })
  await changeCredentials(keeper, { key: 'theirs' }, 'replaced-1')
  expect(await takeKeyBack(keeper, 'replaced-0', 'replaced-2')).toBe(false)
  expect(await takeKeyBack(keeper, 'replaced-1', 'replaced-2')).toBe(true)
  expect(await readCredentials(keeper)).toMatchObject({ key: 'ours', earlierKeys: ['ours', 'theirs'] })
  expect(await takeKeyBack(keeper, 'replaced-2', 'replaced-3')).toBe(true)
  expect((await readCredentials(keeper)).key).toBe('theirs')
})
