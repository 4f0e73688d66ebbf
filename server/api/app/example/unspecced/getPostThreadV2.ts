import { app } from '../../../../../lexicons/generated/index.ts'
import { isAgainstGate, isHiddenByBlock } from '../../../../app/views/filter/posts.ts'
import { readThread } from '../../../../app/views/find/threads.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { postAt } from '../../../../app/views/load/posts.ts'
import { gateOfThread } from '../../../../app/views/show/posts.ts'
import {
  blockedItem,
  hasOtherItems,
  notFoundItem,
  threadItems,
} from '../../../../app/views/show/thread-items.ts'
import { method } from '../../../method.ts'

/** Posts above the anchor. */
const maxHeight = 80

export const getPostThreadV2 = method(app.example.unspecced.getPostThreadV2, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext } }) {
    const { anchor: uri, above, below, branchingFactor, sort } = params
    const ctx = viewContext(caller.origin, auth?.did)
    const anchor = postAt(ctx, uri)
    if (!anchor) return { thread: [notFoundItem(uri, 0)], hasOtherReplies: false }
    if (isHiddenByBlock(ctx, anchor)) {
      return { thread: [blockedItem(ctx, anchor, 0)], hasOtherReplies: false }
    }
    const thread = readThread(ctx, anchor, { height: above ? maxHeight : 0, depth: below })
    if (isAgainstGate(ctx, anchor)) return { thread: [notFoundItem(uri, 0)], hasOtherReplies: false }
    return {
      thread: threadItems(ctx, thread, { branchingFactor, sort }),
      threadgate: gateOfThread(ctx, thread.root),
      hasOtherReplies: hasOtherItems(ctx, thread),
    }
  },
})
