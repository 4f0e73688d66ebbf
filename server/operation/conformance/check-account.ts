/**
 * The account that a check of this server uses. It is made for the check, belongs to no person, and is deleted after it: by the check,
 * by the next start, or by maintenance.
 *
 * No directory gets its identity, because an entry there would stay. So relays, which cannot verify its events, ignore it.
 */

import type { AccountDeletion } from '../../identity/accounts/delete.ts'
import { normalizeHandle } from '../../identity/accounts/handle.ts'
import { mintIdentity } from '../../identity/accounts/new-identity.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Platform } from '../../platform/platform.ts'
import { emitAccount, emitCommit, emitIdentity } from '../../repository/events/emit.ts'
import { firstCommit } from '../../repository/records/commit.ts'
import type { Repositories } from '../../repository/records/repositories.ts'
import * as repos from '../../repository/tables/repos.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { randomGroups } from '../../util/random.ts'
import { iso } from '../../util/time.ts'

export interface CheckAccount {
  readonly did: string
  readonly handle: string
  readonly password: string
}

export interface CheckAccounts {
  create(): Promise<CheckAccount>
  /** Hides the accounts of all checks for good. */
  hideAll(): Promise<void>
  /** Deletes them. */
  removeAll(): Promise<void>
}

export interface CheckAccountDeps
  extends Pick<Platform, 'config' | 'store' | 'plcOrigin' | 'now'>,
    Pick<Identity, 'secrets' | 'passwords'> {
  readonly repositories: Pick<Repositories, 'newKey'>
  readonly accountDeletion: AccountDeletion
}

export function createCheckAccounts(deps: CheckAccountDeps): CheckAccounts {
  const { config, store, now, passwords, repositories, accountDeletion } = deps

  async function hideAll(): Promise<void> {
    if (accounts.temporary(store).length === 0) return
    await store.transact((tx) => {
      for (const did of accounts.temporary(tx)) accountDeletion.hide(tx, did, now())
    })
  }

  return {
    hideAll,
    async create() {
      const handle = normalizeHandle(`check-${randomGroups(1, 8)}${config.userDomains[0]}`)
      const password = randomGroups(4, 8)
      const passwordHash = await passwords.hash(password, 'this server')
      const identity = await mintIdentity(deps, handle, undefined)
      const { did, signingKey } = identity
      const repository = firstCommit({ did, rev: repositories.newKey() }, signingKey)
      await store.transact((tx) => {
        const at = now()
        const others = { email: null, isOwner: false, inviteCode: null, createdAt: iso(at) }
        accounts.insert(tx, { ...identity, ...others, handle, passwordHash })
        accounts.setTemporary(tx, did, iso(at))
        repos.insert(tx, did, repository.head, repository.blocks)
        emitIdentity(tx, did, at)
        emitAccount(tx, did, at)
        emitCommit(tx, repository.event, at)
      })
      return { did, handle, password }
    },
    async removeAll() {
      await hideAll()
      await accountDeletion.finish({ email: null })
    },
  }
}
