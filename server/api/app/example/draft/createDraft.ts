import { app } from '../../../../../lexicons/generated/index.ts'
import * as drafts from '../../../../app/tables/drafts.ts'
import * as actors from '../../../../store/tables/actors.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

/** Drafts of an account. */
const limit = 200

export const createDraft = method(app.example.draft.createDraft, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, repository: { repositories }, now, fail }) {
    const id = repositories.newKey()
    store.assertRoom()
    await store.transact((tx) => {
      const account = actors.idOf(tx, auth.did)
      if (account === undefined) return
      if (drafts.count(tx, account) >= limit) {
        throw fail('DraftLimitReached', `An account can have ${limit} drafts. Delete some first.`)
      }
      drafts.add(tx, account, { id, draft: JSON.stringify(input.draft), at: iso(now()) })
    })
    return { id }
  },
})
