/** com.core.sync for readers of repositories: exports, proofs, blocks, lists. Verified by @atproto/repo. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cidForLex } from '@atproto/lex-cbor'
import { parseCid } from '@atproto/lex-data'
import {
  type BlockMap,
  MemoryBlockstore,
  Repo,
  readCar,
  readCarWithRoot,
  verifyDiffCar,
  verifyProofs,
  verifyRepoCar,
} from '@atproto/repo'
import type { DidString } from '@atproto/syntax'
import { beforeAll, describe, expect, test } from 'vitest'
import * as accounts from '../../../../server/store/tables/accounts.ts'
import { type Account, adminAuth, refusal } from '../../../support/server/server.ts'
import { other, owner, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['first', 'second'] })

const collection = 'org.example.thing'
let count = 0
const newAccount = () => server.account(`user-${count++}`)

const put = (account: Account, rkey: string, record: object, name = collection) =>
  server.post('com.core.repo.putRecord', { repo: account.did, collection: name, rkey, record }, account)
const remove = (account: Account, rkey: string) =>
  server.post('com.core.repo.deleteRecord', { repo: account.did, collection, rkey }, account)

/** Writes records with the keys `key-<from>` to `key-<to - 1>`. */
async function fill(account: Account, from: number, to: number, text = ''): Promise<void> {
  for (let at = from; at < to; at += 100) {
    const writes = Array.from({ length: Math.min(100, to - at) }, (_, n) => ({
      $type: 'com.core.repo.applyWrites#create',
      collection,
      rkey: `key-${at + n}`,
      value: { n: at + n, text },
    }))
    const answer = await server.post('com.core.repo.applyWrites', { repo: account.did, writes }, account)
    expect(answer.status).toBe(200)
  }
}

async function car(nsid: string, params: Record<string, string>, auth?: string): Promise<Uint8Array> {
  const url = `${server.url}/xrpc/com.core.sync.${nsid}?${new URLSearchParams(params)}`
  const answer = await fetch(url, auth === undefined ? {} : { headers: { authorization: auth } })
  if (answer.status !== 200) throw new Error(`${nsid}: ${answer.status} ${await answer.text()}`)
  expect(answer.headers.get('content-type')).toBe('application/vnd.ipld.car')
  return new Uint8Array(await answer.arrayBuffer())
}

const latest = async ({ did }: Account) => (await server.get('com.core.sync.getLatestCommit', { did })).body
const namesOf = (blocks: BlockMap) => blocks.cids().map(String).toSorted()
const keyOf = ({ did }: Account) => {
  const key = accounts.findByDid(server.running.services.store, did)?.signingKeyDid
  if (!key) throw new Error('no such account')
  return key
}

