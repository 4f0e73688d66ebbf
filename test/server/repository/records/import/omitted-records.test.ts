/** Records that responses cannot contain: an import keeps their blocks, leaves them out of the index, and lists them. */
import { decode } from '@atproto/lex-cbor'
import { type Cid, ifCid, type LexMap } from '@atproto/lex-data'
import { type BlockMap, readCar } from '@atproto/repo'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { findByDid } from '../../../../../server/store/tables/accounts.ts'
import { type DidHost, startDidHost } from '../../../../support/accounts/did-host.ts'
import { arrive, importRepo, movingAccount } from '../../../../support/accounts/moving-account.ts'
import { type ArchiveRecord, archiveOf, blockOf, blocksOf } from '../../../../support/records/archive.ts'
import { type Account, adminAuth, refusal } from '../../../../support/server/server.ts'
import { server, setupServer } from '../../../../support/server/setup.ts'
import { EventConsumer } from '../../../../support/services/event-consumer.ts'

const hosts: DidHost[] = []

afterAll(() => Promise.all(hosts.map((host) => host.close())))
setupServer({ config: { allowPrivateTargets: true } })

const collection = 'com.example.note'
const note = (rkey: string): ArchiveRecord => [`${collection}/${rkey}`, { text: rkey }]
/** A record with an integer of more than 53 bits. */
const big = (rkey: string, n = 2n ** 60n): ArchiveRecord => [
  `${collection}/${rkey}`,
  { text: 'big', n } as unknown as LexMap,
]
const oldKey: ArchiveRecord = ['com.example.old_notes/one', { text: 'old' }]
const notes = Array.from({ length: 100 }, (_, i) => note(`n${i}`))
const records = [...notes, big('big'), big('other', -(2n ** 62n)), oldKey]
const cidOf = ([, record]: ArchiveRecord) => blockOf(record).cid.toString()

const treeOf = (did: string, all: readonly ArchiveRecord[]) =>
  blocksOf({ did, records: all })
    .at(-all.length - 1)
    ?.cid.toString()

async function moving(name: string): Promise<{ host: DidHost; account: Account }> {
  const host = await startDidHost()
  hosts.push(host)
  return { host, account: await movingAccount(server, host, name) }
}

const keyOf = (did: string) => findByDid(server.running.services.store, did)?.signingKeyDid ?? ''

async function download(account: Account, method: string, query: string) {
  const response = await fetch(`${server.url}/xrpc/com.core.sync.${method}?${query}`, {
    headers: { authorization: `Bearer ${account.accessJwt}` },
  })
  const car = new Uint8Array(await response.arrayBuffer())
  expect(response.status, Buffer.from(car).toString()).toBe(200)
  return { car, ...(await readCar(car)) }
}

/** The repository as a reader gets it: the root of its tree, and its records by key. */
async function exported(account: Account) {
  const { car, roots, blocks } = await download(account, 'getRepo', `did=${encodeURIComponent(account.did)}`)
  const { data } = decode(blocks.get(roots[0] as Cid) as Uint8Array) as { data: Cid }
  const found = new Map<string, string>()
  collect(blocks, data, found)
  return { car, tree: String(data), records: found }
}

/** Adds the records below a node. Each must be there. */
function collect(blocks: BlockMap, cid: Cid, found: Map<string, string>): void {
  const { l, e } = decode(blocks.get(cid) as Uint8Array) as unknown as {
    l: Cid | null
    e: { p: number; k: Uint8Array; v: Cid; t: Cid | null }[]
  }
  if (ifCid(l)) collect(blocks, l as Cid, found)
  let last = ''
  for (const { p, k, v, t } of e) {
    last = last.slice(0, p) + Buffer.from(k).toString()
    expect(blocks.has(v), last).toBe(true)
    found.set(last, String(v))
    if (t) collect(blocks, t, found)
  }
}

const cidsOf = (all: readonly ArchiveRecord[]) =>
  new Map(
    [...all]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map((record): [string, string] => [record[0], cidOf(record)]),
  )

const statusOf = async (account: Account) =>
  (await server.get('com.core.server.checkAccountStatus', {}, account)).body
const write = (account: Account, method: string, rkey: string, more: Record<string, unknown> = {}) =>
  server.post(`com.core.repo.${method}`, { repo: account.did, collection, rkey, ...more }, account)
