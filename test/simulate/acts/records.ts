/** Writes to repositories: records are created, replaced and deleted, alone or several at once, under conditions, and again after a lost answer. */
import { tidOf } from '../../support/records/tid.ts'
import type { Random } from '../../support/replicas/random.ts'
import type { Person } from '../model/person.ts'
import type { World } from '../world/world.ts'
import type { Act } from './act.ts'
import { homes } from './choose.ts'
import { changed, draftOf, post, profile } from './drafts.ts'
import { send, type Write } from './send-writes.ts'

/** The record keys of a run are unique, so that it is known which change was made; servers take their time for that of the record. */
export const keyOf = (world: World) =>
  tidOf(world.time.clock.now().getTime() * 1000 + (world.counter++ % 1000))

/** A post without mentions. */
export function newPost(world: World) {
  const createdAt = world.time.clock.now().toISOString()
  const value = { $type: post, text: `post ${world.counter}`, createdAt }
  return { action: 'create', collection: post, rkey: keyOf(world), value } as const
}

/** A new record, with a key of the client or of the server. */
export function creation(world: World, random: Random, author: Person): Write | undefined {
  const draft = draftOf(world, random, author)
  return draft && { action: 'create', ...draft, rkey: random.chance(0.7) ? keyOf(world) : undefined }
}

/** A record that exists, with another value. */
function replacement(world: World, random: Random, author: Person): Write | undefined {
  const paths = [...author.records]
  if (paths.length === 0) return undefined
  const [path, stored] = random.pick(paths)
  const value = changed(world, random, author, path, stored.value)
  return value && { action: 'update', ...partsOf(path), value }
}

export function deletion(_world: World, random: Random, author: Person): Write | undefined {
  const paths = [...author.records.keys()]
  return paths.length === 0 ? undefined : { action: 'delete', ...partsOf(random.pick(paths)) }
}

function partsOf(path: string) {
  const [collection = '', rkey] = path.split('/')
  return { collection, rkey }
}

const pathOf = ({ collection, rkey }: Write) => `${collection}/${rkey}`

/** Now and then the CID of the latest commit, or of one before it. */
function swapCommitOf({ history }: Person, random: Random): { swapCommit?: string } {
  const commit = random.chance(0.15) ? history.commits[random.below(3)] : undefined
  return commit ? { swapCommit: commit.cid } : {}
}

/** Now and then the CID that the record has, one that it does not have, or null. */
function swapRecordOf({ records }: Person, random: Random, write: Write): { swapRecord?: string | null } {
  if (!random.chance(0.4)) return {}
  const own = records.get(pathOf(write))?.cid ?? null
  const other = random.pick([null, ...[...records.values()].map(({ cid }) => cid)])
  return { swapRecord: random.chance(0.6) ? own : other }
}

export const createRecord: Act = {
  weight: 40,
  async run(world, random) {
    const author = homes(world, random)
    const write = author && creation(world, random, author)
    if (!write) return undefined
    return send(world, author, {
      method: 'createRecord',
      writes: [write],
      ...swapCommitOf(author, random),
    })
  },
}

export const deleteRecord: Act = {
  weight: 10,
  async run(world, random) {
    const author = homes(world, random)
    const write = author && deletion(world, random, author)
    if (!write) return undefined
    const swap = swapRecordOf(author, random, write)
    return send(world, author, {
      method: 'deleteRecord',
      writes: [{ ...write, ...(swap.swapRecord !== null && swap) }],
      ...swapCommitOf(author, random),
    })
  },
}

/** Replaces a record or the profile, creates a post, or writes the same value again. */
export const putRecord: Act = {
  weight: 12,
  async run(world, random) {
    const author = homes(world, random)
    const write = author && put(world, random, author)
    if (!write) return undefined
    const swap = swapRecordOf(author, random, write)
    return send(world, author, {
      method: 'putRecord',
      writes: [{ ...write, action: 'put', ...swap }],
      ...swapCommitOf(author, random),
    })
  },
}

function put(world: World, random: Random, author: Person): Write | undefined {
  const kind = random.below(5)
  if (kind === 0) {
    const uploads = [...author.uploads.values()]
    const avatar = random.chance(0.4) && uploads.length > 0 && { avatar: random.pick(uploads).ref }
    const value = { $type: profile, displayName: `${author.name} ${random.below(1000)}`, ...avatar }
    return { action: 'put', collection: profile, rkey: 'self', value }
  }
  if (kind === 1) {
    const draft = draftOf(world, random, author)
    return draft?.collection === post ? { action: 'put', ...draft, rkey: keyOf(world) } : undefined
  }
  if (kind === 2 && author.records.size > 0) {
    const [path, { value }] = random.pick([...author.records])
    return { action: 'put', ...partsOf(path), value }
  }
  return replacement(world, random, author)
}

/** Writes several records, all or none. Now and then one of them cannot be written. */
export const applyWrites: Act = {
  weight: 8,
  async run(world, random) {
    const author = homes(world, random)
    if (!author) return undefined
    const writes = new Map<string, Write>()
    for (let left = 2 + random.below(4); left > 0; left--) {
      const make = random.pick([creation, creation, replacement, deletion])
      const write = make(world, random, author)
      // Of two likes of the same post, servers show one.
      if (write) writes.set(subjectOf(write) ?? (write.rkey ? pathOf(write) : `${writes.size}`), write)
    }
    if (random.chance(0.2)) {
      const write = impossible(world, random, author)
      if (write) writes.set(pathOf(write), write)
    }
    const distinct = [...new Map([...writes.values()].map((write) => [write.rkey ?? write, write])).values()]
    if (distinct.length === 0) return undefined
    return send(world, author, { method: 'applyWrites', writes: distinct, ...swapCommitOf(author, random) })
  },
}

function subjectOf({ collection, value }: Write): string | undefined {
  return value && 'subject' in value ? `${collection} ${JSON.stringify(value.subject)}` : undefined
}

/** Creates a record that exists, or replaces one that does not. */
function impossible(world: World, random: Random, author: Person): Write | undefined {
  const write = replacement(world, random, author)
  if (!write) return undefined
  return random.chance(0.5) ? { ...write, action: 'create' } : { ...write, rkey: keyOf(world) }
}

/** Sends a request again whose answer was lost. */
export const repeatWrite: Act = {
  weight: 4,
  async run(world, random) {
    const author = homes(world, random)
    const request = author?.lost
    if (!request) return undefined
    author.lost = undefined
    return `again: ${await send(world, author, request)}`
  },
}
