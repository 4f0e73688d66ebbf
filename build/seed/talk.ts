/** Conversations, and what their listeners make of them: likes, reposts, replies. */
import { app } from '../../lexicons/generated/index.ts'
import { conversations, type Saying } from './conversations.ts'
import { type Name, people } from './people.ts'
import { facetsOf } from './rich-text.ts'
import { day, handleOf, hour, minute, names, type Ref, type Town, write } from './town.ts'

const { feed, embed } = app.example

/** Spreads the conversations over the time from the second day on. */
export function planTalk(town: Town): void {
  const from = town.start + day
  const step = (town.end - 2 * hour - from) / (conversations.length - 1)
  conversations.forEach((saying, index) => {
    town.agenda.add(from + index * step, () => say(town, saying))
  })
}

async function say(town: Town, saying: Saying, reply?: app.example.feed.post.ReplyRef): Promise<void> {
  const { by, quotes, label, replies = [] } = saying
  const text = saying.text.replace(/@([a-z]+)/g, (_, name: Name) => `@${handleOf(name)}`)
  const facets = facetsOf(text, (handle) => town.members.get(handle.split('.')[0] as Name)?.did)
  const ref = await write(town, by, feed.post.$type, {
    text,
    langs: ['en'],
    ...(facets.length > 0 && { facets }),
    ...(reply && { reply }),
    ...(quotes !== undefined && { embed: { $type: embed.record.$type, record: saidBefore(town, quotes) } }),
    ...(label !== undefined && {
      labels: { $type: 'com.core.label.defs#selfLabels', values: [{ val: label }] },
    }),
  })
  town.said.set(text, ref)
  for (const answer of replies) {
    soon(town, minute, 90 * minute, () => say(town, answer, { root: reply?.root ?? ref, parent: ref }))
  }
  planReactions(town, saying, ref, reply === undefined)
}

function planReactions(town: Town, saying: Saying, subject: Ref, opensThread: boolean): void {
  const { by, repost } = saying
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
  if (repost) soon(town, 5 * minute, 20 * minute, () => passOn(town, repost, subject))
}

/** Somebody reposts it, and others like and repost it where they found it. */
async function passOn(town: Town, repost: NonNullable<Saying['repost']>, subject: Ref): Promise<void> {
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
  // Somebody may not have come yet, or have left meanwhile.
  if (town.members.has(name)) await write(town, name, collection, { subject, ...(via && { via }) })
}

function soon(town: Town, min: number, max: number, task: () => Promise<unknown>): void {
  town.agenda.add(town.now().getTime() + town.chance.between(min, max), task)
}

function saidBefore(town: Town, beginning: string): Ref {
  for (const [text, ref] of town.said) if (text.startsWith(beginning)) return ref
  throw new Error(`nobody has said "${beginning}" yet`)
}
