/** Lexicons of the collections whose records are validated. */
import type { l } from '@atproto/lex-schema'
import { app, chat, com } from '../../../lexicons/generated/index.ts'

const { actor, feed, graph, labeler, notification } = app.example

/** Schemas of records, by our names. */
export const recordLexicons: ReadonlyMap<string, l.RecordSchema> = new Map(
  [
    actor.contentVisibilityDeclaration.main,
    actor.profile.main,
    actor.status.main,
    feed.generator.main,
    feed.like.main,
    feed.post.main,
    feed.postgate.main,
    feed.repost.main,
    feed.threadgate.main,
    graph.block.main,
    graph.follow.main,
    graph.list.main,
    graph.listblock.main,
    graph.listitem.main,
    graph.starterpack.main,
    graph.verification.main,
    labeler.service.main,
    notification.declaration.main,
    chat.example.actor.declaration.main,
    com.core.lexicon.schema.main,
    com.germnetwork.declaration.main,
  ].map((schema) => [schema.$type, schema]),
)