describe('getRepo', () => {
  test('since: contains exactly the blocks that the given revision did not have', async () => {
    const alice = await newAccount()
    const { did } = alice
    await fill(alice, 0, 120)
    const history = [{ ...(await latest(alice)), file: await car('getRepo', { did }) }]
    const changes = [
      () => put(alice, 'key-7', { changed: true }),
      () => remove(alice, 'key-60'),
      () => fill(alice, 200, 205),
      // The same content as before: its block is new again.
      () => put(alice, 'key-60', { n: 60, text: '' }),
    ]
    for (const change of changes) {
      await change()
      history.push({ ...(await latest(alice)), file: await car('getRepo', { did }) })
    }
    const snapshots = await Promise.all(history.map(async ({ file }) => (await readCar(file)).blocks))
    const now = namesOf(snapshots.at(-1) as BlockMap)
    const commit = history.at(-1)?.cid
    for (const [at, { rev, cid }] of history.entries()) {
      const diff = await car('getRepo', { did, since: rev })
      const { root, blocks } = await readCarWithRoot(diff)
      expect(root.toString()).toBe(commit)
      // A block that was removed and added again counts as new.
      const wasAlwaysThere = (name: string) =>
        snapshots.slice(at).every((blocks) => blocks.has(parseCid(name)))
      const expected = now.filter((name) => !wasAlwaysThere(name))
      expect(namesOf(blocks)).toEqual(expected)
      if (cid === commit) continue
      const before = await Repo.load(new MemoryBlockstore(snapshots[at]), parseCid(cid))
      const { writes } = await verifyDiffCar(before, diff, did, keyOf(alice), { ensureLeaves: false })
      expect(writes.length).toBeGreaterThan(0)
    }
  })

  test('since: the latest or a later revision lacks nothing', async () => {
    const alice = await newAccount()
    await fill(alice, 0, 3)
    const { cid, rev } = await latest(alice)
    for (const since of [rev, '7zzzzzzzzzzzz']) {
      const { root, blocks } = await readCarWithRoot(await car('getRepo', { did: alice.did, since }))
      expect(root.toString()).toBe(cid)
      expect(blocks.size).toBe(0)
    }
  })

  test('since: sends blocks whose revision is not known, ignores an empty one, and refuses what is no revision', async () => {
    const alice = await newAccount()
    await fill(alice, 0, 30)
    const { rev } = await latest(alice)
    const { store } = server.running.services
    await store.transact((tx) => {
      for (const table of ['records', 'repo_blocks'])
        tx.run(`UPDATE ${table} SET rev = NULL WHERE actor = (SELECT id FROM actors WHERE did = ?)`, [
          alice.did,
        ])
    })
    const whole = await car('getRepo', { did: alice.did, since: rev })
    expect((await verifyRepoCar(whole, alice.did, keyOf(alice))).creates).toHaveLength(30)
    expect(await car('getRepo', { did: alice.did, since: '' })).toEqual(whole)
    expect(await server.get('com.core.sync.getRepo', { did: alice.did, since: 'yesterday' })).toMatchObject(
      refusal(400, 'InvalidRequest'),
    )
  })

  test('a large repository is sent from one temporary file to all clients, which is removed after the last', async () => {
    const alice = await newAccount()
    for (let at = 0; at < 200; at += 40) await fill(alice, at, at + 40, 'x'.repeat(10_000))
    const files = () => readdir(join(server.config.dataDir, 'exports')).catch(() => [])
    const open = async () => {
      const stream = await server.running.services.repository.exports.open(alice.did as DidString, {
        reader: 'test',
      })
      if (!stream) throw new Error('no such repository')
      return stream
    }
    const [unread, slow] = [await open(), await open()]
    expect(await files()).toHaveLength(1)
    unread.destroy()
    await put(alice, 'key-0', { changed: true })
    const later = await open()
    expect(await files()).toHaveLength(2)
    const [first, second] = await Promise.all([slow.toArray(), later.toArray()])
    expect(first).not.toEqual(second)
    for (const file of [first, second]) {
      expect((await verifyRepoCar(Buffer.concat(file), alice.did, keyOf(alice))).creates).toHaveLength(200)
    }
    await expect.poll(files).toEqual([])
    expect(await car('getRepo', { did: alice.did })).toEqual(new Uint8Array(Buffer.concat(second)))
    await expect.poll(files).toEqual([])
  })

  test('blocks come in the order of the tree: each after the one that names it', async () => {
    const alice = await newAccount()
    await fill(alice, 0, 100)
    const { roots, blocks } = await readCar(await car('getRepo', { did: alice.did }))
    const named = new Set(roots.map(String))
    for (const { cid, bytes } of blocks.entries()) {
      expect(named.has(cid.toString())).toBe(true)
      const text = Buffer.from(bytes)
      for (const other of blocks.cids())
        if (text.includes(Buffer.from(other.bytes))) named.add(other.toString())
    }
  })
})

