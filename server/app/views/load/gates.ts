/** Reads the gates of posts. Only the gate of the post's author under the post's record key counts. */
import type { l } from '@atproto/lex-schema'
import { app } from '../../../../lexicons/generated/index.ts'
import type { RecordRow } from '../../../federation/tables/graph.ts'
import * as viewRecords from '../../tables/view-records.ts'
import type { ViewContext } from './context.ts'
import type { PostGate, ThreadGate } from './loaded.ts'

const { threadgate, postgate } = app.example.feed

/** A post, as far as its gates depend on it. */
export interface GatedPost {
  readonly id: number
  readonly actor: number
  readonly did: string
  readonly uri: string
}

/** Reads the gates of posts, for `threadGateOf` and `postGateOf`. Posts that no gate refers to may be left out. */
export function loadGates(ctx: ViewContext, posts: readonly GatedPost[]): void {
  if (posts.length === 0) return
  const found = viewRecords.recordsByKey(
    ctx.db,
    posts.flatMap((post) => [keyOfGate(ctx, post, threadgate.$type), keyOfGate(ctx, post, postgate.$type)]),
  )
  const read = <S extends l.RecordSchema>(schema: S, row: RecordRow | undefined) =>
    row && ctx.records.read(schema, row)
  for (const [at, { id }] of posts.entries()) {
    ctx.posts.gates.set(id, {
      thread: read(threadgate.main, found.get(2 * at)),
      post: read(postgate.main, found.get(2 * at + 1)),
    })
  }
}

function keyOfGate(
  { names }: ViewContext,
  { did, uri }: GatedPost,
  collection: string,
): viewRecords.RecordKey {
  return [did, uri.slice(uri.lastIndexOf('/') + 1), names.stored(collection)]
}

/** Returns the gate of a thread by its first post, which `loadPosts` has read. */
export function threadGateOf(ctx: ViewContext, root: GatedPost): ThreadGate | undefined {
  return ctx.posts.gates.get(root.id)?.thread
}

/** Returns the gate of a post that `loadPosts` has read. */
export function postGateOf(ctx: ViewContext, post: GatedPost): PostGate | undefined {
  return ctx.posts.gates.get(post.id)?.post
}
