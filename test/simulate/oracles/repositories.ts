/** Each repository verifies, and has exactly the records whose changes were acknowledged. */
import { encode } from '@atproto/lex-cbor'
import { cborToLexRecord, readCarWithRoot, verifyRepo } from '@atproto/repo'
import { isSignedBy } from '../../../server/util/keys.ts'
import { Violation } from '../acts/act.ts'
import type { Person } from '../model/person.ts'
import type { World } from '../world/world.ts'

export async function checkRepositories(world: World): Promise<void> {
  for (const person of world.people) await checkRepository(world, person)
}

async function checkRepository(world: World, person: Person): Promise<void> {
  const { machine, did, name, records, history } = person
  const { status, bytes } = await world.call(machine, 'com.atproto.sync.getRepo', {
    query: { did },
    isAdmin: true,
  })
  if (status !== 200) throw new Violation(`${name}: the repository cannot be read: ${status}`)
  const { root, blocks } = await world.drive(readCarWithRoot(bytes))
  const { creates } = await world.drive(verifyRepo(blocks, root, did))
  // The library's own check of the signature takes a hundred times as long.
  const { sig, ...commit } = cborToLexRecord(blocks.get(root) as Uint8Array)
  if (!(await isSignedBy(world.signingKeyOf(did), encode(commit), sig as Uint8Array)))
    throw new Violation(`${name}: the signature of the repository is not that of its key`)
  const found = new Map(creates.map(({ collection, rkey, cid }) => [`${collection}/${rkey}`, String(cid)]))
  const truth = history.settle(found)
  if (typeof truth === 'string') throw new Violation(`${name} ${truth}`)
  person.lost = undefined
  records.clear()
  for (const [path, stored] of truth) records.set(path, stored)
}
