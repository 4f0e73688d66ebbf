/** Each repository verifies, and has exactly the records whose changes were acknowledged. */
import { encode } from '@atproto/lex-cbor'
import { cborToLexRecord, readCarWithRoot, verifyRepo } from '@atproto/repo'
import { isSignedBy } from '../../../server/util/keys.ts'
import { Violation } from '../acts/act.ts'
import { isWith, type Person } from '../model/person.ts'
import type { World } from '../world/world.ts'

/** What an export had when it was verified. */
interface Verified {
  readonly bytes: Buffer
  readonly key: string
  /** CIDs by path. */
  readonly found: ReadonlyMap<string, string>
}

/** The last exports: most have not changed since the last check. */
const verified = new WeakMap<Person, Verified>()

export async function checkRepositories(world: World): Promise<void> {
  for (const person of world.people) await checkRepository(world, person)
}

async function checkRepository(world: World, person: Person): Promise<void> {
  const { machine, did, name, records, history } = person
  const { status, bytes } = await world.call(machine, 'com.atproto.sync.getRepo', {
    query: { did },
    isAdmin: !isWith(person, 'active'),
  })
  if (status !== 200) throw new Violation(`${name}: the repository cannot be read: ${status}`)
  const found = await recordsIn(world, person, bytes)
  const truth = history.settle(found)
  if (typeof truth === 'string') throw new Violation(`${name} ${truth}`)
  person.lost = undefined
  records.clear()
  for (const [path, stored] of truth) records.set(path, stored)
}

/** Revisions of a repository never go back, whatever server it is at. */
function checkRevision({ revisions }: World, { did, name }: Person, rev: string): void {
  const last = revisions.get(did) ?? ''
  if (rev < last) throw new Violation(`the repository of ${name} was at ${last}, and is at ${rev}`)
  revisions.set(did, rev)
}

/** Verifies an export. @returns the CIDs of its records by path */
async function recordsIn(world: World, person: Person, bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  const { did, name } = person
  const key = world.signingKeyOf(did)
  const last = verified.get(person)
  if (last?.key === key && last.bytes.equals(bytes)) return last.found
  const { root, blocks } = await readCarWithRoot(bytes)
  const { creates } = await verifyRepo(blocks, root, did)
  // The library's own check of the signature takes a hundred times as long.
  const { sig, ...commit } = cborToLexRecord(blocks.get(root) as Uint8Array)
  if (!(await isSignedBy(key, encode(commit), sig as Uint8Array)))
    throw new Violation(`${name}: the signature of the repository is not that of its key`)
  const found = new Map(creates.map(({ collection, rkey, cid }) => [`${collection}/${rkey}`, String(cid)]))
  checkRevision(world, person, String(commit.rev))
  verified.set(person, { bytes, key, found })
  return found
}
