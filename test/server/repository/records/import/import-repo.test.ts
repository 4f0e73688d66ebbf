/** com.core.repo.importRepo: the imported repository, and refused archives. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readCarWithRoot, verifyRepo } from '@atproto/repo'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findByDid } from '../../../../../server/store/tables/accounts.ts'
import { type DidHost, startDidHost } from '../../../../support/accounts/did-host.ts'
import { arrive, importRepo, movingAccount } from '../../../../support/accounts/moving-account.ts'
import {
  type ArchiveRecord,
  archiveOf,
  blockOf,
  blockOfBytes,
  blocksOf,
  carOf,
} from '../../../../support/records/archive.ts'
import { blobOf, download, png } from '../../../../support/records/blobs.ts'
import { type Account, adminAuth, refusal } from '../../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../../support/server/setup.ts'

const hosts: DidHost[] = []

afterAll(() => Promise.all(hosts.map((host) => host.close())))
setupServer({ config: { allowPrivateTargets: true, importLimit: 3_000_000 }, accounts: ['alice'] })

const store = () => server.running.services.store
const createdAt = '2024-01-01T00:00:00.000Z'
const post = (text: string) => ({ $type: 'app.bsky.feed.post', text, createdAt })
const note = (rkey: string, text = rkey): ArchiveRecord => [`com.example.note/${rkey}`, { text }]

async function moving(name: string): Promise<{ host: DidHost; account: Account }> {
  const host = await startDidHost()
  hosts.push(host)
  return { host, account: await movingAccount(server, host, name) }
}

async function statusOf(account: Account) {
  return (await server.get('com.core.server.checkAccountStatus', {}, account)).body
}

/** The records of a repository by key, after its signature and its tree were verified. */
async function exported({ did, accessJwt }: Account) {
  const headers = { authorization: `Bearer ${accessJwt}` }
  const response = await fetch(`${server.url}/xrpc/com.core.sync.getRepo?did=${encodeURIComponent(did)}`, {
    headers,
  })
  if (response.status !== 200) throw new Error(await response.text())
  const { root, blocks } = await readCarWithRoot(new Uint8Array(await response.arrayBuffer()))
  const { creates } = await verifyRepo(blocks, root, did, findByDid(store(), did)?.signingKeyDid)
  return new Map(creates.map(({ collection, rkey, cid }) => [`${collection}/${rkey}`, cid.toString()]))
}

/** What `exported` returns after the import of the records. */
function cidsOf(records: readonly ArchiveRecord[]) {
  return new Map(records.map(([key, record]) => [key, blockOf(record).cid.toString()]))
}

const like = (subject: { uri: string; cid: string }) => ({ $type: 'app.bsky.feed.like', subject, createdAt })

/** Nothing of an import is left but its result. */
async function expectNothingLeft(): Promise<void> {
  expect(await readdir(join(server.config.dataDir, 'imports')).catch(() => [])).toEqual([])
  for (const table of ['imports', 'import_blocks', 'import_removals']) {
    expect(store().all(`SELECT * FROM ${table}`)).toEqual([])
  }
  expect(store().all("SELECT did FROM actors WHERE did LIKE 'import:%'")).toEqual([])
}

test('records of an archive under our names get those of the network', async () => {
  const { host, account } = await moving('carlo')
  const record = (authority: string) => ({ ...post('Ours'), $type: `${authority}.feed.post` })
  const key = (authority: string) => `${authority}.feed.post/3kaaaaaaaaa2a`
  const records: ArchiveRecord[] = [[key('app.example'), record('app.example')], note('n')]
  expect((await importRepo(server, account, archiveOf({ did: host.did, records }))).status).toBe(200)
  expect(await exported(account)).toEqual(cidsOf([[key('app.bsky'), record('app.bsky')], note('n')]))
  await arrive(server, host, account)
  const { body } = await server.get('app.example.feed.getAuthorFeed', { actor: host.did }, alice)
  expect(body.feed).toMatchObject([{ post: { record: record('app.example') } }])
})

