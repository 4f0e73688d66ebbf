import { app } from '../../../../../lexicons/generated/index.ts'
import { isAgainstGate, isHiddenByBlock } from '../../../../app/views/filter/posts.ts'
import { readThread } from '../../../../app/views/find/threads.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { postAt } from '../../../../app/views/load/posts.ts'
import { blockedPost, gateOfThread } from '../../../../app/views/show/posts.ts'
import { threadView } from '../../../../app/views/show/thread-tree.ts'
import { method } from '../../../method.ts'

const { threadViewPost } = app.example.feed.defs

export const getPostThread = method(app.example.feed.getPostThread, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext }, fail }) {
    const { uri, depth, parentHeight: height } = params
    const ctx = viewContext(caller.origin, auth?.did)
    const anchor = postAt(ctx, uri)
    if (!anchor) throw fail('NotFound', `Post not found: ${uri}`)
    if (isHiddenByBlock(ctx, anchor)) return { thread: blockedPost(ctx, anchor) }
    const thread = readThread(ctx, anchor, { height, depth })
    if (isAgainstGate(ctx, anchor)) throw fail('NotFound', `Post not found: ${uri}`)
    return {
      thread: threadViewPost.$build(threadView(ctx, thread)),
      threadgate: gateOfThread(ctx, thread.root),
    }
  },
})
