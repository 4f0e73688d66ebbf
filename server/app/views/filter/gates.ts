/**
 * Thread gates (who may reply to a thread) and post gates (who may quote a post). Only the gate of the post's author under the
 * post's record key counts.
 *
 * A gate applies to later replies and quotes: closing a thread hides no earlier reply. Records are numbered in the order in which
 * they were written, and an updated record keeps its number. Gates of other servers may arrive later than the replies: for them the
 * time counts that they state.
 */
import { decode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { app } from '../../../../lexicons/generated/index.ts'
import type { RecordRow } from '../../../federation/tables/graph.ts'
import { linkPaths } from '../../../repository/format/link-paths.ts'
import type { RecordEvent } from '../../../repository/records/record-events.ts'
import { withOwnTypes } from '../../../repository/records/rename.ts'
import * as actors from '../../../store/tables/actors.ts'
import * as postLinks from '../../tables/post-links.ts'
import * as viewRecords from '../../tables/view-records.ts'
import { actorById } from '../load/actors.ts'
import type { ViewContext } from '../load/context.ts'
import { type GatedPost, postGateOf, threadGateOf } from '../load/gates.ts'
import type { PostGate, ThreadGate } from '../load/loaded.ts'
import type { ViewRecord } from '../load/records.ts'

const { threadgate, postgate } = app.example.feed

type RulesDeps = Pick<ViewContext, 'db' | 'names'>

/** Whether an actor may reply to a thread that begins with `root`. */
export function mayReply(ctx: ViewContext, root: GatedPost, replier: number): boolean {
  const gate = threadGateOf(ctx, root)
  return gate === undefined || permits(ctx, gate, root, replier)
}

/** A post that a gate may forbid. */
type Response = Pick<ViewRecord<unknown>, 'id' | 'actor' | 'indexedAt'>

/** Whether a reply violates the gate of its thread. Such a reply is shown to its author only. */
export function violatesThreadGate(ctx: ViewContext, root: GatedPost, reply: Response): boolean {
  const gate = threadGateOf(ctx, root)
  return gate !== undefined && isBefore(ctx, gate, reply) && !permits(ctx, gate, root, reply.actor)
}

function isBefore(ctx: ViewContext, gate: ThreadGate | PostGate, response: Response): boolean {
  if (gate.id < response.id) return true
  const isRemote = actorById(ctx, gate.actor).createdAt === undefined
  return isRemote && Date.parse(gate.value.createdAt) < Date.parse(response.indexedAt)
}

/** Whether the author of a thread has hidden a reply. */
export function isHiddenByGate(ctx: ViewContext, root: GatedPost, uri: string): boolean {
  return threadGateOf(ctx, root)?.value.hiddenReplies?.some((hidden) => hidden === uri) ?? false
}

/** Whether an actor may quote a post. */
export function mayQuote(ctx: ViewContext, post: GatedPost, quoter: number): boolean {
  const rules = postGateOf(ctx, post)?.value.embeddingRules ?? []
  return quoter === post.actor || !rules.some((rule) => postgate.disableRule.$isTypeOf(rule))
}

/** Whether a quote violates the gate of the quoted post. */
export function violatesPostGate(ctx: ViewContext, quoted: GatedPost, quote: Response): boolean {
  const gate = postGateOf(ctx, quoted)
  return gate !== undefined && isBefore(ctx, gate, quote) && !mayQuote(ctx, quoted, quote.actor)
}

/** Whether the author of a post has detached it from a quote. @param quote URI of the quoting post */
export function isDetached(ctx: ViewContext, quoted: GatedPost, quote: string): boolean {
  return postGateOf(ctx, quoted)?.value.detachedEmbeddingUris?.some((uri) => uri === quote) ?? false
}

/** Returns the URIs of replies that the author of a thread has hidden, as its gate names them. @param root key of its first post */
export function hiddenReplies(
  deps: RulesDeps,
  { did, rkey }: { readonly did: string; readonly rkey: string },
): readonly string[] {
  const gate = viewRecords.recordsByKey(deps.db, [[did, rkey, deps.names.stored(threadgate.$type)]]).get(0)
  return (gate && readGate(deps, gate)?.hiddenReplies) ?? []
}

function readGate({ names }: RulesDeps, { bytes }: RecordRow): app.example.feed.threadgate.Main | undefined {
  const result = threadgate.main.safeValidate(withOwnTypes(decode(bytes) as LexMap, names))
  return result.success ? result.value : undefined
}

/** Whether the gate of its thread permits a reply that is being written; true for other records. */
export function allowsReply(deps: RulesDeps, { did, links }: Pick<RecordEvent, 'did' | 'links'>): boolean {
  const root = links.find(({ path }) => path === linkPaths['feed.post:reply.root'])
  const replier = actors.idOf(deps.db, did)
  if (!root?.record || replier === undefined) return true
  const { rkey } = root.record
  const { stored } = deps.names
  const found = viewRecords.recordsByKey(deps.db, [
    [root.did, rkey, stored(app.example.feed.post.$type)],
    [root.did, rkey, stored(threadgate.$type)],
  ])
  const [post, gate] = [found.get(0), found.get(1)]
  if (!post || !gate) return true
  const value = readGate(deps, gate)
  return value === undefined || permits(deps, { value }, post, replier)
}

function permits(
  deps: RulesDeps,
  { value: { allow } }: Pick<ThreadGate, 'value'>,
  root: Pick<GatedPost, 'id' | 'actor'>,
  replier: number,
): boolean {
  if (replier === root.actor || allow === undefined) return true
  return allow.some((rule) => {
    if (threadgate.mentionRule.$isTypeOf(rule)) return postLinks.mentions(deps.db, root.id, replier)
    if (threadgate.followerRule.$isTypeOf(rule)) return postLinks.follows(deps.db, replier, root.actor)
    if (threadgate.followingRule.$isTypeOf(rule)) return postLinks.follows(deps.db, root.actor, replier)
    return threadgate.listRule.$isTypeOf(rule) && isMember(deps, rule.list, replier)
  })
}

function isMember({ db, names }: RulesDeps, list: string, actor: number): boolean {
  const [, , did = '', , rkey = ''] = list.split('/')
  const subject = postLinks.subjectId(db, [did, rkey, names.stored(app.example.graph.list.$type)])
  return postLinks.isListed(db, subject, actor)
}
