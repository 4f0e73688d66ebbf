/** Pages of the records that refer to a post: its likes, reposts or quotes, the newest first. */
import type { Reader } from '../../../store/database.ts'
import type { LinkPage } from '../../tables/post-links.ts'
import type { ViewContext } from '../load/context.ts'
import { subjectIdOf } from '../load/posts.ts'
import { type PageParams, takePage } from './pages.ts'

/** @param read `linkingActors` or `linkingRecords`. @throws InvalidRequest for a malformed cursor */
export function linkPage<Uri extends string, Cid, T extends number | { readonly record: number }>(
  ctx: ViewContext,
  { uri, cid, ...params }: PageParams & { readonly uri: Uri; readonly cid?: Cid },
  read: (db: Reader, subject: number, page: LinkPage) => readonly T[],
  path: number,
) {
  const subject = subjectIdOf(ctx, uri)
  return { uri, cid, ...takePage(params, (page) => read(ctx.db, subject, { ...page, path })) }
}
