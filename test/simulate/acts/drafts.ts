/** Makes records: posts, replies, likes, reposts, follows and profiles. */
import type { Random } from '../../support/replicas/random.ts'
import type { Person } from '../model/person.ts'
import type { World } from '../world/world.ts'
import { otherThan } from './choose.ts'

export const post = 'app.bsky.feed.post'
export const block = 'app.bsky.graph.block'
export const profile = 'app.bsky.actor.profile'

/** Makes a record. Undefined if there is nothing that it could refer to. */
type Draft = (world: World, random: Random, author: Person) => object | undefined

const drafts: Readonly<Record<string, Draft>> = {
  [post]: (world, random, author) => {
    const parent = random.chance(0.4) ? postIn(world, random) : undefined
    return {
      ...textOf(world, random),
      ...(parent && { reply: { root: parent, parent } }),
      ...(random.chance(0.1) && quoteOf(postIn(world, random))),
      ...(random.chance(0.2) && picturesOf(author, random)),
    }
  },
  'app.bsky.feed.like': (world, random) => subjectOf(postIn(world, random)),
  'app.bsky.feed.repost': (world, random) => subjectOf(postIn(world, random)),
  'app.bsky.graph.follow': subjectAmongOthers,
  [block]: (world, random, author) =>
    random.chance(0.4) ? subjectAmongOthers(world, random, author) : undefined,
}

function subjectAmongOthers(world: World, random: Random, author: Person): object | undefined {
  const other = otherThan(world, random, author)
  return other && { subject: other.did }
}

/** A new record of any collection, or undefined. */
export function draftOf(world: World, random: Random, author: Person) {
  const collection = random.pick(Object.keys(drafts))
  const draft = drafts[collection]?.(world, random, author)
  if (!draft || hasSame(author, collection, draft)) return undefined
  const createdAt = world.time.clock.now().toISOString()
  return { collection, value: { $type: collection, ...draft, createdAt } }
}

/** Another value of a record, or undefined. */
export function changed(
  world: World,
  random: Random,
  author: Person,
  path: string,
  value: object,
): object | undefined {
  const [collection = ''] = path.split('/')
  if (collection === post) {
    const { facets: _, ...rest } = value as { facets?: unknown }
    return { ...rest, ...textOf(world, random), ...(random.chance(0.2) && picturesOf(author, random)) }
  }
  const draft = drafts[collection]?.(world, random, author)
  return draft && !hasSame(author, collection, draft) ? { ...value, ...draft } : undefined
}

function textOf(world: World, random: Random): object {
  const mentioned = random.chance(0.2) ? random.pick(world.people) : undefined
  return { text: `@post ${random.below(1000)}`, ...(mentioned && { facets: [mentionOf(mentioned)] }) }
}

/** One or two pictures that were uploaded before, perhaps too long ago. */
function picturesOf({ uploads }: Person, random: Random) {
  if (uploads.size === 0) return undefined
  const [one, other] = [random.pick([...uploads.values()]), random.pick([...uploads.values()])]
  const images = (random.chance(0.3) ? [one, other] : [one]).map(({ ref }) => ({ image: ref, alt: '' }))
  return { embed: { $type: 'app.bsky.embed.images', images } }
}

const subjectOf = (subject: object | undefined) => subject && { subject }
const quoteOf = (record: object | undefined) =>
  record && { embed: { $type: 'app.bsky.embed.record', record } }
const mentionOf = ({ did }: Person) => ({
  index: { byteStart: 0, byteEnd: 5 },
  features: [{ $type: 'app.bsky.richtext.facet#mention', did }],
})

/** A reference to a post that exists and answers none. */
function postIn({ people }: World, random: Random): { uri: string; cid: string } | undefined {
  const all = people.flatMap(({ did, records }) =>
    [...records]
      .filter(([path, { value }]) => path.startsWith(`${post}/`) && !('reply' in value))
      .map(([path, { cid }]) => ({ uri: `at://${did}/${path}`, cid })),
  )
  return all.length > 0 ? random.pick(all) : undefined
}

/** Whether an author has or may have liked, reposted or followed the same already: servers show one of them. */
function hasSame({ records, history }: Person, collection: string, draft: object): boolean {
  if (!('subject' in draft)) return false
  const subject = keyOf(draft.subject)
  const stored = [...records]
    .filter(([path]) => path.startsWith(`${collection}/`))
    .map(([, one]) => one.value)
  return [...stored, ...history.uncertain(collection)].some(
    (value) => 'subject' in value && keyOf(value.subject) === subject,
  )
}

const keyOf = (subject: unknown) => (subject as { uri?: string }).uri ?? subject
