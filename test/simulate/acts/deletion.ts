/** Deletion of accounts by a mailed code, or by the administrator. */
import { addressOf } from '../model/mail.ts'
import type { Person } from '../model/person.ts'
import type { Answer, World } from '../world/world.ts'
import type { Act } from './act.ts'
import { holders } from './choose.ts'
import { callAs } from './passwords.ts'
import { isLost } from './sessions.ts'
import { asAdmin, change } from './status.ts'

/** People whose deletion is checked in later checks, too. */
const kept = 4

/** Moves a person to the deleted ones. */
export function bury(world: World, person: Person): void {
  world.people.splice(world.people.indexOf(person), 1)
  world.deleted.push(person)
  if (world.deleted.length > kept) world.deleted.shift()
}

export function deleted(world: World, person: Person, answer: Answer): string {
  const words = change(person, answer, (status) => ({ ...status, isDeleted: true }))
  if (answer.status === 200) bury(world, person)
  return words
}

export const deleteAccount: Act = {
  weight: 1,
  async run(world, random) {
    const person = holders(world, random)
    if (!person || person.passwords.length > 1) return undefined
    const { machine, did, name } = person
    const words = `${machine.name}: deletion of ${name}`
    if (random.chance(0.4)) {
      const answer = await asAdmin(world, person, 'deleteAccount', { did })
      return `${words} by the administrator ${deleted(world, person, answer)}`
    }
    const email = addressOf(person)
    if (email === undefined) return undefined
    const before = machine.codeTo(email, 'deleteAccount')
    const asked = await callAs(world, person, 'com.atproto.server.requestAccountDelete')
    const token = isLost(asked) || !machine.isRunning ? before : machine.codeTo(email, 'deleteAccount')
    if (token === before || random.chance(0.2)) return `${words}: asks for a code → ${asked.status}`
    const input = { did, password: person.passwords[0], token }
    const answer = await callAs(world, person, 'com.atproto.server.deleteAccount', input)
    return `${words} ${deleted(world, person, answer)}`
  },
}
