/** Disks that are nearly full, and disks that have lost what they confirmed, of computers that have a copy. */
import { databaseName, journalPath, journalSeqs } from '../../../server/store/files/layout.ts'
import { lineBytes, readFrameHeader } from '../../../server/store/journal/journal.ts'
import { restored } from '../model/snapshot.ts'
import { statusOf } from '../oracles/places.ts'
import { dataDir, type Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { homesAt } from './choose.ts'
import { currentCopy } from './places.ts'
import { newPost } from './records.ts'
import { placeOf, restoreOn } from './restores.ts'
import { send } from './send-writes.ts'
import { renew } from './sessions.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** After this time, a server has read its places again. */
const noticedMs = 16 * minuteMs

async function pass({ time: { clock } }: World, ms: number, slices: number): Promise<void> {
  await clock.set(new Date(clock.now().getTime() + ms), slices)
}

/** All computers sleep. A clock that is ahead by more than a week would not be trusted. */
async function leapDays(world: World, days: number): Promise<void> {
  const { clock } = world.time
  clock.leap(new Date(clock.now().getTime() + days * dayMs))
  world.keepFiles(days * dayMs)
  await pass(world, 2 * noticedMs, 4)
}

/** A disk has too little space for a new base, which is due after a week. Changes are copied all the same. */
export const fillDisk: Act = {
  weight: 1,
  async run(world, random) {
    const copy = await currentCopy(world, random)
    const author = copy && homesAt(world, random, copy.machine)
    if (!author) return undefined
    const { machine, host } = copy
    machine.disk.free = machine.disk.content(`${dataDir}/${databaseName}`).length / 4
    await leapDays(world, 4)
    await leapDays(world, 3.5)
    await renew(world, author)
    const words = await send(world, author, { method: 'createRecord', writes: [newPost(world)] })
    await pass(world, noticedMs, 8)
    machine.noticeDeath()
    const status = machine.isRunning ? statusOf(machine, host) : undefined
    machine.disk.free = Number.POSITIVE_INFINITY
    const copied = `${machine.name}: its disk was nearly full for a week; ${words}; the copy at ${host.kind} is behind by ${status?.behindSeconds} s`
    if (status && status.behindSeconds * 1000 > noticedMs / 2) throw new Violation(copied)
    return copied
  },
}

/**
 * A power cut shows that the disk has lost the last transactions, although it had confirmed them. The copy has them: the server
 * offers them, and blames no other computer.
 */
export const loseFrames: Act = {
  weight: 1,
  async run(world, random) {
    const copy = await currentCopy(world, random)
    if (!copy) return undefined
    const { machine, host } = copy
    machine.kill()
    const lost = cutJournal(machine)
    await world.drive(machine.start(), `${machine.name}: start`)
    if (!lost) return `${machine.name}: kill -9`
    await pass(world, noticedMs, 8)
    const words = `${machine.name}: its disk has lost a transaction`
    const status = statusOf(machine, host)
    if (status?.problem?.kind === 'elsewhere') throw new Violation(`${words}, and it blames another computer`)
    const until = status?.lost?.until
    if (!until) throw new Violation(`${words}, which the place ${host.kind} has and does not offer`)
    await world.drive(machine.stop())
    const source = async () => ({ ...(await placeOf(machine, host)), at: until })
    const at = await restoreOn(world, machine, random, source)
    restored(world, machine)
    await world.drive(machine.start(), `${machine.name}: start`)
    return `${words}, and gets it back from ${host.kind}, of ${at.toISOString()}`
  },
}

/** Removes the last frame of the newest journal. @returns whether there was one */
function cutJournal({ disk }: Machine): boolean {
  const first = journalSeqs(disk.names(dataDir)).at(-1)
  if (first === undefined) return false
  const content = disk.content(journalPath(dataDir, first))
  let [at, last] = [lineBytes, 0]
  for (let header = readFrameHeader(content, at); header; header = readFrameHeader(content, at)) {
    last = at
    at += lineBytes + header.length
  }
  if (last > 0) content.fill(0, last)
  return last > 0
}
