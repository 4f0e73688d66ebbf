/** Journals that change, or are damaged, before a place has them. */
import { journalPath, journalSeqs } from '../../../server/store/files/layout.ts'
import { systemTimers } from '../../../server/util/timers.ts'
import type { Random } from '../../support/replicas/random.ts'
import { flipped } from '../../support/replicas/simulated-place.ts'
import type { Person } from '../model/person.ts'
import { checkCopy } from '../oracles/places.ts'
import { dataDir } from '../world/machine.ts'
import type { World } from '../world/world.ts'
import type { Act } from './act.ts'
import { homesAt } from './choose.ts'
import { type Copy, currentCopy } from './places.ts'
import { newPost } from './records.ts'
import { send } from './send-writes.ts'

/** Returns a copy that is up to date, and an account whose changes it has. */
async function copied(
  world: World,
  random: Random,
): Promise<(Copy & { readonly author: Person }) | undefined> {
  const copy = await currentCopy(world, random)
  const author = copy && homesAt(world, random, copy.machine)
  return author && { ...copy, author }
}

const posting = (world: World, author: Person) =>
  send(world, author, { method: 'createRecord', writes: [newPost(world)] })

const flushMs = 60_000

/** Turns of the event loop that a step of the copies takes. */
const turnsOfStep = 40

/** A sync fails while the journal is read for a copy: the transaction is refused, and another one takes its number. */
export const copyMeanwhile: Act = {
  weight: 1,
  async run(world, random) {
    const found = await copied(world, random)
    if (!found) return undefined
    const { machine, host, author } = found
    const { copies } = machine.running.services.operation
    const words = [await posting(world, author)]
    const turns = async () => {
      for (let left = random.below(turnsOfStep); left > 0; left--) await systemTimers.nextTurn()
    }
    const fail = () => machine.failSoon(random.below(8), 'lost sync')
    // What is read ahead may be refused while it is read, or later.
    const isRead = random.chance(0.5)
    if (isRead) fail()
    const early = isRead ? posting(world, author) : undefined
    await turns()
    const copying = copies.flush(flushMs)
    await turns()
    if (!isRead) fail()
    words.push(await (early ?? posting(world, author)), await posting(world, author))
    await world.drive(copying)
    await world.drive(copies.flush(flushMs))
    if (machine.isRunning) words.push(await checkCopy(world, machine, host))
    return `while it copies, ${words.join('; ')}`
  },
}

/** A bit of a transaction flips on the disk before a copy has it. The server does not read it again: its database gets the change. */
export const flipJournal: Act = {
  weight: 1,
  async run(world, random) {
    const found = await copied(world, random)
    if (!found) return undefined
    const { machine, host, author } = found
    const { store, operation } = machine.running.services
    const words = await posting(world, author)
    const first = journalSeqs(machine.disk.names(dataDir)).at(-1)
    if (first === undefined || !machine.isRunning) return words
    const content = machine.disk.content(journalPath(dataDir, first))
    const used = content.findLastIndex((byte) => byte !== 0) + 1
    content.set(flipped(content.subarray(used - 40, used), random.next()), used - 40)
    await world.drive(store.checkpoint())
    await world.drive(operation.copies.flush(flushMs))
    return `${words}, its journal is damaged; ${machine.isRunning ? await checkCopy(world, machine, host) : ''}`
  },
}
