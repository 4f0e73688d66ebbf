import { app } from '../../../../../lexicons/generated/index.ts'
import { isHiddenByBlock } from '../../../../app/views/filter/posts.ts'
import { readThread } from '../../../../app/views/find/threads.ts'
import { viewTables } from '../../../../app/views/load/context.ts'
import { postAt } from '../../../../app/views/load/posts.ts'
import { otherItems } from '../../../../app/views/show/thread-items.ts'
import { method } from '../../../method.ts'

export const getPostThreadOtherV2 = method(app.example.unspecced.getPostThreadOtherV2, {
  auth: 'optional',
  reads: viewTables,
  handler({ params, auth, caller, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const anchor = postAt(ctx, params.anchor)
    if (!anchor || isHiddenByBlock(ctx, anchor)) return { thread: [] }
    return { thread: otherItems(ctx, readThread(ctx, anchor, { height: 0, depth: 1 })) }
  },
})
