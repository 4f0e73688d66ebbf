/** The same archive, imported by the reference server and by this one: what real repositories contain is taken over alike. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secp256k1Keypair } from '@atproto/crypto'
import { type LexMap, parseCid } from '@atproto/lex-data'
import { BlockMap, blocksToCarFile, MemoryBlockstore, Repo, WriteOpAction } from '@atproto/repo'
import type { NsidString } from '@atproto/syntax'
import { type Account, createAccount, postRecord, readRepository, tid } from './accounts.ts'
import { openAccount } from './migration.ts'
import type { World } from './world.ts'
import { all, get, post } from './xrpc.ts'

const blobCid = 'bafkreigaknpexyvxt76zgkitavbwx6ejgfheup5oybpm77f3pxzrvwpfdi'
const legacyCid = 'bafkreidlp6sdj6jkroakvmbntpy2clsj77foijheae5byt3iwz7d2k542a'

const rewrittenCid = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

/** Records as clients have written them over the years; not all are valid today. */
const records: readonly [collection: NsidString, rkey: string, value: LexMap][] = [
  ['app.bsky.feed.post', tid(1), postRecord('A post')],
  ['app.bsky.feed.post', tid(2), { $type: 'app.bsky.feed.post', createdAt: 'yesterday' }],
  ['app.bsky.feed.post', tid(3), { text: 'Without a type' }],
  ['app.bsky.feed.post', tid(4), { $type: 'com.example.other', text: 'Of another type' }],
  ['app.bsky.feed.post', 'not-a-tid', postRecord('A key that is no TID')],
  ['app.bsky.feed.post', tid(5), { ...postRecord('Long'), more: 'x'.repeat(900_000) }],
  [
    'app.bsky.feed.post',
    tid(6),
    { ...postRecord('An old picture'), embed: { cid: legacyCid, mimeType: 'image/png' } },
  ],
  [
    'app.bsky.actor.profile',
    'self',
    {
      $type: 'app.bsky.actor.profile',
      avatar: { $type: 'blob', ref: parseCid(blobCid), mimeType: 'image/png', size: 12 },
    },
  ],
  [
    'com.example.rewritten',
    'self',
    { avatar: { $type: 'blob', ref: parseCid(rewrittenCid), mimeType: 'image/png', size: -1 } },
  ],
  ['com.example.empty', 'x', {}],
  [
    'com.example.values',
    'a:b_c~d.e-f',
    {
      $type: 'com.example.values',
      link: parseCid(blobCid),
      bytes: new Uint8Array([1, 2, 3]),
      large: 2 ** 53 - 1,
      negative: -5,
      none: null,
      nested: { list: [[], {}, [true, false]] },
      'a name with spaces': 'ÿ 🦋 \u0000',
    },
  ],
]

export function archives({ others, theirs, ours }: World): void {
  test('the same archive is imported as the reference server imports it', async () => {
    const from = await createAccount(others.url, 'archived')
    const archive = await archiveOf(from.did)
    const accounts = await Promise.all(
      [theirs, ours].map(({ url }) => openAccount(from, { server: url, password: 'a password' })),
    )
    const [reference, own] = await Promise.all(accounts.map((account) => imported(account, archive)))
    assert.deepEqual(own, reference)
  })
}

/** Blocks may come in any order, and more than once. */
async function archiveOf(did: string): Promise<Uint8Array> {
  const storage = new MemoryBlockstore()
  const keypair = await Secp256k1Keypair.create()
  const writes = records.map(([collection, rkey, record]) => ({
    action: WriteOpAction.Create as const,
    ...{ collection, rkey, record },
  }))
  const repo = await Repo.create(storage, did, keypair, writes)
  const file = await blocksToCarFile(repo.cid, reversed(storage.blocks))
  const headerBytes = (file[0] ?? 0) + 1
  return Buffer.concat([file, file.subarray(headerBytes)])
}

function reversed(blocks: BlockMap): BlockMap {
  const copy = new BlockMap()
  for (const { cid, bytes } of blocks.entries().reverse()) copy.set(cid, bytes)
  return copy
}

async function imported(account: Account, body: Uint8Array) {
  const { server, did, accessJwt: auth } = account
  const type = 'application/vnd.ipld.car'
  await post(server, 'com.atproto.repo.importRepo', { auth, body: Buffer.from(body), type })
  const status = (await get(server, 'com.atproto.server.checkAccountStatus', { auth })).body
  const exported = await get(server, 'com.atproto.sync.getRepo', { params: { did }, auth })
  const { tree, blocks } = await readRepository(exported.bytes)
  return {
    missing: await all(server, 'com.atproto.repo.listMissingBlobs', 'blobs', { auth }),
    counts: {
      expectedBlobs: status.expectedBlobs,
      importedBlobs: status.importedBlobs,
      indexedRecords: status.indexedRecords,
      repoBlocks: status.repoBlocks,
    },
    tree,
    blocks: [...blocks].sort(),
  }
}