describe('getRecord', () => {
  let alice: Account
  beforeAll(async () => {
    alice = await newAccount()
    await fill(alice, 0, 300)
  })

  /** Verifies a proof as a client without an account would. @param cid null claims absence */
  async function isProven(account: Account, name: string, rkey: string, cid: string | null) {
    const { did } = account
    const proof = await car('getRecord', { did, collection: name, rkey })
    const claim = { collection: name, rkey, cid: cid === null ? null : parseCid(cid) } as const
    const { verified } = await verifyProofs(proof, [claim as never], did, keyOf(account))
    return verified.length === 1
  }

  test('proves every record, and the absence of every other key, with few blocks', async () => {
    for (const n of [0, 1, 42, 150, 299]) {
      const cid = (await cidForLex({ $type: collection, n, text: '' })).toString()
      expect(await isProven(alice, collection, `key-${n}`, cid)).toBe(true)
      expect(await isProven(alice, collection, `key-${n}`, null)).toBe(false)
      expect(await isProven(alice, collection, `key-${n}.`, null)).toBe(true)
    }
    for (const name of ['aaa.example.first', collection, 'zzz.example.last']) {
      for (const rkey of ['a', 'zzz']) expect(await isProven(alice, name, rkey, null)).toBe(true)
    }
    const { blocks } = await readCar(await car('getRecord', { did: alice.did, collection, rkey: 'key-42' }))
    expect(blocks.size).toBeLessThan(12)
  })

  test('an empty repository proves that it has no record', async () => {
    expect(await isProven(await newAccount(), collection, 'any', null)).toBe(true)
  })

  test('a record is proven under the name of its collection with which it was written, however it is asked for', async () => {
    const bob = await newAccount()
    const record = { text: 'hello', createdAt: '2030-01-01T00:00:00.000Z' }
    const stored = 'app.bsky.feed.post'
    const { body } = await put(bob, '3jzfcijpj2z2a', record, stored)
    for (const name of [stored, 'app.example.feed.post']) {
      const proof = await car('getRecord', { did: bob.did, collection: name, rkey: '3jzfcijpj2z2a' })
      const claims = [
        { collection: stored, rkey: '3jzfcijpj2z2a', cid: parseCid(body.cid) },
        { collection: 'app.example.feed.post', rkey: '3jzfcijpj2z2a', cid: null },
      ]
      const { unverified } = await verifyProofs(proof, claims as never, bob.did, keyOf(bob))
      expect(unverified).toEqual([])
    }
  })
})

describe('getBlocks', () => {
  test('returns commit, nodes and records by CID, each once', async () => {
    const alice = await newAccount()
    await fill(alice, 0, 50)
    const { blocks: all } = await readCar(await car('getRepo', { did: alice.did }))
    const names = namesOf(all)
    const query = new URLSearchParams({ did: alice.did })
    for (const cid of [...names, ...names]) query.append('cids', cid)
    const answer = await fetch(`${server.url}/xrpc/com.core.sync.getBlocks?${query}`)
    const { roots, blocks } = await readCar(new Uint8Array(await answer.arrayBuffer()))
    expect(roots).toEqual([])
    expect(namesOf(blocks)).toEqual(names)
  })

  test('refuses blocks of other repositories and of earlier commits, and more than 200', async () => {
    const alice = await newAccount()
    const bob = await newAccount()
    const before = await latest(alice)
    const { body } = await put(alice, 'one', { n: 1 })
    const get = (did: string, ...cids: string[]) => server.get('com.core.sync.getBlocks', { did, cids })
    expect(await get(alice.did, body.cid, before.cid)).toMatchObject(refusal(400, 'BlockNotFound'))
    expect(await get(bob.did, body.cid)).toMatchObject(refusal(400, 'BlockNotFound'))
    const many = await Promise.all(
      Array.from({ length: 201 }, async (_, n) => (await cidForLex(n)).toString()),
    )
    expect(await get(alice.did, ...many)).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(await get(alice.did)).toMatchObject(refusal(400, 'InvalidRequest'))
  })
})

