/** What goes wrong, and the passing of time. */

import type { Fault } from '../../support/store/faulty-disk.ts'
import { type Act, Violation } from './act.ts'
import { runningMachine } from './choose.ts'

export const kill: Act = {
  weight: 1,
  async run(world, random) {
    const machine = runningMachine(world, random)
    if (!machine) return undefined
    if (random.chance(0.5)) {
      machine.kill()
      return `${machine.name}: kill -9`
    }
    machine.cutPower()
    return `${machine.name}: power cut`
  },
}

/** Stops a server in order. */
export const stop: Act = {
  weight: 1,
  async run(world, random) {
    const machine = runningMachine(world, random)
    if (!machine) return undefined
    await world.drive(machine.stop(), `${machine.name}: stop`)
    return `${machine.name}: stops`
  },
}

const diskFaults: readonly Fault[] = [
  'kill',
  'power cut',
  'power cut, prefix kept',
  'power cut, last kept',
  'power cut, sectors kept',
  'fails',
  'works but fails',
  'torn write',
  'short write',
  'lost sync',
  'disk full',
]

/** A fault at an operation of the disk during the next steps. */
export const failDisk: Act = {
  weight: 2,
  async run(world, random) {
    const machine = runningMachine(world, random)
    if (!machine) return undefined
    const fault = random.pick(diskFaults)
    const after = random.below(12)
    machine.failSoon(after, fault)
    return `${machine.name}: "${fault}" in ${after} operations of the disk`
  },
}

export const start: Act = {
  weight: 6,
  async run(world, random) {
    const machines = world.machines.filter(({ isRunning }) => !isRunning)
    if (machines.length === 0) return undefined
    const machine = random.pick(machines)
    await world.drive(machine.start(), `${machine.name}: start`)
    return `${machine.name}: starts`
  },
}

/** Starts a server once more on the folder of one that runs. */
export const startSecond: Act = {
  weight: 1,
  async run(world, random) {
    const machine = runningMachine(world, random)
    if (!machine) return undefined
    const words = `${machine.name}: a second start on the same folder`
    // A fault of the disk may end it before the lock does.
    const hasStarted = await world.drive(machine.startSecond()).then(
      () => true,
      () => false,
    )
    if (hasStarted && machine.isRunning) throw new Violation(`${words} is permitted`)
    return `${words} is refused`
  },
}

/** Cuts, slows or interrupts the link between two nodes. */
export const failLink: Act = {
  weight: 2,
  async run(world, random) {
    const nodes = [...world.machines.map(({ name }) => name), 'plc', 'outside']
    const one = random.pick(nodes)
    const other = random.pick(nodes.filter((node) => node !== one))
    const kind = random.pick(['interrupt', 'slow', 'cut'])
    if (kind === 'interrupt') world.wire.interrupt(one, other)
    else if (kind === 'slow') world.wire.slow(one, other, 1 + random.below(5000))
    else world.wire.cutNext(one, other, random.below(3000))
    return `the link of ${one} and ${other}: ${kind}`
  },
}

export const heal: Act = {
  weight: 2,
  async run(world) {
    world.wire.heal()
    // Delayed requests arrive before later ones.
    await world.time.settle()
    return 'all links work'
  },
}

export const wait: Act = {
  weight: 3,
  async run(world, random) {
    const ms = Math.floor(10 ** (3 + random.next() * 5))
    const { clock } = world.time
    await clock.set(new Date(clock.now().getTime() + ms), 2)
    return `${ms} ms pass`
  },
}

/** All computers sleep: their processes stand still while the clock goes on. */
export const sleep: Act = {
  weight: 1,
  async run(world, random) {
    const { clock } = world.time
    const ms = Math.floor(10 ** (3 + random.next() * 5.5))
    clock.leap(new Date(clock.now().getTime() + ms))
    world.keepFiles(ms)
    return `all computers sleep for ${ms} ms`
  },
}
