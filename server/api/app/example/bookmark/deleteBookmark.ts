import { app } from '../../../../../lexicons/generated/index.ts'
import * as bookmarks from '../../../../app/tables/bookmarks.ts'
import { recordName } from '../../../../app/views/find/named.ts'
import * as actors from '../../../../store/tables/actors.ts'
import { method } from '../../../method.ts'

export const deleteBookmark = method(app.example.bookmark.deleteBookmark, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, names, fail }) {
    const post = recordName({ db: store, names }, input.uri, app.example.feed.post.$type)
    if (!post) throw fail('UnsupportedCollection', 'Only posts can be bookmarked')
    await store.transact((tx) => {
      const account = actors.idOf(tx, auth.did)
      if (account !== undefined) bookmarks.remove(tx, account, post)
    })
  },
})
