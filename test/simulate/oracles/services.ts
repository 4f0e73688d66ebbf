/** Services of the network get what servers may send them. */
import { Violation } from '../acts/act.ts'
import { isWith, statusOf } from '../model/person.ts'
import type { Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'

const uses = (machine: Machine) => machine.services.has('links')

/** After so many milliseconds at most, a server connects again to the service of links. */
const reconnectMs = 5 * 60_000 * 1.25

export async function checkServices(world: World): Promise<void> {
  const { appView, chat, links } = world.services
  for (const { broken, host } of [appView, chat, links])
    if (broken !== undefined) throw new Violation(`${host.name}: ${broken}`)
  if (wrongLinks(world) !== undefined) await world.pass(reconnectMs)
  const wrong = wrongLinks(world)
  if (wrong !== undefined) throw new Violation(wrong)
}

function wrongLinks({ services: { links }, people, deleted }: World): string | undefined {
  for (const person of [...people, ...deleted]) {
    const isWanted = people.includes(person) && isWith(person, 'active') && uses(person.machine)
    if (statusOf(person) && links.wanted.has(person.did) !== isWanted)
      return `links: those to ${person.name} are ${isWanted ? 'not ' : ''}wanted`
  }
  return undefined
}
