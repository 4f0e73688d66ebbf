/** The disks of servers that have been started once: creating the tables takes ten times as long as any other start. */
import type { FaultyDisk } from '../../support/store/faulty-disk.ts'
import { keyOfCopies } from './place-host.ts'
import { World } from './world.ts'

/** By name of the machine. */
export type Disks = ReadonlyMap<string, FaultyDisk>

let installed: Promise<Disks> | undefined

/** Creates a world whose servers are installed. */
export async function createWorld(seed: number): Promise<World> {
  installed ??= install()
  return new World(seed, await installed)
}

async function install(): Promise<Disks> {
  // Loads the library: later, that would take real time while logical time stands still.
  await keyOfCopies()
  const world = new World(0)
  await world.start()
  for (const machine of world.machines) await world.drive(machine.stop())
  await world.close()
  return new Map(world.machines.map(({ name, disk }) => [name, disk]))
}
