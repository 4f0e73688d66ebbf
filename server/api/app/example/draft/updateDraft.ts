import { app } from '../../../../../lexicons/generated/index.ts'
import * as drafts from '../../../../app/tables/drafts.ts'
import * as actors from '../../../../store/tables/actors.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const updateDraft = method(app.example.draft.updateDraft, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, now }) {
    const { id, draft } = input.draft
    store.assertRoom()
    await store.transact((tx) => {
      const account = actors.idOf(tx, auth.did)
      if (account !== undefined) {
        drafts.replace(tx, account, { id, draft: JSON.stringify(draft), at: iso(now()) })
      }
    })
  },
})
