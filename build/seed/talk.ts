/** Schedules the conversations with their replies, likes and reposts. */
import { app } from '../../lexicons/generated/index.ts'
import { type Post, readConversations } from './conversations.ts'
import { type Name, people } from './people.ts'
import { facetsOf } from './rich-text.ts'
import { day, handleOf, hour, minute, names, type Ref, type Town, write } from './town.ts'

const { feed, embed } = app.example

/** Spreads the conversations evenly from the second day on. */
export function planTalk(town: Town): void {
  const conversations = readConversations()
  const from = town.start + day
  const step = (town.end - 2 * hour - from) / (conversations.length - 1)
  conversations.forEach((post, index) => {
    town.agenda.add(from + index * step, () => publish(town, post))
  })
}

async function publish(town: Town, post: Post, reply?: app.example.feed.post.ReplyRef): Promise<void> {
  const { by, quotes, label, replies } = post
  const text = post.text.replace(/@([a-z]+)/g, (_, name: Name) => `@${handleOf(name)}`)
  const facets = facetsOf(text, (handle) => town.members.get(handle.split('.')[0] as Name)?.did)
  const ref = await write(town, by, feed.post.$type, {
    text,
    langs: ['en'],
    ...(facets.length > 0 && { facets }),
    ...(reply && { reply }),
    ...(quotes !== undefined && { embed: { $type: embed.record.$type, record: findPost(town, quotes) } }),
    ...(label !== undefined && {
      labels: { $type: 'com.core.label.defs#selfLabels', values: [{ val: label }] },
    }),
  })
  town.posts.set(text, ref)
  for (const answer of replies) {
    soon(town, minute, 90 * minute, () => publish(town, answer, { root: reply?.root ?? ref, parent: ref }))
  }
  planReactions(town, post, ref, reply === undefined)
}

function planReactions(town: Town, post: Post, subject: Ref, opensThread: boolean): void {
  const { by, repost } = post
  const followers = names.filter((name) => people[name].follows.includes(by))
  const byChance = followers.filter((name) => name !== repost?.by && !repost?.likes.includes(name))
  for (const name of byChance) {
    if (town.chance.happens(opensThread ? 0.5 : 0.2)) {
      soon(town, minute, 10 * hour, () => react(town, name, feed.like.$type, subject))
    }
    if (opensThread && town.chance.happens(0.06)) {
      soon(town, 5 * minute, 10 * hour, () => react(town, name, feed.repost.$type, subject))
    }
  }
  if (repost) soon(town, 5 * minute, 20 * minute, () => repostPost(town, repost, subject))
}

/** Reposts a post; others like and repost it via this repost. */
async function repostPost(town: Town, repost: NonNullable<Post['repost']>, subject: Ref): Promise<void> {
  const via = await write(town, repost.by, feed.repost.$type, { subject })
  for (const name of repost.likes) {
    soon(town, minute, hour, () => react(town, name, feed.like.$type, subject, via))
  }
  for (const name of repost.reposts) {
    soon(town, minute, hour, () => react(town, name, feed.repost.$type, subject, via))
  }
}

async function react(
  town: Town,
  name: Name,
  collection: typeof feed.like.$type | typeof feed.repost.$type,
  subject: Ref,
  via?: Ref,
): Promise<void> {
  // The account may not have joined yet, or have left.
  if (town.members.has(name)) await write(town, name, collection, { subject, ...(via && { via }) })
}

function soon(town: Town, min: number, max: number, task: () => Promise<unknown>): void {
  town.agenda.add(town.now().getTime() + town.chance.between(min, max), task)
}

function findPost(town: Town, beginning: string): Ref {
  for (const [text, ref] of town.posts) if (text.startsWith(beginning)) return ref
  throw new Error(`no post begins with "${beginning}"`)
}
