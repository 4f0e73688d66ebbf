/** Lists of accounts, by which others are blocked and muted. */
import type { Random } from '../../support/replicas/random.ts'
import { initial } from '../model/initial-settings.ts'
import type { Person } from '../model/person.ts'
import { item, list, listBlock, listsOf } from '../oracles/relations.ts'
import type { World } from '../world/world.ts'
import type { Act } from './act.ts'
import { homes, notifierOf, otherThan } from './choose.ts'
import { keyOf } from './records.ts'
import { send } from './send-writes.ts'
import { change } from './settings.ts'

/** Lists of accounts of the same server. */
function listNear(world: World, random: Random, { machine }: Person): string | undefined {
  const lists = world.people.filter((owner) => owner.machine === machine).flatMap(listsOf)
  return lists.length > 0 ? random.pick(lists) : undefined
}

/** Makes a list, puts an account on one, or blocks the accounts on one. */
export const writeList: Act = {
  weight: 2,
  async run(world, random) {
    const author = homes(world, random)
    if (!author) return undefined
    const draft = draftOf(world, random, author)
    if (!draft) return undefined
    const { collection, ...rest } = draft
    const value = { $type: collection, ...rest, createdAt: world.time.clock.now().toISOString() }
    const writes = [{ action: 'create', collection, rkey: keyOf(world), value }] as const
    return send(world, author, { method: 'createRecord', writes })
  },
}

function draftOf(world: World, random: Random, author: Person): { readonly collection: string } | undefined {
  const own = listsOf(author)
  const near = listNear(world, random, author)
  const subject = (random.chance(0.6) ? notifierOf : otherThan)(world, random, author)?.did
  if (own.length === 0 || random.chance(0.1)) {
    const name = `list ${world.counter++}`
    return { collection: list, ...{ purpose: 'app.bsky.graph.defs#modlist', name } }
  }
  if (near === undefined || random.chance(0.6))
    return subject === undefined ? undefined : { collection: item, ...{ list: random.pick(own), subject } }
  return random.chance(0.4) ? { collection: listBlock, ...{ subject: near } } : undefined
}

export const muteList: Act = {
  weight: 1,
  async run(world, random) {
    const person = homes(world, random)
    const uri = person && listNear(world, random, person)
    if (!person || uri === undefined) return undefined
    const value = random.chance(0.5)
    return change(world, person, {
      nsid: `app.bsky.graph.${value ? 'muteActorList' : 'unmuteActorList'}`,
      input: { list: uri },
      ...{ name: `mute ${uri}`, value, initial: initial.mute },
    })
  },
}
