/** Backups are made and restored; a computer is lost and replaced by another one, which gets the copy of a place. */
import { bringBack } from '../../../server/operation/replicas/bring-back.ts'
import { keepKey, openTarget, type PlaceToRead } from '../../../server/operation/replicas/from-place.ts'
import { makeBackup } from '../../../server/operation/replicas/local/backups.ts'
import { type Backup, listBackups } from '../../../server/operation/replicas/local/list.ts'
import { localTarget } from '../../../server/operation/replicas/local/target.ts'
import type { Target } from '../../../server/operation/replicas/send.ts'
import { listReplaced } from '../../../server/store/backups/replaced.ts'
import { undoRestore as undoRestoreOf } from '../../../server/store/backups/restore.ts'
import type { Files } from '../../../server/store/files/files.ts'
import type { Random } from '../../support/replicas/random.ts'
import { canReturn, restored, returnTo, takeSnapshot } from '../model/snapshot.ts'
import { dataDir, type Machine } from '../world/machine.ts'
import { keyOfCopies, type PlaceHost } from '../world/place-host.ts'
import { filesOf } from '../world/process-files.ts'
import { currentProcess, type Process } from '../world/wire.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { runningMachine } from './choose.ts'
import { currentCopy } from './places.ts'

const faults = ['kill', 'power cut', 'power cut, sectors kept', 'fails', 'disk full'] as const

export const backUp: Act = {
  weight: 1,
  async run(world, random) {
    const machine = runningMachine(world, random)
    if (!machine) return undefined
    const snapshot = takeSnapshot(world, machine)
    const { store, files } = machine.running.services
    if (random.chance(0.3)) machine.failSoon(random.below(40), random.pick(faults))
    const work = makeBackup({ dataDir, store, files, now: machine.now })
    const made = await world.drive(work).catch((error: Error) => error)
    if (made instanceof Error) return `${machine.name}: a backup fails: ${made.message}`
    if (made.isPartial) throw new Violation(`${machine.name}: the backup is partial`)
    machine.backups.set(made.name, snapshot)
    return `${machine.name}: a backup`
  },
}

/** Lets a server make a backup every day, or no longer. */
export const changeDailyBackups: Act = {
  weight: 1,
  async run(world, random) {
    const machine = random.chance(0.4) ? runningMachine(world, random) : undefined
    if (!machine) return undefined
    machine.hasDailyBackups = !machine.hasDailyBackups
    await world.drive(machine.stop())
    await world.drive(machine.start())
    return `${machine.name}: daily backups ${machine.hasDailyBackups ? 'begin' : 'end'}`
  },
}

export const restoreBackup: Act = {
  weight: 1,
  async run(world, random) {
    const machine = runningMachine(world, random)
    if (!machine) return undefined
    const backups = await world.drive(listBackups(dataDir, machine.disk.files)).catch(() => [])
    const possible = backups.filter(({ name }) => {
      const snapshot = machine.backups.get(name)
      return snapshot && canReturn(world, machine, snapshot)
    })
    if (possible.length === 0 || !machine.isRunning) return undefined
    const backup = random.pick(possible)
    const snapshot = machine.backups.get(backup.name)
    if (!snapshot) return undefined
    if (random.chance(0.5)) machine.kill()
    else await world.drive(machine.stop())
    // A person needs some minutes.
    await world.time.clock.advance(5 * 60_000)
    const at = await restoreOn(world, machine, random, (files) => targetOf(files, backup))
    if (at.getTime() !== backup.at.getTime())
      throw new Violation(
        `${machine.name}: the backup of ${backup.at.toISOString()} is restored as ${at.toISOString()}`,
      )
    returnTo(world, machine, snapshot)
    await world.drive(machine.start())
    return `${machine.name}: restores the backup of ${at.toISOString()}`
  },
}

/** Restores a backup, and puts the data back that it has replaced. Nothing is lost. */
export const undoRestore: Act = {
  weight: 1,
  async run(world, random) {
    const machine = runningMachine(world, random)
    const backups = machine && (await world.drive(listBackups(dataDir, machine.disk.files)).catch(() => []))
    if (!backups || backups.length === 0 || !machine.isRunning) return undefined
    const backup = random.pick([...backups])
    if (random.chance(0.5)) machine.kill()
    else await world.drive(machine.stop())
    const at = await restoreOn(world, machine, random, (files) => targetOf(files, backup))
    const { files } = machine.disk
    const [replaced] = await world.drive(listReplaced(dataDir, files))
    if (!replaced) throw new Violation(`${machine.name}: a restore has kept nothing of the replaced data`)
    const options = { directory: dataDir, now: machine.now, files }
    await world.drive(undoRestoreOf(options, `${dataDir}/${replaced.name}`))
    restored(world, machine)
    await world.drive(machine.start())
    return `${machine.name}: restores the backup of ${at.toISOString()}, and takes that back`
  },
}

export const replaceComputer: Act = {
  weight: 1,
  async run(world, random) {
    const copy = await currentCopy(world, random)
    if (!copy) return undefined
    const { machine, host } = copy
    machine.kill()
    machine.replace()
    world.wire.heal()
    // A restore lists the media again. Other parts of it list them, too.
    if (random.chance(0.7)) host.fail('lists less once', random.below(2 ** 31))
    const at = await restoreOn(world, machine, random, async () => placeOf(machine, host))
    host.heal()
    restored(world, machine)
    await world.drive(machine.start())
    return `${machine.name}: another computer has the copy at ${host.kind} of ${at.toISOString()}`
  },
}

interface Source {
  readonly target: Target
  /** The name of a backup. */
  readonly base?: string
  /** The time of the state; by default the newest one. */
  readonly at?: Date
  /** For a place of which this computer may have another key. */
  readonly place?: PlaceToRead
}

export async function placeOf({ keeper }: Machine, { url, credentials }: PlaceHost): Promise<Source> {
  const place = { url, credentials, keeper, key: await keyOfCopies(), isInline: true }
  return { place, target: await openTarget(place) }
}

export async function targetOf(files: Files, { name: base }: Backup): Promise<Source> {
  return { target: localTarget(dataDir, files), base }
}

/** Restores on a machine without a server. It may be interrupted once, and goes on then. @returns the time that it names */
export async function restoreOn(
  world: World,
  machine: Machine,
  random: Random,
  open: (files: Files) => Promise<Source>,
): Promise<Date> {
  for (let isFirst = true; ; isFirst = false) {
    const { disk } = machine
    disk.restart()
    if (isFirst && random.chance(0.5))
      disk.failAt(disk.operations + 1 + random.below(120), random.pick(faults))
    const process: Process = { node: machine.name, isDead: false }
    const files = filesOf(process, disk.files)
    const work = currentProcess.run(process, async () => {
      const { place, ...source } = await open(files)
      const options = { dataDir, now: machine.now, files, confirmLoss: async () => false }
      return bringBack({
        ...{ ...source, ...options },
        ...(place && { beforeCommit: () => keepKey(place, options) }),
      })
    })
    try {
      const { at, missing } = await world.drive(work)
      if (missing.length > 0) throw new Violation(`${machine.name}: the restore lacks ${missing}`)
      return at
    } catch (error) {
      world.wire.end(process)
      if (isFirst && (disk.off || disk.hasFault)) continue
      if (error instanceof Violation) throw error
      throw new Violation(`${machine.name}: the restore fails: ${(error as Error).message}`)
    }
  }
}
