/** Accounts of the scenarios: what they hold, and how that is read back and compared. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { decode } from '@atproto/lex-cbor'
import { readCar } from '@atproto/repo'
import { all, get, post } from './xrpc.ts'

export interface Account {
  readonly server: string
  readonly did: string
  readonly handle: string
  readonly email: string
  readonly password: string
  readonly accessJwt: string
}

export async function createAccount(server: string, name: string): Promise<Account> {
  const who = {
    handle: `${name}.test`,
    email: `${name}@mail.example.com`,
    password: `password of ${name}`,
  }
  const { body } = await post(server, 'com.atproto.server.createAccount', { input: who })
  return { server, ...who, did: body.did, accessJwt: body.accessJwt }
}

export async function signIn(server: string, did: string, password: string): Promise<string> {
  const input = { identifier: did, password }
  return (await post(server, 'com.atproto.server.createSession', { input })).body.accessJwt
}

/** Fills an account: posts, a profile with an avatar, pictures, records of an unknown collection, preferences. */
export async function fill(account: Account, { posts = 250, pictures = 4 } = {}): Promise<void> {
  const { server, did, accessJwt: auth } = account
  for (let first = 0; first < posts; first += 100) {
    const count = Math.min(100, posts - first)
    const writes = Array.from({ length: count }, (_, index) => ({
      $type: 'com.atproto.repo.applyWrites#create',
      collection: 'app.bsky.feed.post',
      rkey: tid(first + index),
      value: postRecord(`Post ${first + index}, ÿ and 🦋`),
    }))
    await post(server, 'com.atproto.repo.applyWrites', { auth, input: { repo: did, writes } })
  }
  for (let index = 0; index < pictures; index++) {
    const image = await upload(server, auth, picture(index))
    const embed = { $type: 'app.bsky.embed.images', images: [{ alt: '', image }] }
    await put(account, 'app.bsky.feed.post', tid(100_000 + index), { ...postRecord('A picture'), embed })
  }
  const avatar = await upload(server, auth, picture(1000))
  await put(account, 'app.bsky.actor.profile', 'self', {
    $type: 'app.bsky.actor.profile',
    displayName: 'Alice',
    avatar,
  })
  await put(account, 'com.example.unknown', 'a:b~c', {
    $type: 'com.example.unknown',
    nested: { list: [1, null, true] },
  })
  // Holds every kind of change: what was deleted must not come along.
  await put(account, 'app.bsky.feed.post', tid(200_000), postRecord('Deleted'))
  const deleted = { repo: did, collection: 'app.bsky.feed.post', rkey: tid(200_000) }
  await post(server, 'com.atproto.repo.deleteRecord', { auth, input: deleted })
  await post(server, 'app.bsky.actor.putPreferences', { auth, input: { preferences } })
}

export const preferences = [
  { $type: 'app.bsky.actor.defs#adultContentPref', enabled: true },
  { $type: 'app.bsky.actor.defs#savedFeedsPrefV2', items: [] },
]

export function postRecord(text: string) {
  return { $type: 'app.bsky.feed.post', text, createdAt: '2026-01-01T00:00:00.000Z' }
}

export async function put(
  { server, did, accessJwt: auth }: Account,
  collection: string,
  rkey: string,
  record: unknown,
) {
  const input = { repo: did, collection, rkey, record, validate: false }
  return (await post(server, 'com.atproto.repo.putRecord', { auth, input })).body
}

/** A PNG by its signature, with bytes that no other one has. */
export function picture(index: number, size = 50_000): Buffer {
  const signature = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64')
  const noise = Buffer.alloc(size)
  for (let at = 0; at < size; at += 32) createHash('sha256').update(`${index}/${at}`).digest().copy(noise, at)
  return Buffer.concat([signature, noise])
}

export async function upload(server: string, auth: string, body: Buffer, type = 'image/png') {
  return (await post(server, 'com.atproto.repo.uploadBlob', { auth, body, type })).body.blob
}

/** The n-th record key of a fixed series. */
export function tid(n: number): string {
  const alphabet = '234567abcdefghijklmnopqrstuvwxyz'
  const digits = Array.from({ length: 5 }, (_, place) => alphabet[Math.floor(n / 32 ** (4 - place)) % 32])
  return `3kaaaaaa${digits.join('')}`
}

/** Everything of an account that must survive a move. */
export interface Content {
  /** The CID of the tree's root: the same records under the same keys have the same. */
  readonly tree: string
  /** Tree nodes and records by CID, without the commit. */
  readonly blocks: ReadonlyMap<string, string>
  readonly blobs: ReadonlyMap<string, string>
  readonly preferences: unknown
}

export async function contentOf({ server, did, accessJwt: auth }: Account): Promise<Content> {
  const archive = (await get(server, 'com.atproto.sync.getRepo', { params: { did }, auth })).bytes
  const { tree, blocks } = await readRepository(archive)
  const blobs = new Map<string, string>()
  for (const cid of await all<string>(server, 'com.atproto.sync.listBlobs', 'cids', {
    params: { did },
    auth,
  })) {
    const blob = await get(server, 'com.atproto.sync.getBlob', { params: { did, cid }, auth })
    blobs.set(cid, createHash('sha256').update(blob.bytes).digest('hex'))
  }
  const { body } = await get(server, 'app.bsky.actor.getPreferences', { auth })
  return { tree, blocks, blobs, preferences: body.preferences }
}

/** @returns the tree of an archive, and its blocks but for the commit */
export async function readRepository(archive: Uint8Array) {
  const { roots, blocks } = await readCar(archive)
  const [root] = roots
  const commitBytes = root && blocks.get(root)
  assert(root && commitBytes, 'the archive has a commit')
  const commit = decode(commitBytes) as unknown as { data: { toString(): string } }
  const rest = blocks.entries().filter((block) => !block.cid.equals(root))
  return {
    tree: commit.data.toString(),
    blocks: new Map(rest.map((block) => [block.cid.toString(), Buffer.from(block.bytes).toString('base64')])),
  }
}

export function assertEqualContent(actual: Content, expected: Content): void {
  assert.equal(actual.tree, expected.tree, 'the same tree')
  assert.deepEqual(sorted(actual.blocks), sorted(expected.blocks), 'the same blocks, byte for byte')
  assert.deepEqual(sorted(actual.blobs), sorted(expected.blobs), 'the same blobs, byte for byte')
  assert.deepEqual(actual.preferences, expected.preferences, 'the same preferences')
}

function sorted(map: ReadonlyMap<string, string>): [string, string][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1))
}
