/** The network's library verifies archives, differences and proofs of this server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  MemoryBlockstore,
  Repo,
  readCarWithRoot,
  verifyDiffCar,
  verifyProofs,
  verifyRecords,
  verifyRepoCar,
} from '@atproto/repo'
import { type Account, createAccount, fill, postRecord, put, tid } from './accounts.ts'
import { identityOf, published } from './migration.ts'
import type { World } from './world.ts'
import { get, post } from './xrpc.ts'

export function verification({ ours, directory }: World): void {
  test('the library verifies archives, differences and proofs', async (t) => {
    const account = await createAccount(ours.url, 'verified')
    const { did } = account
    await published(directory.url, did)
    await fill(account)
    const key = (await identityOf(directory.url, did)).verificationMethods.atproto
    const archive = await read(account, 'getRepo')

    await t.test('an archive', async () => {
      const { creates } = await verifyRepoCar(archive, did, key)
      assert.equal(creates.length, 250 + 4 + 2)
    })

    await t.test('what is newer than a revision', async () => {
      const { root, blocks } = await readCarWithRoot(archive)
      const repo = await Repo.load(new MemoryBlockstore(blocks), root)
      await put(account, 'app.bsky.feed.post', tid(500), postRecord('New'))
      await put(account, 'app.bsky.feed.post', tid(3), postRecord('Changed'))
      const deleted = { repo: did, collection: 'app.bsky.feed.post', rkey: tid(7) }
      await post(account.server, 'com.atproto.repo.deleteRecord', { auth: account.accessJwt, input: deleted })
      const newer = await read(account, 'getRepo', { since: repo.commit.rev })
      const { writes } = await verifyDiffCar(repo, newer, did, key)
      const actions = writes.map(({ action, rkey }) => `${action} ${rkey}`)
      assert.deepEqual(actions.sort(), [`create ${tid(500)}`, `delete ${tid(7)}`, `update ${tid(3)}`])
    })

    await t.test('the proof of a record', async () => {
      const proof = await read(account, 'getRecord', { collection: 'app.bsky.feed.post', rkey: tid(12) })
      const records = await verifyRecords(proof, did, key)
      assert.ok(records.some(({ rkey }) => rkey === tid(12)))
    })

    await t.test('the proof that a record is absent', async () => {
      for (const [collection, rkey] of [
        ['app.bsky.feed.post', tid(7)],
        ['aaa.before.everything', 'x'],
        ['zzz.after.everything', 'x'],
      ] as const) {
        const proof = await read(account, 'getRecord', { collection, rkey })
        const { unverified } = await verifyProofs(proof, [{ collection, rkey, cid: null }], did, key)
        assert.deepEqual(unverified, [])
      }
    })
  })
}

async function read(
  { server, did }: Account,
  name: string,
  params: Record<string, string> = {},
): Promise<Buffer> {
  return (await get(server, `com.atproto.sync.${name}`, { params: { did, ...params } })).bytes
}
