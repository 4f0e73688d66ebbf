import { app } from '../../../../../lexicons/generated/index.ts'
import * as drafts from '../../../../app/tables/drafts.ts'
import * as actors from '../../../../store/tables/actors.ts'
import { method } from '../../../method.ts'

export const deleteDraft = method(app.example.draft.deleteDraft, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store }) {
    await store.transact((tx) => {
      const account = actors.idOf(tx, auth.did)
      if (account !== undefined) drafts.remove(tx, account, input.id)
    })
  },
})
