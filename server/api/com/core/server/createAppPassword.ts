import { com } from '../../../../../lexicons/generated/index.ts'
import {
  generateAppPassword,
  hashAppPassword,
  permissionsOf,
} from '../../../../identity/auth/app-passwords.ts'
import * as appPasswords from '../../../../identity/tables/app-passwords.ts'
import { existingAccount } from '../../../../repository/access/existing.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

const maxPerAccount = 100

export const createAppPassword = method(com.core.server.createAppPassword, {
  auth: 'full',
  active: true,
  async handler({ input, auth, store, identity: { secrets }, now, fail }) {
    const name = input.name.trim()
    if (name === '' || [...name].length > 64) {
      throw fail('InvalidRequest', 'The name of an app password must have 1 to 64 characters')
    }
    const permissions = permissionsOf(input.limit)
    if (permissions === undefined || (permissions !== null && input.privileged)) {
      throw fail(
        'InvalidRequest',
        'limit must be readOnly, postsOnly or noDeletion, of an app password without privileges',
      )
    }
    const password = generateAppPassword()
    const hash = hashAppPassword(secrets, password)
    const createdAt = iso(now())
    const privileged = input.privileged ?? false
    await store.transact((tx) => {
      existingAccount(tx, auth.did)
      if (appPasswords.exists(tx, auth.did, name)) {
        throw fail(
          'DuplicateAppPassword',
          'An app password with this name exists already. Choose another name.',
        )
      }
      if (appPasswords.count(tx, auth.did) >= maxPerAccount) {
        throw fail(
          'TooManyAppPasswords',
          `An account can have ${maxPerAccount} app passwords at most. Revoke one first.`,
        )
      }
      appPasswords.insert(tx, { did: auth.did, name, hash, privileged, createdAt, permissions })
    })
    return { name, password, createdAt, privileged, limit: input.limit }
  },
})
