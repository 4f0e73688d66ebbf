/** Counts of likes, reposts, replies, quotes and followers are those of the records. A server has few of the records of other servers. */
import { Violation } from '../acts/act.ts'
import { copyAt } from '../model/move.ts'
import { isWith, type Person } from '../model/person.ts'
import type { Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'

/** A record that refers to another one or to an account. */
interface Reference {
  readonly author: Person
  readonly uri: string
  readonly to: string
  readonly count: string
}

/** The server that counts, and how much any count may be. */
interface Counting {
  readonly machine: Machine
  readonly most: number
}

export async function checkCounts(world: World): Promise<void> {
  const references = Map.groupBy(world.people.flatMap(referencesOf), ({ to, count }) => `${count} ${to}`)
  const posts = world.people.flatMap((owner) =>
    [...owner.records.keys()]
      .filter((path) => path.startsWith('app.bsky.feed.post/'))
      .map((path) => ({ owner, name: `at://${owner.did}/${path}` })),
  )
  const profiles = world.people.map((owner) => ({ owner, name: owner.did }))
  for (const machine of world.machines) {
    // The records of an account that has moved away are counted, and the earlier ones of an inactive account with an import.
    const isOutdated = (person: Person) =>
      copyAt(person, machine) !== undefined || (person.archive !== undefined && !isWith(person, 'active'))
    const most = world.people.some(isOutdated) ? Number.POSITIVE_INFINITY : 0
    const check = (owner: Person, name: string, view: Record<string, number>, counts: readonly string[]) => {
      for (const count of counts)
        checkCount(
          { machine, most },
          owner,
          view[count],
          references.get(`${count} ${name}`) ?? [],
          `${count} of ${name}`,
        )
    }
    for (let from = 0; from < posts.length; from += 25) {
      const some = posts.slice(from, from + 25)
      const query = some.map(({ name }) => ['uris', name])
      const { body } = await world.call(machine, 'app.bsky.feed.getPosts', { query })
      for (const view of body.posts) {
        const post = some.find(({ name }) => name === view.uri)
        if (post) check(post.owner, post.name, view, ['likeCount', 'repostCount', 'replyCount', 'quoteCount'])
      }
    }
    const query = profiles.map(({ name }) => ['actors', name])
    const { body } = await world.call(machine, 'app.bsky.actor.getProfiles', { query })
    for (const view of body?.profiles ?? []) {
      const profile = profiles.find(({ name }) => name === view.did)
      if (profile) check(profile.owner, profile.name, view, ['followersCount'])
    }
  }
}

/** Which records of an account count for others. */
function referencesOf(author: Person): Reference[] {
  return [...author.records].flatMap(([path, { value }]) => {
    const uri = `at://${author.did}/${path}`
    const kind = path.slice(0, path.indexOf('/')).split('.').at(-1)
    // biome-ignore lint/suspicious/noExplicitAny: records of several shapes
    const { subject, reply, embed } = value as any
    const reference = (count: string, to: string | undefined) => (to ? [{ author, uri, to, count }] : [])
    if (kind === 'follow') return reference('followersCount', subject)
    if (kind === 'like' || kind === 'repost') return reference(`${kind}Count`, subject.uri)
    if (kind !== 'post') return []
    return [...reference('replyCount', reply?.parent.uri), ...reference('quoteCount', embed?.record?.uri)]
  })
}

/** A server has all references to its own accounts, except those by avoided authors of other servers. Those by inactive accounts may count. */
function checkCount(
  { machine, most }: Counting,
  owner: Person,
  found: number | undefined,
  references: readonly Reference[],
  name: string,
): void {
  const isSure = ({ author, uri }: Reference) =>
    isWith(author, 'active') && (author.machine === machine || !owner.notified.get(uri)?.lines.has(''))
  const least = owner.machine === machine ? references.filter(isSure).length : 0
  if (found === undefined || found < least || found > Math.max(references.length, most))
    throw new Violation(`${machine.name}: ${name} is ${found}, not ${least} to ${references.length}`)
}
