/** Keys that other ones replaced stay kept. */
import { expect, test } from 'vitest'
import {
  type CredentialsKeeper,
  changeCredentials,
  readCredentials,
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
  expect(await readCredentials(keeper)).toEqual({ key: 'first', places, earlierKeys: ['second'] })
})
