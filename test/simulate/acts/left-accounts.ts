/** What a holder does with the account that a move has left at the old server: it must change nothing of the one at the new server. */
import { removeCopy } from '../model/move.ts'
import { type Person, statusOf } from '../model/person.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { callAs } from './passwords.ts'
import { keyOf } from './records.ts'
import { isLost, openSession } from './sessions.ts'
import { asAdmin, change } from './status.ts'

const dayMs = 24 * 60 * 60_000

export const useLeftAccount: Act = {
  weight: 3,
  async run(world, random) {
    const left = world.people.flatMap((person) =>
      person.copies
        .filter((copy) => copy.machine.isRunning && statusOf(copy) && person.move?.to !== copy.machine)
        .map((copy) => ({ person, copy })),
    )
    if (left.length === 0) return undefined
    const { person, copy } = random.pick(left)
    copy.machine.moves++
    const kind = random.pick(['activates', 'writes', 'signs in', 'deletes', 'sets a date'] as const)
    const words = `${person.name}, who lives at ${person.machine.name}, ${kind} at ${copy.machine.name}`
    if (kind === 'activates') return `${words} ${await activate(world, copy)}`
    if (kind === 'writes') return `${words} ${await write(world, copy)}`
    if (kind === 'deletes')
      return random.chance(0.5) ? `${words} ${await erase(world, person, copy)}` : undefined
    if (kind === 'sets a date') {
      // Imported accounts end by themselves.
      if (copy.importedAt !== undefined) return undefined
      const date = new Date(copy.machine.now().getTime() + (1 + random.below(20)) * dayMs).toISOString()
      const answer = await callAs(world, copy, 'com.atproto.server.deactivateAccount', { deleteAfter: date })
      return `${words} ${change(copy, answer, (status) => ({ ...status, deleteAfter: date }))}`
    }
    const isFull = copy.passwords.length > 1 || copy.signIns.length > 4
    if (isFull) return undefined
    return `${words} → ${(await openSession(world, copy, copy.passwords[0] ?? '')).status}`
  },
}

/** The identity names the new server. */
async function activate(world: World, copy: Person): Promise<string> {
  const answer = await callAs(world, copy, 'com.atproto.server.activateAccount')
  const { status, body } = answer
  if (status === 200) throw new Violation(`${copy.name} is active at ${copy.machine.name} again`)
  const kept = (one: (typeof copy.statuses)[number]) => ({ ...one, deleteAfter: undefined })
  if (isLost(answer)) copy.statuses = [...copy.statuses, ...copy.statuses.map(kept)]
  else if (body?.error !== 'ExpiredToken') copy.statuses = copy.statuses.map(kept)
  return `→ ${status} ${body?.error ?? ''}`
}

async function write(world: World, copy: Person): Promise<string> {
  const collection = 'app.bsky.feed.post'
  const record = { $type: collection, text: 'late', createdAt: world.time.clock.now().toISOString() }
  const input = { repo: copy.did, collection, rkey: keyOf(world), record }
  const { status, body } = await callAs(world, copy, 'com.atproto.repo.createRecord', input)
  if (status === 200) throw new Violation(`${copy.name} writes at ${copy.machine.name} after the move`)
  return `→ ${status} ${body?.error ?? ''}`
}

async function erase(world: World, person: Person, copy: Person): Promise<string> {
  const answer = await asAdmin(world, copy, 'deleteAccount', { did: copy.did })
  const words = change(copy, answer, (status) => ({ ...status, isDeleted: true }))
  if (answer.status === 200) removeCopy(person, copy)
  return words
}
