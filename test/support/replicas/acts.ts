/** What happens to computers and their place in a step, other than restores. */
import { minute, second } from '../server/clock.ts'
import type { Computer, Written } from './computer.ts'
import { checkEmpty, checkOtherHasRun, checkProof, checkRecovery } from './oracle.ts'
import { well } from './simulated-place.ts'
import { settle } from './simulation.ts'
import type { World } from './world.ts'

export async function write(world: World, computer: Computer, count: number): Promise<void> {
  for (let left = count; left > 0; left--) checkWritten(world, computer, await computer.write())
}

export async function addMedia(world: World, computer: Computer, bytes: number): Promise<void> {
  checkWritten(world, computer, await computer.addMedia(bytes))
}

function checkWritten(world: World, computer: Computer, result: Written): void {
  if (result === 'refused') checkOtherHasRun(world, computer, 'refuses a write')
}

interface Copying {
  /** Whether the place is read again. */
  readonly isWoken: boolean
  /** The operation of the place at which the process is killed. */
  readonly killAt?: number | undefined
}

export async function copy(world: World, computer: Computer, { isWoken, killAt }: Copying): Promise<void> {
  const { place } = world
  const isEmpty = place.objects.size === 0
  let operations = 0
  place.onOperation = () => {
    if (++operations !== killAt || !computer.process) return
    computer.process.isAlive = false
    computer.disk.kill()
  }
  await computer.copy(isWoken)
  place.onOperation = () => {}
  if (computer.process?.isAlive === false) return kill(world, computer, { isPowerCut: false })
  if (isWoken && isEmpty) checkEmpty(world, computer)
  if (computer.status?.copiedAt) world.tracked(computer).hasCopied = true
  hasRead(world, computer, isWoken)
}

function hasRead(world: World, computer: Computer, isWoken: boolean): void {
  const { place } = world
  const tracked = world.tracked(computer)
  if (place.lies > 0) world.doubtAll('listing')
  const isWell = place.wrongReads === 0 && place.lies === 0
  if (!isWoken || !isWell || computer.status?.problem || !computer.isOnline) return
  if (place.mood.kind === 'well') tracked.readings++
  if (tracked.doubt === 'listing') tracked.doubt = 'none'
}

/** Writes that are each copied, for some minutes. */
export async function busy(world: World, computer: Computer, count: number): Promise<void> {
  for (let left = count; left > 0 && computer.process; left--) {
    await write(world, computer, 1)
    world.time += 10 * second
    world.place.beginStep()
    await computer.copy(false)
    if (world.place.lies > 0) world.doubtAll('listing')
  }
}

/** A write whose sync fails while its frame is in the journal, and the place is copied to meanwhile. */
export async function failSync(world: World, computer: Computer, isWoken: boolean): Promise<void> {
  let copying: Promise<void> | undefined
  computer.failingSync = () => {
    copying = computer.copy(isWoken)
    // The copy of a database waits for the sync.
    const isWaiting = new Promise<void>((resolve) => {
      computer.onCopyTo = resolve
    })
    return Promise.race([copying, isWaiting])
  }
  await write(world, computer, 1)
  computer.failingSync = undefined
  computer.onCopyTo = () => {}
  await copying
  if (world.place.lies > 0) world.doubtAll('listing')
}

/** Starts a computer, which reads the place. */
export async function start(world: World, computer: Computer): Promise<void> {
  await computer.start()
  world.tracked(computer).readings = 0
  for (const other of world.running) world.tracked(other).readings = 0
  if (computer.process) await copy(world, computer, { isWoken: true })
}

export async function kill(world: World, computer: Computer, { isPowerCut }: { isPowerCut: boolean }) {
  await computer.kill(isPowerCut)
  await start(world, computer)
}

export async function restart(world: World, computer: Computer): Promise<void> {
  await computer.stop()
  await start(world, computer)
}

