import { com } from '../../../../../lexicons/generated/index.ts'
import { reserveKey } from '../../../../identity/accounts/reserved-keys.ts'
import * as reservedKeys from '../../../../identity/tables/reserved-keys.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { createSigningKey } from '../../../../util/keys.ts'
import { method } from '../../../method.ts'

export const reserveSigningKey = method(com.core.server.reserveSigningKey, {
  auth: 'none',
  limits: [hourly(20, 'address')],
  async handler({ input, caller, config, store, now, fail }) {
    if (caller.isForeignPage && config.publicUrl === undefined) {
      throw fail('Forbidden', 'Pages of other sites cannot reserve keys on this server')
    }
    const { did } = input
    const fresh = await createSigningKey()
    const key = await store.transact((tx) => {
      if (accounts.findByDid(tx, did))
        throw fail('InvalidRequest', 'This DID already has an account on this server')
      const reserved = reservedKeys.find(tx, did)
      if (!reserved) reserveKey(tx, did, fresh, now())
      return reserved ?? fresh
    })
    return { signingKey: key.did }
  },
})
