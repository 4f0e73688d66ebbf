import { app } from '../../../../../lexicons/generated/index.ts'
import * as actors from '../../../../platform/store/tables/actors.ts'
import * as drafts from '../../../../platform/store/tables/drafts.ts'
import { iso } from '../../../../platform/util/time.ts'
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