test('an imported repository has all records, is signed here, and shows once the account is active', async () => {
  const { host, account } = await moving('carla')
  const write = { repo: alice.did, collection: 'app.bsky.feed.post', record: post('Hello') }
  const { body: alicesPost } = await server.post('com.core.repo.createRecord', write, alice)
  const subject = { uri: alicesPost.uri, cid: alicesPost.cid }
  const reply = { ...post('An answer'), reply: { root: subject, parent: subject } }
  const records: ArchiveRecord[] = [
    ['app.bsky.actor.profile/self', { $type: 'app.bsky.actor.profile', displayName: 'Carla Zenobia' }],
    ['app.bsky.feed.like/3kaaaaaaaaa2a', like(subject)],
    ['app.bsky.feed.post/3kaaaaaaaaa2b', reply],
    [
      'app.bsky.graph.follow/3kaaaaaaaaa2c',
      { $type: 'app.bsky.graph.follow', subject: alice.did, createdAt },
    ],
    ...Array.from({ length: 300 }, (_, i) => note(`n${i}`)),
  ]
  const events = () => store().all<{ kind: string }>('SELECT kind FROM events WHERE did = ?', [host.did])
  const rev = '3zaaaaaaaaa2a'
  const imported = await importRepo(server, account, archiveOf({ did: host.did, records, rev }))
  expect(imported).toMatchObject({ status: 200, body: undefined })
  await expectNothingLeft()
  expect(events()).toEqual([])
  expect(await exported(account)).toEqual(cidsOf(records))
  const status = await statusOf(account)
  expect(status).toMatchObject({ activated: false, indexedRecords: 304, expectedBlobs: 0, importedBlobs: 0 })
  expect(status.repoRev > rev).toBe(true)
  const { n: blocks } = store().get<{ n: number }>(
    'SELECT count(*) AS n FROM repo_blocks b JOIN accounts a ON a.id = b.actor WHERE did = ?',
    [host.did],
  ) ?? { n: 0 }
  expect(status.repoBlocks).toBe(blocks + 304)
  expect(
    await server.get('com.core.repo.listRecords', { repo: host.did, collection: 'com.example.note' }),
  ).toMatchObject(refusal(400, 'RepoDeactivated'))

  await arrive(server, host, account)
  expect(events().map(({ kind }) => kind)).toEqual(['account', 'identity', 'sync'])
  const { body: shown } = await server.get('app.example.feed.getPosts', { uris: alicesPost.uri }, account)
  expect(shown.posts[0]).toMatchObject({
    likeCount: 1,
    replyCount: 1,
    viewer: { like: expect.stringContaining(host.did) },
  })
  const { body: found } = await server.get('app.example.actor.searchActors', { q: 'zenobia' }, alice)
  expect(found.actors).toMatchObject([{ did: host.did, displayName: 'Carla Zenobia' }])
  const { body: timeline } = await server.get('app.example.feed.getAuthorFeed', { actor: host.did }, alice)
  expect(timeline.feed).toMatchObject([{ post: { record: { text: 'An answer' } } }])
  const { body: profile } = await server.get('app.example.actor.getProfile', { actor: alice.did }, alice)
  expect(profile.followersCount).toBe(1)
  const { body: notifications } = await server.get('app.example.notification.listNotifications', {}, alice)
  expect(notifications.notifications).toEqual([])
  const next = { repo: host.did, collection: 'com.example.note', rkey: 'later', record: { text: 'later' } }
  expect((await server.post('com.core.repo.createRecord', next, account)).status).toBe(200)
  expect((await exported(account)).size).toBe(305)
})

test('a second import replaces the repository, and keeps what is equal', async () => {
  const { host, account } = await moving('hector')
  const { did } = host
  const write = { repo: alice.did, collection: 'app.bsky.feed.post', record: post('Hector') }
  const { body: subject } = await server.post('com.core.repo.createRecord', write, alice)
  const likes = () => server.get('app.example.feed.getPosts', { uris: subject.uri }, alice)
  const first = [
    ...Array.from({ length: 600 }, (_, i) => note(`kept${i}`)),
    note('changed', 'before'),
    ...Array.from({ length: 600 }, (_, i) => note(`removed${i}`)),
    ['app.bsky.feed.like/one', like({ uri: subject.uri, cid: subject.cid })] as const,
  ]
  const second = [...first.slice(0, 600), note('changed', 'after'), note('added')]
  const image = await blobOf(server, account, png('hector'))
  first.push(['com.example.file/one', { file: image }])
  const ids = () =>
    store().all<{ id: number }>(
      "SELECT r.id FROM records r JOIN actors a ON a.id = r.actor WHERE a.did = ? AND rkey LIKE 'kept%'",
      [did],
    )
  expect((await importRepo(server, account, archiveOf({ did, records: first }))).status).toBe(200)
  expect(await exported(account)).toEqual(cidsOf(first))
  expect((await likes()).body.posts[0].likeCount).toBe(1)
  const before = { ids: ids(), status: await statusOf(account) }
  expect((await importRepo(server, account, archiveOf({ did, records: first }))).status).toBe(200)
  expect(await exported(account)).toEqual(cidsOf(first))
  expect((await importRepo(server, account, archiveOf({ did, records: second }))).status).toBe(200)
  expect(await exported(account)).toEqual(cidsOf(second))
  expect(ids()).toEqual(before.ids)
  expect((await likes()).body.posts[0].likeCount).toBe(0)
  const status = await statusOf(account)
  expect(status).toMatchObject({ indexedRecords: 602, expectedBlobs: 0 })
  expect(status.repoRev > before.status.repoRev).toBe(true)
  await expectNothingLeft()
})

