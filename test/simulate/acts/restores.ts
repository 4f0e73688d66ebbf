/** Backups are made and restored; a computer is lost and replaced by another one, which gets the copy of a place. */
import { bringBack } from '../../../server/operation/replicas/bring-back.ts'
import { makeBackup } from '../../../server/operation/replicas/local/backups.ts'
import { type Backup, listBackups } from '../../../server/operation/replicas/local/list.ts'
import { localTarget } from '../../../server/operation/replicas/local/target.ts'
import { openPlace } from '../../../server/operation/replicas/places/open.ts'
import { createSealer } from '../../../server/operation/replicas/sealer.ts'
import type { Target } from '../../../server/operation/replicas/send.ts'
import type { Files } from '../../../server/store/files/files.ts'
import type { Random } from '../../support/replicas/random.ts'
import { FaultyDisk } from '../../support/store/faulty-disk.ts'
import { canReturn, restored, returnTo, takeSnapshot } from '../model/snapshot.ts'
import { isCurrent, statusOf } from '../oracles/places.ts'
import { dataDir, type Machine } from '../world/machine.ts'
import { keyOfCopies, type PlaceHost } from '../world/place-host.ts'
import { filesOf } from '../world/process-files.ts'
import { currentProcess, type Process } from '../world/wire.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { runningMachine } from './choose.ts'
import { pickCopy } from './places.ts'

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

export const replaceComputer: Act = {
  weight: 1,
  async run(world, random) {
    const copy = pickCopy(world, random, (host) => host.isUsed && host.isWell && !host.isDoubtful)
    if (!copy || !isCurrent(statusOf(copy.machine, copy.host))) return undefined
    const { machine, host } = copy
    machine.kill()
    machine.disk = new FaultyDisk()
    machine.backups.clear()
    world.wire.heal()
    const at = await restoreOn(world, machine, random, async () => ({ target: await openHost(host) }))
    restored(world, machine)
    await world.drive(machine.start())
    return `${machine.name}: another computer has the copy at ${host.kind} of ${at.toISOString()}`
  },
}

async function openHost(host: PlaceHost): Promise<Target> {
  const place = await openPlace(host.url, { credentials: host.credentials })
  return { place, sealer: createSealer(await keyOfCopies(), { isInline: true }) }
}

interface Source {
  readonly target: Target
  /** The name of a backup. */
  readonly base?: string
}

async function targetOf(files: Files, { name: base }: Backup): Promise<Source> {
  return { target: localTarget(dataDir, files), base }
}

/** Restores on a machine without a server. It may be interrupted once, and goes on then. @returns the time that it names */
async function restoreOn(
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
    const work = currentProcess.run(process, async () =>
      bringBack({ ...(await open(files)), dataDir, now: machine.now, files, confirmLoss: async () => false }),
    )
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
