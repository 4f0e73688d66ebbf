import { app } from '../../../../../lexicons/generated/index.ts'
import * as bookmarks from '../../../../app/tables/bookmarks.ts'
import { recordName } from '../../../../app/views/find/named.ts'
import * as actors from '../../../../store/tables/actors.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const createBookmark = method(app.example.bookmark.createBookmark, {
  auth: 'access',
  active: true,
  async handler({ input, auth, store, names, now, fail }) {
    const { uri, cid } = input
    const post = recordName({ db: store, names }, uri, app.example.feed.post.$type)
    if (!post) throw fail('UnsupportedCollection', 'Only posts can be bookmarked')
    store.assertRoom()
    await store.transact((tx) => {
      const account = actors.idOf(tx, auth.did)
      if (account !== undefined) bookmarks.add(tx, account, { ...post, cid, createdAt: iso(now()) })
    })
  },
})