describe('an import is refused', () => {
  let account: Account
  let did: string
  let before: unknown

  beforeAll(async () => {
    const made = await moving('ramona')
    account = made.account
    did = made.host.did
    expect((await importRepo(server, account, archiveOf({ did, records: [note('one')] }))).status).toBe(200)
    before = await statusOf(account)
  })

  test.each([
    [
      'an active account',
      async () => importRepo(server, alice, archiveOf({ did: alice.did, records: [] })),
      400,
      'InvalidRequest',
    ],
    [
      'a suspended account',
      async () => {
        const { host, account: other } = await moving('sus')
        await server.setStatus(host.did, { suspended: true })
        return importRepo(server, other, archiveOf({ did: host.did, records: [] }))
      },
      400,
      'InvalidRequest',
    ],
    [
      'an app password',
      async () => {
        const other = await server.account('apps')
        const session = await server.appSession(other, 'phone', true)
        await server.post('com.core.server.deactivateAccount', {}, other)
        return importRepo(server, session, archiveOf({ did: other.did, records: [] }))
      },
      400,
      'InvalidToken',
    ],
    [
      'a body of another type',
      () => importRepo(server, account, '{}', { 'content-type': 'application/json' }),
      400,
      'InvalidRequest',
    ],
    [
      'more than the limit',
      () => importRepo(server, account, Buffer.alloc(3_000_001)),
      413,
      'PayloadTooLarge',
    ],
    [
      'more than the limit, without a length',
      () => importRepo(server, account, new Blob([Buffer.alloc(3_000_001)]).stream()),
      413,
      'PayloadTooLarge',
    ],
  ] as const)('for %s', async (_, run, status, error) => {
    expect(await run()).toMatchObject(refusal(status, error))
    await expectNothingLeft()
  })

  test.each<readonly [string, () => Buffer]>([
    ['is empty', () => Buffer.alloc(0)],
    ['is cut', () => archiveOf({ did, records: [note('one')] }).subarray(0, -1)],
    ['is of another account', () => archiveOf({ did: alice.did, records: [] })],
    [
      'has a damaged record after many good ones',
      () => {
        const archive = archiveOf({ did, records: Array.from({ length: 1000 }, (_, i) => note(`n${i}`)) })
        archive.writeUInt8(archive.readUInt8(archive.length - 1) ^ 1, archive.length - 1)
        return archive
      },
    ],
    [
      'lacks a record',
      () =>
        carOf(
          blocksOf({ did, records: [note('one'), note('two')] }).filter(
            (_, at, { length }) => at < length - 1,
          ),
        ),
    ],
  ])('when the archive %s', async (_, archive) => {
    expect(await importRepo(server, account, archive())).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(await statusOf(account)).toEqual(before)
    await expectNothingLeft()
  })

  test('but not for repeated blocks, or blocks that nothing refers to', async () => {
    const blocks = blocksOf({ did, records: [note('one')] })
    const archive = carOf([
      ...blocks,
      ...blocks,
      blockOf({ text: 'unused' }),
      blockOfBytes(Buffer.from('raw'), 0x55),
    ])
    expect((await importRepo(server, account, archive)).status).toBe(200)
    expect(await exported(account)).toEqual(cidsOf([note('one')]))
  })
})

