/** Updates of the program: a server that runs is stopped or dies, and its next start upgrades the data, now and then in several tries. */
import type { Random } from '../../support/replicas/random.ts'
import type { Machine } from '../world/machine.ts'
import { mostUpdates, newestVersion, setProgram } from '../world/program.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'

const faults = [
  'kill',
  'power cut',
  'power cut, prefix kept',
  'power cut, last kept',
  'power cut, sectors kept',
  'fails',
  'torn write',
] as const

/** Operations of the disk of a start with an upgrade, and of one with several of them. */
const operations = [15, 60, 150]
/** Bytes in which no database fits. */
const fewBytes = 4096

export const updateProgram: Act = {
  weight: 1,
  async run(world, random) {
    const machine = random.pick(world.machines)
    // Some updates are left out by a server that is not started in between.
    if (world.updates < mostUpdates && random.chance(0.7)) setProgram(++world.updates)
    const words = [`${machine.name}: update to version ${newestVersion()}`]
    if (machine.isRunning) words.push(await end(world, random, machine))
    if (random.chance(0.15)) words.push(await startWithoutSpace(world, machine))
    for (let tries = random.below(4); tries > 0; tries--) {
      words.push(await interruptedStart(world, random, machine))
      if (machine.isRunning) await end(world, random, machine)
    }
    await world.drive(machine.start(), `${machine.name}: start`)
    checkVersion(machine)
    return words.join(', ')
  },
}

async function end(world: World, random: Random, machine: Machine): Promise<string> {
  const way = random.pick(['stops', 'kill -9', 'power cut'] as const)
  if (way === 'stops') await world.drive(machine.stop(), `${machine.name}: stop`)
  else if (way === 'kill -9') machine.kill()
  else machine.cutPower()
  return way
}

async function interruptedStart(world: World, random: Random, machine: Machine): Promise<string> {
  const start = machine.start()
  const [fault, after] = [random.pick(faults), random.below(random.pick(operations))]
  machine.failSoon(after, fault)
  const error = await world.drive(start).catch((error: unknown) => error)
  const { hasFault, off } = machine.disk
  if (error && !hasFault && !off) throw error
  if (!error && machine.isRunning) checkVersion(machine)
  return `"${fault}" after ${after} operations of its start`
}

/** The old database is kept beside the new one. Without the space for it, the start is refused. */
async function startWithoutSpace(world: World, machine: Machine): Promise<string> {
  const { disk } = machine
  disk.restart()
  disk.free = fewBytes
  const error = await world.drive(machine.start()).catch((error: Error) => error)
  disk.free = Number.POSITIVE_INFINITY
  if (!error) {
    checkVersion(machine)
    await world.drive(machine.stop(), `${machine.name}: stop`)
    return 'nothing to upgrade'
  }
  return `without space: ${error.message}`
}

/** A server that runs has upgraded its data. */
export function checkVersion({ name, running }: Machine): void {
  const { user_version: version } =
    running.services.store.get<{ user_version: number }>('PRAGMA user_version') ?? {}
  if (version !== newestVersion())
    throw new Violation(`${name} runs on data of version ${version}, not ${newestVersion()}`)
}
