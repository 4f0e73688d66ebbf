import { app } from '../../../../../lexicons/generated/index.ts'
import { viewTables } from '../../../../app/views/context.ts'
import { isAgainstGate, postAt } from '../../../../app/views/load-posts.ts'
import { blockedPost, gateOfThread } from '../../../../app/views/posts.ts'
import { isHiddenByBlock, readThread, threadView } from '../../../../app/views/threads.ts'
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
