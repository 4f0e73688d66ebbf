/** What happens to a place at a bad time: an object is damaged, its disk is missing, a reading fails. Afterwards the place is as before. */
import { blobsName, temporarySuffix } from '../../../server/store/files/layout.ts'
import type { Random } from '../../support/replicas/random.ts'
import { isCurrent, statusOf } from '../oracles/places.ts'
import { dataDir, type Machine } from '../world/machine.ts'
import type { PlaceHost } from '../world/place-host.ts'
import { tryRestore } from '../world/trial-restore.ts'
import { type Act, Violation } from './act.ts'
import { currentCopy, pickCopy, prove } from './places.ts'

const isSound = (host: PlaceHost) => host.isUsed && host.isWell && !host.isDoubtful

/** One segment is damaged: what leads up to it can be restored, and the rest is named as lost. */
export const damageSegment: Act = {
  weight: 1,
  async run(world, random) {
    const copy = pickCopy(world, random, isSound)
    const segments = [...(copy?.host.objects.keys() ?? [])].filter((name) => name.startsWith('segments/'))
    if (!copy || segments.length === 0) return undefined
    const { machine, host } = copy
    const before = await tryRestore(world, host)
    if (before instanceof Error) return undefined
    const putBack = host.flip(random.pick(segments.sort()), random)
    const after = await tryRestore(world, host)
    putBack()
    const words = `${machine.name}: with a damaged segment, the copy at ${host.kind}`
    if (after instanceof Error) throw new Violation(`${words} cannot be restored: ${after.message}`)
    if (after.seq < before.seq && after.losses.length === 0)
      throw new Violation(`${words} is restored up to ${after.seq} of ${before.seq} without a word`)
    return `${words} is restored up to ${after.seq} of ${before.seq}`
  },
}

/** After this time, a server has read its places again. */
const noticedMs = 16 * 60_000

/** The disk of a place is disconnected: its folder is empty. The server must not begin anew there. */
export const disconnectPlace: Act = {
  weight: 1,
  async run(world, random) {
    const copy = await currentCopy(world, random)
    if (!copy) return undefined
    const { machine, host } = copy
    const connect = host.empty()
    await world.time.clock.set(new Date(world.time.clock.now().getTime() + noticedMs), 8)
    machine.noticeDeath()
    const count = host.objects.size
    const isWrong = machine.isRunning && isCurrent(statusOf(machine, host))
    connect()
    const words = `${machine.name}: the disk of its place ${host.kind} was not connected`
    if (isWrong || count > 0) throw new Violation(`${words}, and it has ${count} objects of a new copy`)
    return words
  },
}

/** The computer has lost a file of media, and the place answers a proof with wrong bytes: the place keeps what it has. */
export const misreadMedia: Act = {
  weight: 1,
  async run(world, random) {
    const copy = await currentCopy(world, random)
    if (!copy) return undefined
    const { machine, host } = copy
    const file = fileOf(machine, random)
    const before = mediaAt(host)
    if (file === undefined || before.length === 0) return undefined
    const content = Buffer.from(machine.disk.content(file))
    await machine.disk.files.remove(file)
    host.fail('wrong byte of media', random.below(2 ** 31))
    const result = await prove(world, machine, host)
    host.heal()
    if (machine.disk.isReadable) machine.disk.put(file, content)
    const kept = new Set(mediaAt(host))
    const lost = before.filter((name) => !kept.has(name))
    const words = `${machine.name}: a proof of ${host.kind} reads wrong bytes of media: ${result ?? 'goes on'}`
    if (lost.length > 0) throw new Violation(`${words}; the place has lost ${lost.length} files of media`)
    return words
  },
}

const mediaAt = (host: PlaceHost) => [...host.objects.keys()].filter((name) => name.startsWith('media/'))

function fileOf({ disk }: Machine, random: Random): string | undefined {
  const files = disk.paths.filter(
    (path) => path.startsWith(`${dataDir}/${blobsName}/`) && !path.endsWith(temporarySuffix),
  )
  return files.length > 0 ? random.pick(files.sort()) : undefined
}