const omitted = ([key]: ArchiveRecord, record: ArchiveRecord, reason: string) => ({
  key,
  cid: cidOf(record),
  reason,
})

/** Makes a backup, and returns the problem with it. */
async function proveBackup() {
  const { store, operation } = server.running.services
  await makeBackup({ dataDir: server.config.dataDir, now: server.clock.now, store })
  server.clock.advance(1000)
  return (await operation.backupProofs.proveDue()).map(({ problem }) => problem)
}

test('an import keeps odd records in the repository, leaves them out of the index, and lists them', async () => {
  const { host, account } = await moving('odette')
  const { did } = host
  expect(await importRepo(server, account, archiveOf({ did, records }))).toMatchObject({ status: 200 })
  const left = [
    omitted(big('big'), big('big'), 'integer'),
    omitted(big('other'), big('other', -(2n ** 62n)), 'integer'),
    omitted(oldKey, oldKey, 'key'),
  ]
  const expectComplete = async () => {
    expect(await statusOf(account)).toMatchObject({
      indexedRecords: 100,
      omittedRecords: { count: 3, records: left },
    })
    const { tree, records: found } = await exported(account)
    expect(tree).toBe(treeOf(did, records))
    expect(found).toEqual(cidsOf(records))
  }
  await expectComplete()
  // Another server gets what came here, and so does this one.
  const { car } = await exported(account)
  expect((await importRepo(server, account, Buffer.from(car))).status).toBe(200)
  await expectComplete()
  await arrive(server, host, account)
  await expectComplete()

  const repo = encodeURIComponent(did)
  for (const [rkey, cid] of [
    ['big', cidOf(big('big'))],
    ['n7', cidOf(note('n7'))],
  ] as const) {
    const proof = await download(account, 'getRecord', `did=${repo}&collection=${collection}&rkey=${rkey}`)
    expect([...proof.blocks.cids()].map(String)).toContain(cid)
  }
  const cids = [big('big'), oldKey, note('n1')].map(cidOf)
  const { blocks } = await download(account, 'getBlocks', `did=${repo}&cids=${cids.join('&cids=')}`)
  expect([...blocks.cids()].map(String).sort()).toEqual([...cids].sort())
  expect(await server.get('com.core.repo.getRecord', { repo: did, collection, rkey: 'big' })).toMatchObject(
    refusal(400, 'RecordNotFound'),
  )
  const { body: page } = await server.get('com.core.repo.listRecords', {
    repo: did,
    collection,
    limit: '100',
  })
  expect(page.records).toHaveLength(100)
  const { body: about } = await server.get('com.core.repo.describeRepo', { repo: did })
  expect(about.collections).toEqual([collection])
  expect(await proveBackup()).toEqual([])
})