test('imported blocks and follows apply to notifications that exist; a later import takes them back', async () => {
  const nina = await server.account('nina')
  const follow = (did: string) => ({ $type: 'app.bsky.graph.follow', subject: did, createdAt })
  const write = { repo: alice.did, collection: 'app.bsky.graph.follow', record: follow(nina.did) }
  expect((await server.post('com.core.repo.createRecord', write, alice)).status).toBe(200)
  const listed = async (records: readonly ArchiveRecord[]) => {
    await server.post('com.core.server.deactivateAccount', {}, nina)
    const { status } = await importRepo(server, nina, archiveOf({ did: nina.did, records }))
    expect(status).toBe(200)
    await server.post('com.core.server.activateAccount', undefined, nina)
    const { body } = await server.get('app.example.notification.listNotifications', {}, nina)
    const rows = store().all<{ followed: number }>(
      'SELECT followed FROM notifications n JOIN accounts a ON a.id = n.account WHERE a.did = ?',
      [nina.did],
    )
    return [body.notifications.length, ...rows.map(({ followed }) => followed)]
  }
  const block = { $type: 'app.bsky.graph.block', subject: alice.did, createdAt }
  expect(await listed([note('one')])).toEqual([1, 0])
  expect(await listed([['app.bsky.graph.block/one', block]])).toEqual([0, 0])
  expect(await listed([['app.bsky.graph.follow/one', follow(alice.did)]])).toEqual([1, 1])
  expect(await listed([])).toEqual([1, 0])
})

test.each([
  [
    'activated',
    400,
    'InvalidRequest',
    (account: Account) => server.post('com.core.server.activateAccount', undefined, account),
  ],
  [
    'deleted',
    403,
    'AccountNotFound',
    ({ did }: Account) => server.post('com.core.admin.deleteAccount', { did }, adminAuth),
  ],
] as const)('an import ends when the account is %s meanwhile', async (state, status, error, change) => {
  const account = await server.account(`${state.slice(0, 5)}-one`)
  await server.post('com.core.server.deactivateAccount', {}, account)
  const { store } = server.running.services
  const transact = store.transact.bind(store)
  const countRecords = () =>
    store.get(
      "SELECT count(*) AS n FROM records r JOIN collections c ON c.id = r.collection WHERE nsid = 'com.example.note' AND rkey LIKE 'mean%'",
    )
  let count = 0
  store.transact = async (work) => {
    const result = await transact(work)
    // The first transaction begins the import.
    if (++count === 2) expect((await change(account)).status).toBe(200)
    return result
  }
  const records = Array.from({ length: 200 }, (_, i) => note(`mean${i}`))
  try {
    expect(await importRepo(server, account, archiveOf({ did: account.did, records }))).toMatchObject(
      refusal(status, error),
    )
  } finally {
    store.transact = transact
  }
  await expectNothingLeft()
  expect(countRecords()).toEqual({ n: 0 })
})

test('a body that is cut leaves nothing', async () => {
  const { account } = await moving('cutter')
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(100_000)),
    pull: (controller) => controller.error(new Error('cut')),
  })
  await expect(importRepo(server, account, body)).rejects.toThrow()
  await server.running.services.background.idle()
  const { account: next, host } = await moving('nextone')
  expect((await importRepo(server, next, archiveOf({ did: host.did, records: [note('one')] }))).status).toBe(
    200,
  )
  await expectNothingLeft()
})

test('blobs may arrive after the records or before them; checkAccountStatus counts them', async () => {
  const { host, account } = await moving('blanca')
  const early = png('early')
  const late = png('late')
  const file = (content: Buffer) => ({
    file: {
      $type: 'blob',
      ref: blockOfBytes(content, 0x55).cid,
      mimeType: 'image/png',
      size: content.length,
    },
  })
  const records: ArchiveRecord[] = [
    ['com.example.file/early', file(early)],
    ['com.example.file/late', file(late)],
    ['com.example.file/again', file(late)],
  ]
  await blobOf(server, account, early)
  expect((await importRepo(server, account, archiveOf({ did: host.did, records }))).status).toBe(200)
  expect(await statusOf(account)).toMatchObject({ expectedBlobs: 2, importedBlobs: 1 })
  const { body: missing } = await server.get('com.core.repo.listMissingBlobs', {}, account)
  const lateCid = blockOfBytes(late, 0x55).cid.toString()
  const recordUri = `at://${host.did}/com.example.file/again`
  expect(missing.blobs).toEqual([{ cid: lateCid, recordUri }])
  await blobOf(server, account, late)
  expect(await statusOf(account)).toMatchObject({ expectedBlobs: 2, importedBlobs: 2 })
  await arrive(server, host, account)
  // Both outlive the day for which uploads are kept.
  server.clock.advance(25 * 60 * 60_000)
  await server.running.services.repository.blobs.expire()
  for (const content of [early, late]) {
    const answer = await download(
      server,
      encodeURIComponent(host.did),
      blockOfBytes(content, 0x55).cid.toString(),
    )
    expect(answer.status === 200 ? '' : await answer.text()).toBe('')
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true)
  }
})
