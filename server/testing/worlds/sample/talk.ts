/** The conversations of the sample with their replies, likes and reposts. */
import type { World, WorldPost } from '../schema.ts'
import { createChance } from './chance.ts'
import { type Conversation, readConversations } from './conversations.ts'
import { leaves, type Name, names, people } from './people.ts'
import { ago, day, hour, length, minute } from './times.ts'

type Talk = { readonly [Name in 'posts' | 'likes' | 'reposts']: NonNullable<World[Name]> }

/** Spreads the conversations evenly from the second day on. */
export function createTalk(): Talk {
  const talk = new Writer()
  const conversations = readConversations()
  const step = (length - 2 * hour - day) / (conversations.length - 1)
  conversations.forEach((post, index) => {
    talk.add(post, day + index * step)
  })
  return talk.result()
}

class Writer {
  readonly #chance = createChance(1891)
  readonly #posts: WorldPost[] = []
  readonly #likes: Talk['likes'][number][] = []
  readonly #reposts: Talk['reposts'][number][] = []

  /** Adds a post and what follows it. Nothing is later than the end. */
  add(post: Conversation, at: number, parent?: string): void {
    if (at > length) return
    const { by, text, quotes, label } = post
    const id = `${by}-${this.#posts.filter((other) => other.by === by).length + 1}`
    this.#posts.push({
      ...{ id, by, at: ago(at), text },
      ...(parent !== undefined && { reply: parent }),
      ...(quotes !== undefined && { quote: this.#find(quotes) }),
      ...(label !== undefined && { labels: [label] }),
    })
    this.#addReactions(post, id, at, parent === undefined)
    for (const reply of post.replies) this.add(reply, at + this.#chance.between(minute, 90 * minute), id)
  }

  result(): Talk {
    return { posts: this.#posts, likes: this.#likes, reposts: this.#reposts }
  }

  #addReactions({ by, repost }: Conversation, post: string, at: number, opensThread: boolean): void {
    const later = (min: number, max: number) => at + this.#chance.between(min, max)
    const followers = names.filter((name) => people[name].follows.includes(by))
    for (const name of followers.filter((one) => one !== repost?.by && !repost?.likes.includes(one))) {
      if (this.#chance.happens(opensThread ? 0.5 : 0.2)) this.#like(name, post, later(minute, 10 * hour))
      if (opensThread && !repost?.reposts.includes(name) && this.#chance.happens(0.06))
        this.#repost(name, post, later(5 * minute, 10 * hour))
    }
    if (repost) this.#addRepost(repost, post, later(5 * minute, 20 * minute))
  }

  /** Adds a repost; others like and repost the post via it. */
  #addRepost({ by, likes, reposts }: NonNullable<Conversation['repost']>, post: string, at: number): void {
    const id = `${post}-by-${by}`
    this.#repost(by, post, at, { id })
    const later = () => at + this.#chance.between(minute, hour)
    for (const name of likes) this.#like(name, post, later(), { via: id })
    for (const name of reposts) this.#repost(name, post, later(), { via: id })
  }

  #like(by: Name, post: string, at: number, more?: { via: string }): void {
    if (isActive(by, at)) this.#likes.push({ by, post, at: ago(at), ...more })
  }

  #repost(by: Name, post: string, at: number, more?: { via: string } | { id: string }): void {
    if (isActive(by, at)) this.#reposts.push({ by, post, at: ago(at), ...more })
  }

  #find(beginning: string): string {
    const found = this.#posts.find(({ text }) => text.startsWith(beginning))
    if (found?.id === undefined) throw new Error(`no post begins with "${beginning}"`)
    return found.id
  }
}

/** Whether an account has joined, and has not left. */
function isActive(name: Name, at: number): boolean {
  const end = Object.hasOwn(leaves, name) ? leaves[name as keyof typeof leaves] * day : length
  return at > people[name].joins * day && at < end
}
