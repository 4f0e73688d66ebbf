/** Services of the network get what servers may send them. */
import { Violation } from '../acts/act.ts'
import { isWith, statusOf } from '../model/person.ts'
import type { Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'

const uses = (machine: Machine) => machine.services.has('links')

export async function checkServices({ services, people, deleted }: World): Promise<void> {
  const { appView, chat, links } = services
  for (const { broken, host } of [appView, chat, links])
    if (broken !== undefined) throw new Violation(`${host.name}: ${broken}`)
  for (const person of [...people, ...deleted]) {
    const isWanted = people.includes(person) && isWith(person, 'active') && uses(person.machine)
    if (statusOf(person) && links.wanted.has(person.did) !== isWanted)
      throw new Violation(`links: those to ${person.name} are ${isWanted ? 'not ' : ''}wanted`)
  }
}
