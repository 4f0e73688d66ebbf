/** Servers that stop or start while their disk fails, or the power does: the moments of checkpoints and of recovery. */
import type { Random } from '../../support/replicas/random.ts'
import type { Fault } from '../../support/store/faulty-disk.ts'
import type { Machine } from '../world/machine.ts'
import type { Act } from './act.ts'
import { runningMachine } from './choose.ts'

const faults: readonly Fault[] = [
  'kill',
  'power cut',
  'power cut, prefix kept',
  'power cut, last kept',
  'power cut, sectors kept',
  'fails',
  'lost sync',
]

/** Operations of the disk at the end of a server, of which most are those of its last checkpoint. */
const operations = 30

function interrupt(machine: Machine, random: Random): string {
  const fault = random.pick(faults)
  const after = random.below(operations)
  machine.failSoon(after, fault)
  return `"${fault}" after ${after} operations of the disk`
}

export const interruptStop: Act = {
  weight: 1,
  async run(world, random) {
    const machine = runningMachine(world, random)
    if (!machine) return undefined
    const words = interrupt(machine, random)
    await world.drive(machine.stop())
    return `${machine.name}: stops, ${words}`
  },
}

export const interruptStart: Act = {
  weight: 1,
  async run(world, random) {
    const machines = world.machines.filter(({ isRunning }) => !isRunning)
    if (machines.length === 0) return undefined
    const machine = random.pick(machines)
    const start = machine.start()
    const words = interrupt(machine, random)
    // The server says that its disk has failed.
    const error = await world.drive(start).catch((error: unknown) => error)
    if (error && !machine.disk.hasFault) throw error
    return `${machine.name}: starts, ${words} → ${error ? 'it does not run' : 'it runs'}`
  },
}
