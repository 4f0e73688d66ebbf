/** Places for continuous copies: they are added and removed, fail, are damaged, proven and looked into. */
import { basename } from 'node:path'
import { keptJournals } from '../../../server/store/journal/retire.ts'
import type { Random } from '../../support/replicas/random.ts'
import { flipped } from '../../support/replicas/simulated-place.ts'
import { checkCopy, isCurrent, statusOf } from '../oracles/places.ts'
import { dataDir, type Machine } from '../world/machine.ts'
import { moods, type PlaceHost } from '../world/place-host.ts'
import { tryRestore } from '../world/trial-restore.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'

export interface Copy {
  readonly machine: Machine
  readonly host: PlaceHost
}

/** Places of machines that run. */
function copiesOf({ machines }: World, isChosen: (host: PlaceHost) => boolean): Copy[] {
  return machines
    .filter(({ isRunning }) => isRunning)
    .flatMap((machine) => machine.places.filter(isChosen).map((host) => ({ machine, host })))
}

export function pickCopy(
  world: World,
  random: Random,
  isChosen: (host: PlaceHost) => boolean,
): Copy | undefined {
  const copies = copiesOf(world, isChosen)
  return copies.length > 0 ? random.pick(copies) : undefined
}

const isUsed = (host: PlaceHost) => host.isUsed

/** Time for a copy of what was changed a moment ago. */
const copiedMs = 60_000

/** Returns a copy of which all is sound and up to date, perhaps after a minute. All links work then. */
export async function currentCopy(world: World, random: Random): Promise<Copy | undefined> {
  const copy = pickCopy(world, random, (host) => host.isUsed && host.isWell && !host.isDoubtful)
  if (!copy || copy.machine.disk.hasFault) return undefined
  world.wire.heal()
  const { machine, host } = copy
  if (!isCurrent(statusOf(machine, host))) {
    const { clock } = world.time
    await clock.set(new Date(clock.now().getTime() + copiedMs), 4)
    machine.noticeDeath()
  }
  return machine.isRunning && isCurrent(statusOf(machine, host)) ? copy : undefined
}

/** Starts a server again, with other settings. Now and then it is killed soon. */
async function restart(world: World, machine: Machine, random: Random): Promise<string> {
  await world.drive(machine.stop())
  await world.drive(machine.start())
  if (!random.chance(0.3)) return ''
  const after = random.below(80)
  machine.failSoon(after, random.pick(['kill', 'power cut']))
  return `, which ends in ${after} operations of the disk`
}

export const addPlace: Act = {
  weight: 1,
  async run(world, random) {
    const copy = pickCopy(world, random, (host) => !host.isUsed)
    if (!copy) return undefined
    const { machine, host } = copy
    host.isUsed = true
    return `${machine.name}: copies to ${host.kind}${await restart(world, machine, random)}`
  },
}

export const removePlace: Act = {
  weight: 1,
  async run(world, random) {
    const copy = random.chance(0.3) ? pickCopy(world, random, isUsed) : undefined
    if (!copy) return undefined
    const { machine, host } = copy
    host.isUsed = false
    return `${machine.name}: copies to ${host.kind} no more${await restart(world, machine, random)}`
  },
}

export const failPlace: Act = {
  weight: 2,
  async run(world, random) {
    const copy = pickCopy(world, random, isUsed)
    if (!copy) return undefined
    const { machine, host } = copy
    const kind = random.pick(['slow', 'well', ...moods])
    if (kind === 'slow') world.wire.slow(machine.name, host.name, 1 + random.below(5000))
    else if (kind === 'well') host.heal()
    else host.fail(kind as (typeof moods)[number], random.below(2 ** 31))
    return `${machine.name}: the place ${host.kind} is ${kind}`
  },
}

export const damagePlace: Act = {
  weight: 1,
  async run(world, random) {
    const copy = pickCopy(world, random, isUsed)
    if (!copy) return undefined
    const { machine, host } = copy
    const isLost = random.chance(0.5)
    const name = host.damage(random, isLost)
    const [folder] = name?.split('/') ?? []
    return name && `${machine.name}: the place ${host.kind} ${isLost ? 'loses' : 'damages'} one of ${folder}`
  },
}

/** Logical time for which a proof is waited for. */
const proofMs = 5 * 60_000

export const provePlace: Act = {
  weight: 1,
  async run(world, random) {
    const copy = pickCopy(world, random, isUsed)
    if (!copy) return undefined
    const { machine, host } = copy
    const words = `${machine.name}: proof of the copy at ${host.kind}`
    if (random.chance(0.3)) machine.failSoon(random.below(60), random.pick(['kill', 'power cut', 'fails']))
    const result = await prove(world, machine, host)
    if (result !== 'proven') return `${words}: ${result ?? 'goes on'}`
    const trial = await tryRestore(world, host)
    if (trial instanceof Error)
      throw new Violation(`${words} has succeeded, and it cannot be restored: ${trial.message}`)
    host.isDoubtful = false
    return `${words}: ${result} up to ${trial.seq}`
  },
}

/** Proves a copy. @returns the result in words; undefined if it goes on */
export async function prove(world: World, machine: Machine, host: PlaceHost): Promise<string | undefined> {
  const { copies } = machine.running.services.operation
  let result: string | undefined
  const work = async () => {
    const { problem } = await copies.prove(host.url)
    result = problem ?? 'proven'
  }
  work().catch((error: unknown) => {
    result ??= `fails: ${(error as Error).message}`
  })
  const { clock } = world.time
  const until = clock.now().getTime() + proofMs
  for (await world.time.settle(); result === undefined && clock.now().getTime() < until; )
    await clock.advance(1000)
  machine.noticeDeath()
  return result
}

/** Restores what a place has to another computer. */
export const tryPlace: Act = {
  weight: 1,
  async run(world, random) {
    const copy = pickCopy(world, random, isUsed)
    // The data of the machine are read, too.
    if (!copy || copy.machine.disk.hasFault || !statusOf(copy.machine, copy.host)) return undefined
    return checkCopy(world, copy.machine, copy.host)
  },
}

/** Flips a bit of a journal that is kept for places. The server has its transactions in the database. */
export const damageJournal: Act = {
  weight: 1,
  async run(world, random) {
    const machines = world.machines.filter(({ places }) => places.some(isUsed))
    if (machines.length === 0) return undefined
    const { name, disk } = random.pick(machines)
    const journals = disk.paths.filter((path) => path.startsWith(`${keptJournals(dataDir)}/`))
    if (journals.length === 0) return undefined
    const path = random.pick(journals)
    const content = disk.content(path)
    // The rest is reserved space.
    const used = content.findLastIndex((byte) => byte !== 0) + 1
    content.set(flipped(content.subarray(0, used), random.next()))
    return `${name}: the kept journal ${basename(path)} is damaged`
  },
}
