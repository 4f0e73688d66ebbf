/** Views of the accounts, posts, feed generators and starter packs that groups of notifications refer to, each once. */
import type { AtUriString, DidString } from '@atproto/syntax'
import { app } from '../../../lexicons/generated/index.ts'
import * as graph from '../../federation/tables/graph.ts'
import { isAgainstGate, isHiddenByBlock } from '../views/filter/posts.ts'
import { starterPackAt } from '../views/find/starter-packs.ts'
import { loadActors } from '../views/load/actors.ts'
import type { ViewContext } from '../views/load/context.ts'
import { loadPosts, loadRecords, postAt, postsAt, recordAt } from '../views/load/posts.ts'
import { generatorView, readGenerator } from '../views/show/generators.ts'
import { blockedPost, postView } from '../views/show/posts.ts'
import { profileView } from '../views/show/profiles.ts'
import { starterPackView } from '../views/show/starter-packs.ts'

const { actor, feed, graph: lexicons } = app.example

type Output = app.example.notification.getGroupedNotifications.$OutputBody
export type RelatedView = NonNullable<Output['relatedViews']>[number]
/** The DID of an account, or the URI of a record. */
export type Reference = DidString | AtUriString

export interface RelatedViews {
  /** Reads what references name, all at once. Call it first. */
  load(names: readonly Reference[]): void
  /** Whether the viewer sees a record. */
  isVisible(uri: AtUriString): boolean
  views(names: readonly Reference[]): RelatedView[]
}

export function createRelatedViews(ctx: ViewContext): RelatedViews {
  let ids: ReadonlyMap<string, number> = new Map()
  const found = new Map<string, RelatedView | undefined>()

  function view(name: Reference): RelatedView | undefined {
    if (!found.has(name))
      found.set(name, name.startsWith('at://') ? recordView(name as AtUriString) : profile(name))
    return found.get(name)
  }

  function profile(did: string): RelatedView | undefined {
    const id = ids.get(did)
    return id === undefined ? undefined : actor.defs.profileViewDetailed.$build(profileView(ctx, id))
  }

  function recordView(uri: AtUriString): RelatedView | undefined {
    if (isOf(ctx, uri, lexicons.starterpack.$type)) {
      const pack = starterPackAt(ctx, uri)
      return pack && lexicons.defs.starterPackView.$build(starterPackView(ctx, pack))
    }
    if (isOf(ctx, uri, feed.generator.$type)) {
      const row = recordAt(ctx, uri)
      const generator = row && readGenerator(ctx, row)
      return generator && feed.defs.generatorView.$build(generatorView(ctx, generator))
    }
    const post = postAt(ctx, uri)
    if (!post || isAgainstGate(ctx, post)) return feed.defs.notFoundPost.$build({ uri, notFound: true })
    return isHiddenByBlock(ctx, post)
      ? blockedPost(ctx, post)
      : feed.defs.postView.$build(postView(ctx, post))
  }

  return {
    load(names: readonly Reference[]): void {
      const uris = names.filter((name) => name.startsWith('at://'))
      ids = graph.actorIds(ctx.db, names.filter((name) => !name.startsWith('at://')) as DidString[])
      loadActors(ctx, ids.values())
      loadRecords(ctx, uris)
      loadPosts(ctx, postsAt(ctx, uris))
    },
    isVisible(uri: AtUriString): boolean {
      const shown = view(uri)
      return shown !== undefined && !('notFound' in shown) && !('blocked' in shown)
    },
    views: (names: readonly Reference[]): RelatedView[] =>
      [...new Set(names)].map(view).filter((shown) => shown !== undefined),
  }
}

/** Whether a URI names a record of a collection, which has our name. */
export function isOf({ names }: ViewContext, uri: string, collection: string): boolean {
  return names.own(uri.split('/')[3] ?? '') === collection
}
