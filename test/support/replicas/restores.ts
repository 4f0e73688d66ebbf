/** Restores of a place in a step. */

import { bringBack } from '../../../server/operation/replicas/bring-back.ts'
import type { Place } from '../../../server/operation/replicas/places/place.ts'
import { sealedBytes } from '../../../server/operation/replicas/replica-key.ts'
import type { Sealer } from '../../../server/operation/replicas/sealer.ts'
import { copy } from './acts.ts'
import { Computer, dataDir } from './computer.ts'
import { checkRestored, failRestore } from './oracle.ts'
import { createRandom } from './random.ts'
import { Violation } from './rules.ts'
import { SimulatedPlace } from './simulated-place.ts'
import type { World } from './world.ts'

/** Restores the copy on a computer, or on a new one. */
export async function restore(world: World, on: Computer | undefined): Promise<void> {
  const computer = on ?? world.add()
  if (computer.process) await computer.stop()
  computer.disk.restart()
  const truth = await world.truth()
  const isWell = world.place.mood.kind === 'well' && computer.isOnline
  const place = world.place.connect(() => computer.isOnline)
  const result = await bringBackTo(world, computer, place).catch((error: unknown) => {
    if (error instanceof Violation) throw error
    if (isWell) failRestore(world, truth, error)
    return undefined
  })
  computer.damage = undefined
  // Without a copy, a person does not go on there.
  if (!result && !on) {
    world.computers.splice(world.computers.indexOf(computer), 1)
    return
  }
  await computer.start()
  if (result) {
    checkRestored(world, { computer, truth, isWell, ...result })
    Object.assign(world.tracked(computer), {
      ...{ tookOverAt: world.at, snapshot: undefined, isRefused: false },
      ...{ isJournalDamaged: false, isPageDamaged: false, hasCopied: false },
    })
  }
  for (const each of world.computers) world.tracked(each).readings = 0
  if (computer.process) await copy(world, computer, { isWoken: true })
}

/** Restores what the place truly has on a computer of its own, without any trace. */
export async function tryRestore(world: World): Promise<void> {
  const truth = await world.truth()
  if (truth.reachable.size === 0) return
  const place = new SimulatedPlace(createRandom(1))
  place.objects = new Map(world.place.objects)
  const computer = new Computer('trial', world.around)
  const result = await bringBackTo(
    world,
    computer,
    place.connect(() => true),
  ).catch((error: unknown) => {
    failRestore(world, truth, error)
  })
  if (!result) return
  computer.isOnline = false
  await computer.start()
  checkRestored(world, { computer, truth, isWell: true, ...result })
  await computer.kill()
}

/** Restores as a person does who accepts each loss. */
async function bringBackTo({ key }: World, { now, disk }: Computer, place: Place) {
  const sealer: Sealer = {
    fingerprint: key.fingerprint,
    hiddenName: (name) => key.hiddenName(name),
    sealedBytes,
    seal: (name, content) => key.seal(name, content),
    open: (name, sealed) => key.open(name, sealed),
    end: async () => {},
  }
  const losses: string[] = []
  const confirmLoss = async (loss: string) => losses.push(loss) > 0
  const target = { place, sealer }
  const { missing } = await bringBack({ target, dataDir, now, files: disk.files, confirmLoss })
  return { missing, losses }
}
