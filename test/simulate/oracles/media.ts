/** Every file to which a record refers can be downloaded; others do not stay. */
import { basename } from 'node:path'
import { blobsName, temporarySuffix } from '../../../server/store/files/layout.ts'
import { Violation } from '../acts/act.ts'
import { workingToken } from '../acts/sessions.ts'
import { filesIn } from '../model/media.ts'
import { mayBeTakenDown, type Person } from '../model/person.ts'
import { dataDir, type Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'

/** Uploads are kept for a day, and what a crash has left is found by a job that runs once a day. */
const keptMs = 50 * 60 * 60_000
/** When a file was used to which a record refers. */
const inUse = Number.POSITIVE_INFINITY

export async function checkMedia(world: World): Promise<void> {
  for (const person of world.people) await checkPerson(world, person)
  for (const machine of world.machines) checkFiles(world, machine)
}

const referredBy = ({ records }: Person) =>
  new Set([...records.values()].flatMap(({ value }) => [...filesIn(value)]))

async function checkPerson(world: World, person: Person): Promise<void> {
  const { machine, did, name, uploads } = person
  const referred = referredBy(person)
  for (const cid of referred) {
    const { status, bytes } = await world.call(machine, 'com.atproto.sync.getBlob', {
      query: { did, cid },
      isAdmin: true,
    })
    const upload = uploads.get(cid)
    if (status !== 200 || !upload?.bytes.equals(bytes))
      throw new Violation(`media of ${name}: ${cid} → ${status}, ${bytes.length} bytes`)
  }
  const { body } = await world.call(machine, 'com.atproto.sync.listBlobs', {
    query: { did },
    isAdmin: true,
  })
  const listed: string[] = body?.cids ?? []
  if (listed.length !== referred.size || listed.some((cid) => !referred.has(cid)))
    throw new Violation(`media of ${name}: listed are ${listed}, records refer to ${[...referred]}`)
  if (mayBeTakenDown(person)) return
  const token = await workingToken(world, person)
  const missing = await world.call(machine, 'com.atproto.repo.listMissingBlobs', { token })
  if (missing.status !== 200 || missing.body.blobs.length > 0)
    throw new Violation(`media of ${name}: missing are ${JSON.stringify(missing.body)}`)
}

/** A machine keeps no file for long to which no record refers. */
function checkFiles(world: World, machine: Machine): void {
  const now = world.time.clock.now().getTime()
  const prefix = `${dataDir}/${blobsName}/`
  const files = machine.disk.paths
    .filter((path) => path.startsWith(prefix) && !path.endsWith(temporarySuffix))
    .map((path) => basename(path))
  const { filesUsedAt } = machine
  const people = world.people.filter((person) => person.machine === machine)
  const copies = world.people.flatMap((person) => person.copies.filter((copy) => copy.machine === machine))
  const referred = new Set([
    ...people.flatMap((person) => [...referredBy(person)]),
    // Those of a copy that grows, or is old.
    ...copies.flatMap(({ uploads }) => [...uploads.keys()]),
  ])
  for (const cid of files) {
    const usedAt = filesUsedAt.get(cid) ?? inUse
    if (referred.has(cid)) filesUsedAt.set(cid, inUse)
    // The last record that referred to it may have been deleted a moment ago.
    else if (usedAt === inUse) filesUsedAt.set(cid, now)
    else if (now - usedAt > keptMs)
      throw new Violation(`media of ${machine.name}: ${cid} stays, but no record refers to it`)
  }
}
