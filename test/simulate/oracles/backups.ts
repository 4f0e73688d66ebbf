/** A server that is to make daily backups makes them, whatever its clock has been. */
import { listBackups } from '../../../server/operation/replicas/local/list.ts'
import { Violation } from '../acts/act.ts'
import { dataDir, type Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'

const hourMs = 60 * 60_000
/** The job that makes one when the last is a day old runs each hour; a computer may just have slept. */
const waitMs = 2 * hourMs
const latestMs = 24 * hourMs + waitMs

export async function checkBackups(world: World): Promise<void> {
  const { clock } = world.time
  const late: Machine[] = []
  for (const machine of world.machines)
    if (machine.hasDailyBackups && !(await hasBackup(world, machine))) late.push(machine)
  if (late.length === 0) return
  await clock.set(new Date(clock.now().getTime() + waitMs), 5)
  for (const machine of late)
    if (!(await hasBackup(world, machine))) throw new Violation(`${machine.name} makes no daily backups`)
}

async function hasBackup(world: World, { disk, now }: Machine): Promise<boolean> {
  const backups = await world.drive(listBackups(dataDir, disk.files))
  const age = (at: Date) => now().getTime() - at.getTime()
  return backups.some(({ at }) => age(at) >= 0 && age(at) <= latestMs)
}