describe('inactive accounts', () => {
  const states = [
    ['deactivated', 'RepoDeactivated'],
    ['suspended', 'RepoSuspended'],
    ['takendown', 'RepoTakendown'],
  ] as const

  test.each(states)(
    '%s: only the account itself, the owner and the administrator read',
    async (status, error) => {
      const alice = await newAccount()
      const { body } = await put(alice, 'one', { n: 1 })
      const { did, handle } = alice
      const { cid, rev } = await latest(alice)
      const params = { did, collection, rkey: 'one' }
      const reads: [string, Record<string, string>][] = [
        ['com.core.sync.getRepo', { did }],
        ['com.core.sync.getLatestCommit', { did }],
        ['com.core.sync.getRecord', params],
        ['com.core.sync.getBlocks', { did, cids: body.cid }],
        ['com.core.sync.listBlobs', { did }],
        ['com.core.repo.describeRepo', { repo: did }],
        ['com.core.repo.listRecords', { repo: did, collection }],
        ['com.core.repo.getRecord', { repo: did, collection, rkey: 'one' }],
      ]
      const state = status === 'takendown' ? 'takedown' : status
      await server.setStatus(did, { [state]: true })

      const ask = (nsid: string, query: Record<string, string>, authorization?: string) =>
        fetch(`${server.url}/xrpc/${nsid}?${new URLSearchParams(query)}`, {
          headers: authorization === undefined ? {} : { authorization },
        })
      const readers = [adminAuth, `Bearer ${owner.accessJwt}`]
      // A takedown ends all sessions.
      if (status !== 'takendown') readers.push(`Bearer ${alice.accessJwt}`)
      const ownerApp = await server.appSession(owner, `${status} reader`)
      const everyoneElse = [undefined, `Bearer ${other.accessJwt}`, `Bearer ${ownerApp.accessJwt}`]
      for (const [nsid, query] of reads) {
        for (const reader of readers)
          expect([nsid, (await ask(nsid, query, reader)).status]).toEqual([nsid, 200])
        for (const reader of everyoneElse) {
          const answer = await ask(nsid, query, reader)
          expect([nsid, answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
            nsid,
            400,
            error,
          ])
        }
      }
      expect(await server.get('com.core.identity.resolveHandle', { handle })).toMatchObject(
        refusal(400, 'HandleNotFound'),
      )
      expect((await server.get('com.core.sync.getRepoStatus', { did })).body).toEqual({
        did,
        active: false,
        status,
      })
      const listed = (await server.get('com.core.sync.listRepos')).body.repos
      expect(listed).toContainEqual({ did, head: cid, rev, active: false, status })

      await server.setStatus(did, { [state]: false })
      expect((await server.get('com.core.sync.getRepoStatus', { did })).body).toEqual({
        did,
        active: true,
        rev,
      })
      expect((await server.get('com.core.identity.resolveHandle', { handle })).body).toEqual({ did })
    },
  )

  test('a deleted account has no repository', async () => {
    const alice = await newAccount()
    await server.post('com.core.admin.deleteAccount', { did: alice.did }, adminAuth)
    for (const nsid of ['getRepo', 'getLatestCommit', 'getRepoStatus']) {
      const answer = await server.get(`com.core.sync.${nsid}`, { did: alice.did })
      expect(answer).toMatchObject(refusal(400, 'RepoNotFound'))
    }
    const { repos } = (await server.get('com.core.sync.listRepos')).body
    expect(repos.map(({ did }: { did: string }) => did)).not.toContain(alice.did)
  })
})

describe('listRepos', () => {
  test('pages through every repository once, with its latest commit', async () => {
    const alice = await newAccount()
    await put(alice, 'one', { n: 1 })
    const whole = (await server.get('com.core.sync.listRepos')).body
    expect(whole.cursor).toBeUndefined()
    const { cid: head, rev } = await latest(alice)
    expect(whole.repos).toContainEqual({ did: alice.did, head, rev, active: true })
    const paged: unknown[] = []
    for (let cursor = ''; ; ) {
      const { body } = await server.get('com.core.sync.listRepos', { limit: '2', cursor })
      paged.push(...body.repos)
      if (body.cursor === undefined) break
      cursor = body.cursor
    }
    expect(paged).toEqual(whole.repos)
    expect(paged.length).toBeGreaterThan(4)
    const malformed = await server.get('com.core.sync.listRepos', { cursor: 'nonsense' })
    expect(malformed).toMatchObject(refusal(400, 'InvalidRequest'))
  })
})

describe('listReposByCollection', () => {
  test('pages through the active repositories with records of the collection, under each of its names', async () => {
    const [alice, bob, carol] = [await newAccount(), await newAccount(), await newAccount()]
    for (const account of [alice, bob, carol]) {
      await put(account, 'self', { allowIncoming: 'all' }, 'chat.bsky.actor.declaration')
    }
    await server.setStatus(bob.did, { deactivated: true })
    const list = async (more: Record<string, string> = {}) => {
      const params = { collection: 'chat.example.actor.declaration', ...more }
      return (await server.get('com.core.sync.listReposByCollection', params)).body
    }
    expect(await list()).toEqual({ repos: [{ did: alice.did }, { did: carol.did }] })
    expect(await list({ collection: 'chat.bsky.actor.declaration' })).toEqual(await list())
    expect(await list({ collection: 'app.example.feed.like' })).toEqual({ repos: [] })
    const first = await list({ limit: '1' })
    expect(first.repos).toEqual([{ did: alice.did }])
    expect(await list({ cursor: first.cursor })).toEqual({ repos: [{ did: carol.did }] })
    const malformed = await server.get('com.core.sync.listReposByCollection', {
      collection: 'chat.example.actor.declaration',
      cursor: 'nonsense',
    })
    expect(malformed).toMatchObject(refusal(400, 'InvalidRequest'))
  })
})