describe('writes to a repository with odd records', () => {
  let account: Account
  let did: string
  let consumer: EventConsumer

  beforeAll(async () => {
    const made = await moving('walter')
    account = made.account
    did = made.host.did
    const all = [...records, big('third'), big('fourth')]
    expect((await importRepo(server, account, archiveOf({ did, records: all }))).status).toBe(200)
    await arrive(server, made.host, account)
    consumer = new EventConsumer(keyOf)
    await consumer.connect(server.url)
    while (!consumer.repositories.has(did)) await consumer.next()
    // As a consumer that fetches the repository after #sync.
    for (const [key, cid] of (await exported(account)).records) {
      consumer.repositories.get(did)?.records.set(key, cid)
    }
  })
  afterAll(() => consumer.close())

  /** The next commit, which the consumer verifies. Repository and consumer then have the same records. */
  async function expectOps(...ops: { action: string; path: string; cid: string | null; prev?: string }[]) {
    const { payload } = await consumer.next()
    expect(
      payload.ops.map(({ action, path, cid, prev }: Record<string, unknown>) => ({
        ...{ action, path, cid: cid && String(cid) },
        ...(prev ? { prev: String(prev) } : {}),
      })),
    ).toEqual(ops)
    const known = consumer.repositories.get(did)
    const { tree, records: found } = await exported(account)
    expect(tree).toBe(known?.data)
    expect([...found].sort()).toEqual([...(known?.records ?? [])].sort())
    expect(await proveBackup()).toEqual([])
  }

  const leftOut = async () =>
    (await statusOf(account)).omittedRecords?.records.map(({ key }: { key: string }) => key)

  test('a good record beside them', async () => {
    const { body } = await write(account, 'createRecord', 'later', { record: { text: 'later' } })
    await expectOps({ action: 'create', path: `${collection}/later`, cid: body.cid })
  })

  test('creating one that exists is refused; putting one replaces it', async () => {
    const record = { text: 'small' }
    expect(await write(account, 'createRecord', 'big', { record })).toMatchObject(
      refusal(400, 'InvalidRequest'),
    )
    expect(await write(account, 'putRecord', 'big', { record, swapRecord: null })).toMatchObject(
      refusal(400, 'InvalidSwap'),
    )
    const prev = cidOf(big('big'))
    const { status, body } = await write(account, 'putRecord', 'big', { record, swapRecord: prev })
    expect(status).toBe(200)
    await expectOps({ action: 'update', path: `${collection}/big`, cid: body.cid, prev })
    expect(
      (await server.get('com.core.repo.getRecord', { repo: did, collection, rkey: 'big' })).body,
    ).toMatchObject({ cid: body.cid, value: record })
    expect(await leftOut()).toEqual(
      ['fourth', 'other', 'third'].map((rkey) => `${collection}/${rkey}`).concat(oldKey[0]),
    )
  })

  test('one is deleted, and created again', async () => {
    expect((await write(account, 'deleteRecord', 'other')).status).toBe(200)
    const prev = cidOf(big('other', -(2n ** 62n)))
    await expectOps({ action: 'delete', path: `${collection}/other`, cid: null, prev })
    const { body } = await write(account, 'createRecord', 'other', { record: { text: 'again' } })
    await expectOps({ action: 'create', path: `${collection}/other`, cid: body.cid })
  })

  test('several in one commit', async () => {
    const type = 'com.core.repo.applyWrites'
    const writes = [
      { $type: `${type}#delete`, collection, rkey: 'third' },
      { $type: `${type}#update`, collection, rkey: 'fourth', value: { text: 'four' } },
    ]
    const { status, body } = await server.post(type, { repo: did, writes }, account)
    expect(status).toBe(200)
    // Both had the same content.
    const prev = cidOf(big('third'))
    await expectOps(
      { action: 'delete', path: `${collection}/third`, cid: null, prev },
      { action: 'update', path: `${collection}/fourth`, cid: body.results[1].cid, prev },
    )
    expect(await leftOut()).toEqual([oldKey[0]])
  })
})

test('a later import replaces them, a backup without one is damaged, and the deletion of the account removes them', async () => {
  const { host, account } = await moving('rosa')
  const { did } = host
  const rows = () =>
    server.running.services.store.get('SELECT count(*) AS n FROM omitted_records WHERE key LIKE ?', [
      'com.example.rosa/%',
    ])
  const odd = (rkey: string, n = 2n ** 60n): ArchiveRecord => [`com.example.rosa/${rkey}`, big('', n)[1]]
  const many = Array.from({ length: 120 }, (_, i) => odd(`b${i}`))
  for (const all of [many, [...many.slice(0, 70), odd('b80', 2n ** 61n), note('one')], [note('one')], many]) {
    expect((await importRepo(server, account, archiveOf({ did, records: all }))).status).toBe(200)
    expect((await exported(account)).records).toEqual(cidsOf(all))
    const status = await statusOf(account)
    const count = all.filter(([key]) => key.startsWith('com.example.rosa')).length
    expect(status.omittedRecords?.count).toBe(count || undefined)
    expect(status.omittedRecords?.records.length).toBe(count ? Math.min(count, 100) : undefined)
    expect(rows()).toEqual({ n: count })
  }
  await server.running.services.store.transact((tx) =>
    tx.run("DELETE FROM omitted_records WHERE key = 'com.example.rosa/b7'"),
  )
  expect(await proveBackup()).toEqual([expect.stringContaining('the record com.example.rosa/b7 is missing')])
  expect((await server.post('com.core.admin.deleteAccount', { did }, adminAuth)).status).toBe(200)
  await server.running.services.background.idle()
  expect(rows()).toEqual({ n: 0 })
})
