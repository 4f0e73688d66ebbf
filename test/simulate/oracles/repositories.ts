/** Each repository verifies, and has exactly the records whose changes were acknowledged. */
import { verifyRepoCar } from '@atproto/repo'
import { Violation } from '../acts/act.ts'
import type { Person } from '../model/person.ts'
import type { World } from '../world/world.ts'

export async function checkRepositories(world: World): Promise<void> {
  for (const person of world.people) await checkRepository(world, person)
}

async function checkRepository(world: World, person: Person): Promise<void> {
  const { machine, did, name, records, unknown } = person
  const { status, bytes } = await world.call(machine, 'com.atproto.sync.getRepo', { query: { did } })
  if (status !== 200) throw new Violation(`${name}: the repository cannot be read: ${status}`)
  const key = world.signingKeyOf(did)
  const { creates } = await world.drive(verifyRepoCar(bytes, did, key))
  const found = new Map(creates.map(({ collection, rkey, cid }) => [`${collection}/${rkey}`, String(cid)]))
  for (const { path, value } of unknown) {
    // It was made or was not; from now on it is what is found.
    const cid = found.get(path)
    if (cid !== undefined && value) records.set(path, { cid, value })
    else if (cid === undefined && !value) records.delete(path)
  }
  unknown.length = 0
  for (const [path, { cid }] of records) {
    if (found.get(path) !== cid) throw new Violation(`${name} has lost ${path}, which was acknowledged`)
  }
  for (const path of found.keys()) {
    if (!records.has(path)) throw new Violation(`${name} has ${path}, which was deleted or never written`)
  }
}