/** @param error milliseconds that the clock is ahead */
export function setClock(world: World, computer: Computer, error: number): void {
  computer.clockError = error
  if (error !== 0) world.tracked(computer).wasClockWrong = true
}

/** Another computer runs with a copy of the disk. */
export async function clone(world: World, computer: Computer): Promise<void> {
  const added = world.add(computer.disk.clone())
  if (!world.tracked(computer).hasCopied) world.branches.add(computer.head)
  Object.assign(world.tracked(added), { ...world.tracked(computer), tookOverAt: -1, readings: 0 })
  await start(world, added)
}

export function takeSnapshot(world: World, computer: Computer): void {
  const tracked = world.tracked(computer)
  const { hasCopied, tookOverAt } = tracked
  tracked.snapshot = { disk: computer.disk.clone(), hasCopied, tookOverAt }
}

/** The disk loses what it has got since the snapshot. */
export async function rollBack(world: World, computer: Computer): Promise<void> {
  const tracked = world.tracked(computer)
  if (!tracked.snapshot) return
  const { disk, ...earlier } = tracked.snapshot
  await computer.kill()
  computer.disk = disk.clone()
  Object.assign(tracked, earlier)
  await start(world, computer)
  // Only a base of its own leads to the lost branch, and the place may have lost that one.
  world.branches.add(computer.head)
}

/** The owner decides that a computer that refuses writes goes on. */
export async function continueHere(world: World, computer: Computer): Promise<void> {
  const tracked = world.tracked(computer)
  if (!tracked.isRefused) return
  await computer.process?.copies.continueHere()
  await settle()
  tracked.tookOverAt = world.at
  for (const each of world.computers) world.tracked(each).readings = 0
  await copy(world, computer, { isWoken: true })
}

/** @param isLost false: a bit of it flips */
export function damageObject(world: World, { pick, part, isLost }: Damage): void {
  const { place } = world
  const names = place.names()
  const name = names[pick % Math.max(1, names.length)]
  if (!name) return
  if (isLost) place.lose(name)
  else place.rot(name, part)
  world.hasLostObjects = true
  world.doubtAll(isLost ? 'listing' : 'content', name.startsWith('media/'))
}

interface Damage {
  readonly pick: number
  /** Share of the object before the damage. */
  readonly part: number
  readonly isLost: boolean
}

export async function prove(world: World, computer: Computer): Promise<void> {
  const { head, process } = computer
  if (!process) return
  const proof = await process.copies.prove(computer.status?.url ?? '').catch(() => undefined)
  await settle()
  if (!proof || proof.problem !== undefined || !world.isMounted) return
  // Wrong answers may hide that an object is damaged.
  if (world.place.wrongReads > 0 || world.place.lies > 0) return
  await checkProof(world, computer, head)
  const tracked = world.tracked(computer)
  tracked.doubt = 'none'
  tracked.isMediaInDoubt = false
}

export async function compact(world: World, computer: Computer): Promise<void> {
  await computer.process?.copies.compact()
  if (world.place.lies > 0) world.doubtAll('listing')
}

/** All faults end. */
export async function calm(world: World): Promise<void> {
  world.place.mood = well
  if (!world.isMounted) world.mount()
  for (const computer of world.computers) {
    computer.isOnline = true
    computer.clockError = 0
  }
  // Longer than any clock was ahead, for what was written then.
  for (let round = 0; round < 6; round++) {
    world.time += 10 * minute
    for (const computer of world.running) {
      await copy(world, computer, { isWoken: true })
      // The copy was begun in the folder where the disk was not mounted.
      if (computer.status?.problem?.kind === 'empty') await acceptEmpty(world, computer)
    }
  }
  const accepting = world.running.filter(({ status }) => status?.problem?.kind !== 'elsewhere')
  await checkRecovery(world, accepting)
}

async function acceptEmpty(world: World, computer: Computer): Promise<void> {
  await computer.process?.copies.acceptEmpty(computer.status?.url ?? '')
  world.tracked(computer).hasCopied = false
}
