/** Posts, replies, likes, reposts, follows and blocks, and their deletion. */
import { tidOf } from '../../support/records/tid.ts'
import type { Random } from '../../support/replicas/random.ts'
import type { Person, Stored } from '../model/person.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { homes } from './choose.ts'

const post = 'app.bsky.feed.post'

/** Makes a record. Undefined if there is nothing that it could refer to. */
type Draft = (world: World, random: Random, author: Person) => object | undefined

const drafts: Readonly<Record<string, Draft>> = {
  [post]: (world, random) => {
    const parent = random.chance(0.4) ? postIn(world, random) : undefined
    const mentioned = random.chance(0.2) ? random.pick(world.people) : undefined
    return {
      text: `@post ${random.below(1000)}`,
      ...(parent && { reply: { root: parent, parent } }),
      ...(mentioned && { facets: [mentionOf(mentioned)] }),
      ...(random.chance(0.1) && quoteOf(postIn(world, random))),
    }
  },
  'app.bsky.feed.like': (world, random) => subjectOf(postIn(world, random)),
  'app.bsky.feed.repost': (world, random) => subjectOf(postIn(world, random)),
  'app.bsky.graph.follow': (world, random, author) => {
    const others = world.people.filter((person) => person !== author)
    return others.length > 0 ? { subject: random.pick(others).did } : undefined
  },
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

/** Whether an author has liked, reposted or followed the same already: servers show one of them. */
function hasSame({ records }: Person, collection: string, draft: object): boolean {
  if (!('subject' in draft)) return false
  const subject = JSON.stringify(draft.subject)
  return [...records].some(
    ([path, { value }]) =>
      path.startsWith(`${collection}/`) && 'subject' in value && JSON.stringify(value.subject) === subject,
  )
}

/** The record keys of a run are unique, so that it is known which change was made; servers take their time for that of the record. */
const keyOf = (world: World) => tidOf(world.time.clock.now().getTime() * 1000 + (world.counter++ % 1000))

export const createRecord: Act = {
  weight: 40,
  async run(world, random) {
    const author = homes(world, random)
    if (!author) return undefined
    const collection = random.pick(Object.keys(drafts))
    const draft = drafts[collection]?.(world, random, author)
    if (!draft || hasSame(author, collection, draft)) return undefined
    const createdAt = world.time.clock.now().toISOString()
    return write(world, author, `${collection}/${keyOf(world)}`, { $type: collection, ...draft, createdAt })
  },
}

export const deleteRecord: Act = {
  weight: 10,
  async run(world, random) {
    const author = homes(world, random)
    const paths = [...(author?.records.keys() ?? [])]
    if (!author || paths.length === 0) return undefined
    return write(world, author, random.pick(paths), undefined)
  },
}

/** Makes a change. @param value undefined for a deletion */
async function write(world: World, author: Person, path: string, value: object | undefined): Promise<string> {
  const [collection, rkey] = path.split('/')
  const { machine, did: repo, name, access: token } = author
  const method = value ? 'createRecord' : 'deleteRecord'
  const input = { repo, collection, rkey, ...(value && { record: value }) }
  const words = `${machine.name}: ${name} ${method} ${path}`
  const { status, body } = await world.call(machine, `com.atproto.repo.${method}`, { input, token })
  if (status === 200) {
    if (value) author.records.set(path, { cid: body.cid, value } satisfies Stored)
    else author.records.delete(path)
  } else if (status === 0 || status >= 500) author.unknown.push({ path, value })
  else if (status === 401 || status === 400) {
    if (body.error !== 'ExpiredToken') throw new Violation(`${words}: ${status} ${JSON.stringify(body)}`)
    return `${words} → ExpiredToken, ${await renew(world, author)}`
  }
  return `${words} → ${status} ${body?.error ?? body?.commit?.rev ?? ''}`
}

/** Refreshes the tokens of a session. */
async function renew(world: World, person: Person): Promise<string> {
  const { machine, refresh: token, name } = person
  const { status, body } = await world.call(machine, 'com.atproto.server.refreshSession', {
    token,
    input: {},
  })
  if (status === 200) Object.assign(person, { access: body.accessJwt, refresh: body.refreshJwt })
  return `refresh of ${name} → ${status} ${body?.error ?? ''}`
}
