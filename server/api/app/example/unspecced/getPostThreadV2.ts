import { app } from '../../../../../lexicons/generated/index.ts'
import { viewTables } from '../../../../app/views/context.ts'
import { isAgainstGate, postAt } from '../../../../app/views/load-posts.ts'
import { gateOfThread } from '../../../../app/views/posts.ts'
import { blockedItem, hasOtherItems, notFoundItem, threadItems } from '../../../../app/views/thread-items.ts'
import { isHiddenByBlock, readThread } from '../../../../app/views/threads.ts'
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
