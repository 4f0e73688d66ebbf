import { app } from '../../../../../lexicons/generated/index.ts'
import * as drafts from '../../../../app/tables/drafts.ts'
import { takePageBy } from '../../../../app/views/find/pages.ts'
import * as actors from '../../../../store/tables/actors.ts'
import { method } from '../../../method.ts'

export const getDrafts = method(app.example.draft.getDrafts, {
  auth: 'access',
  handler({ params, auth, store }) {
    const account = actors.idOf(store, auth.did)
    if (account === undefined) return { drafts: [] }
    const { items, cursor } = takePageBy(
      params,
      (page) => drafts.page(store, account, page),
      ({ position }) => position,
    )
    const views = items.map(({ id, draft, createdAt, updatedAt }) => ({
      ...{ id, createdAt, updatedAt },
      draft: JSON.parse(draft) as app.example.draft.defs.Draft,
    }))
    return { drafts: views, cursor }
  },
})
