import { beforeAll, describe, expect, test } from 'vitest'
import * as actors from '../../../../server/store/tables/actors.ts'
import { blobOf, png } from '../../../support/records/blobs.ts'
import { type Account, adminAuth } from '../../../support/server/server.ts'
import { owner as alice, other as bob, server, setupServer } from '../../../support/server/setup.ts'

const post = 'app.example.feed.post'
const follow = 'app.example.graph.follow'
const profile = 'app.example.actor.profile'
const createdAt = '2030-01-01T00:00:00.000Z'

setupServer({ accounts: ['alice', 'bob'] })

const create = (account: Account, collection: string, record: unknown, more: object = {}) =>
  server.post('com.core.repo.createRecord', { repo: account.did, collection, record, ...more }, account)
const put = (account: Account, collection: string, rkey: string, record: unknown, more: object = {}) =>
  server.post('com.core.repo.putRecord', { repo: account.did, collection, rkey, record, ...more }, account)
const remove = (account: Account, collection: string, rkey: string, more: object = {}) =>
  server.post('com.core.repo.deleteRecord', { repo: account.did, collection, rkey, ...more }, account)
const get = (account: Account, collection: string, rkey: string, auth?: Account) =>
  server.get('com.core.repo.getRecord', { repo: account.did, collection, rkey }, auth)
const list = (account: Account, collection: string, params: Record<string, string> = {}) =>
  server.get('com.core.repo.listRecords', { repo: account.did, collection, ...params })
const status = async (account: Account) =>
  (await server.get('com.core.server.checkAccountStatus', {}, account)).body
const rkeyOf = (uri: string) => uri.split('/').at(-1) ?? ''

test('createRecord: a post is readable without credentials by handle or DID', async () => {
  const record = { $type: post, text: 'Hello, world', createdAt, langs: ['en'] }
  const made = await create(alice, post, record)
  expect(made.status).toBe(200)
  expect(made.body).toEqual({
    uri: expect.stringMatching(`^at://${alice.did}/${post}/[2-7a-j][2-7a-z]{12}$`),
    cid: expect.stringMatching(/^bafyrei/),
    commit: { cid: expect.stringMatching(/^bafyrei/), rev: expect.any(String) },
    validationStatus: 'valid',
  })
  const rkey = rkeyOf(made.body.uri)
  for (const repo of [alice.did, alice.handle]) {
    const read = await server.get('com.core.repo.getRecord', { repo, collection: post, rkey })
    expect(read.body).toEqual({ uri: made.body.uri, cid: made.body.cid, value: record })
  }
  const { body } = await server.get('com.core.repo.describeRepo', { repo: alice.handle })
  expect(body).toMatchObject({
    did: alice.did,
    handle: alice.handle,
    collections: [post],
    handleIsCorrect: true,
  })
  expect(body.didDoc).toMatchObject({ id: alice.did })
})

test('createRecord: $type is added if absent and must equal the collection', async () => {
  const made = await create(alice, post, { text: 'untyped', createdAt })
  const read = await get(alice, post, rkeyOf(made.body.uri))
  expect(read.body.value).toEqual({ $type: post, text: 'untyped', createdAt })
  for (const collection of [post, 'org.example.thing']) {
    const other = await create(alice, collection, { $type: follow, subject: bob.did, createdAt })
    expect(other, collection).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
  }
})

test('writes to the repository of another account are rejected', async () => {
  const input = { repo: alice.did, collection: post, rkey: 'self', record: { text: 'mine', createdAt } }
  for (const nsid of ['createRecord', 'putRecord', 'deleteRecord']) {
    const answer = await server.post(`com.core.repo.${nsid}`, input, bob)
    expect(answer).toMatchObject({ status: 401, body: { error: 'AuthenticationRequired' } })
    expect((await server.post(`com.core.repo.${nsid}`, input)).body.error).toBe('AuthMissing')
  }
})

test('app passwords can write records', async () => {
  const made = await server.post('com.core.server.createAppPassword', { name: 'phone' }, bob)
  const session = await server.post('com.core.server.createSession', {
    identifier: bob.handle,
    password: made.body.password,
  })
  expect((await create({ ...bob, ...session.body }, post, { text: 'by phone', createdAt })).status).toBe(200)
})

describe('validation', () => {
  test.each([
    ['no text', post, { createdAt }],
    ['301 letters', post, { text: 'x'.repeat(301), createdAt }],
    ['a date without time', post, { text: '', createdAt: '2030-01-01' }],
    ['a follow whose subject is not a DID', follow, { subject: 'bob', createdAt }],
    [
      'a like without a CID',
      'app.example.feed.like',
      { subject: { uri: `at://${'did:web:a.test'}` }, createdAt },
    ],
    [
      'a facet without byteEnd',
      post,
      { text: '@bob', createdAt, facets: [{ index: { byteStart: 0 }, features: [] }] },
    ],
    [
      'too many labels',
      post,
      {
        text: '',
        createdAt,
        labels: { $type: 'com.core.label.defs#selfLabels', values: Array(11).fill({ val: 'x' }) },
      },
    ],
    [
      'a verification without displayName',
      'app.example.graph.verification',
      {
        subject: 'did:web:a.test',
        handle: 'a.test',
        createdAt,
      },
    ],
    ['a name of 65 letters', profile, { displayName: 'x'.repeat(65) }],
  ])('rejects %s', async (_, collection, record) => {
    const before = await status(alice)
    expect(await create(alice, collection, record)).toMatchObject({
      status: 400,
      body: { error: 'InvalidRequest' },
    })
    expect(await status(alice)).toEqual(before)
  })

  test('validate true requires a lexicon, validate false skips the check', async () => {
    const unknown = { anything: [1, 'two', { three: null }] }
    const made = await create(alice, 'org.example.thing', unknown)
    expect(made).toMatchObject({ status: 200, body: { validationStatus: 'unknown' } })
    expect((await create(alice, 'org.example.thing', unknown, { validate: true })).status).toBe(400)
    const skipped = await create(alice, post, { nothing: 'of a post' }, { validate: false })
    expect(skipped).toMatchObject({ status: 200, body: { validationStatus: 'unknown' } })
  })

  test.each([
    ['a fraction', '{"n":1.5}'],
    ['a number beyond 53 bits', '{"n":9007199254740993}'],
    ['a link that is no CID', '{"n":{"$link":"nonsense"}}'],
    ['bytes that are no base64', '{"n":{"$bytes":"*"}}'],
    ['a list', '[]'],
    ['a lone surrogate', '{"n":"\\ud800"}'],
  ])('rejects %s, which the data model forbids', async (_, record) => {
    const body = `{"repo":"${alice.did}","collection":"org.example.thing","record":${record}}`
    const answer = await server.fetch('/xrpc/com.core.repo.createRecord', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.accessJwt}` },
      body,
    })
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
  })

  test('links, bytes and blobs are returned as written', async () => {
    const record = {
      $type: 'org.example.thing',
      link: { $link: 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a' },
      bytes: { $bytes: 'AAEC' },
      blob: await blobOf(server, alice, png('as written')),
      'key with "quotes"': '\u{1f98b}',
    }
    const before = await status(alice)
    const made = await create(alice, 'org.example.thing', record)
    expect((await get(alice, 'org.example.thing', rkeyOf(made.body.uri))).body.value).toEqual(record)
    const again = await create(alice, 'org.example.thing', { ...record, text: 'the same blob' })
    expect((await status(alice)).expectedBlobs).toBe(before.expectedBlobs + 1)
    for (const { body } of [made, again]) await remove(alice, 'org.example.thing', rkeyOf(body.uri))
    expect((await status(alice)).expectedBlobs).toBe(before.expectedBlobs)
  })

  test('a record may have any number of items within its size limit', async () => {
    const items = Array.from({ length: 450_000 }, () => 1)
    expect((await create(alice, 'org.example.thing', { items })).status).toBe(200)
  })

  test('a record is limited in size to just below 1 MB', async () => {
    expect((await create(alice, 'org.example.thing', { text: 'x'.repeat(990_000) })).status).toBe(200)
    const answer = await create(alice, 'org.example.thing', { text: 'x'.repeat(1_000_000) })
    expect(answer).toMatchObject({ status: 413, body: { error: 'PayloadTooLarge' } })
  })
})

describe('record keys', () => {
  test('must match the key type of the lexicon', async () => {
    expect((await create(alice, post, { text: '', createdAt }, { rkey: 'no-tid' })).status).toBe(400)
    expect((await create(alice, profile, { displayName: 'Alice' }, { rkey: 'other' })).status).toBe(400)
    const made = await create(bob, profile, { displayName: 'Bob' })
    expect(made.body.uri).toBe(`at://${bob.did}/${profile}/self`)
  })

  test.each(['.', '..', 'a/b', 'with space', ''])('reject %j', async (rkey) => {
    expect((await create(alice, 'org.example.thing', {}, { rkey })).status).toBe(400)
  })

  test('cannot be created twice', async () => {
    expect((await create(alice, 'org.example.thing', { n: 1 }, { rkey: 'one' })).status).toBe(200)
    expect((await create(alice, 'org.example.thing', { n: 2 }, { rkey: 'one' })).status).toBe(400)
    expect((await get(alice, 'org.example.thing', 'one')).body.value.n).toBe(1)
  })

  test('generated by the server sort by time', async () => {
    const uris = []
    for (const n of [1, 2, 3]) uris.push((await create(alice, 'org.example.timed', { n })).body.uri)
    expect(uris.toSorted()).toEqual(uris)
  })
})

describe('putRecord and deleteRecord', () => {
  test('putRecord creates, then replaces, and makes no commit for an equal record', async () => {
    const first = await put(alice, profile, 'self', { displayName: 'Alice' })
    expect(first).toMatchObject({ status: 200, body: { validationStatus: 'valid' } })
    const second = await put(alice, profile, 'self', { displayName: 'Alice II' })
    expect(second.body.uri).toBe(first.body.uri)
    expect(second.body.cid).not.toBe(first.body.cid)
    expect(second.body.commit.rev > first.body.commit.rev).toBe(true)
    const again = await put(alice, profile, 'self', { displayName: 'Alice II' })
    expect(again).toMatchObject({ status: 200, body: { cid: second.body.cid } })
    expect(again.body.commit).toBeUndefined()
    expect((await status(alice)).repoCommit).toBe(second.body.commit.cid)
  })

  test('deleteRecord removes the record, and succeeds again without a commit', async () => {
    const made = await create(alice, post, { text: 'short-lived', createdAt })
    const rkey = rkeyOf(made.body.uri)
    const deleted = await remove(alice, post, rkey)
    expect(deleted.body.commit.rev > made.body.commit.rev).toBe(true)
    expect(await get(alice, post, rkey)).toMatchObject({ status: 400, body: { error: 'RecordNotFound' } })
    expect(await remove(alice, post, rkey)).toMatchObject({ status: 200, body: {} })
    expect((await status(alice)).repoCommit).toBe(deleted.body.commit.cid)
  })

  test('swapCommit and swapRecord reject writes based on an older version', async () => {
    const stale = (await status(alice)).repoCommit
    const made = await put(alice, 'org.example.thing', 'swap', { n: 1 })
    const invalid = { status: 400, body: { error: 'InvalidSwap' } }
    const there = made.body.cid
    const other = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'

    expect(await create(alice, post, { text: '', createdAt }, { swapCommit: stale })).toMatchObject(invalid)
    expect(await put(alice, 'org.example.thing', 'swap', { n: 2 }, { swapCommit: stale })).toMatchObject(
      invalid,
    )
    expect(await put(alice, 'org.example.thing', 'swap', { n: 2 }, { swapRecord: other })).toMatchObject(
      invalid,
    )
    expect(await put(alice, 'org.example.thing', 'swap', { n: 2 }, { swapRecord: null })).toMatchObject(
      invalid,
    )
    expect(await put(alice, 'org.example.thing', 'none', { n: 2 }, { swapRecord: there })).toMatchObject(
      invalid,
    )
    expect(await remove(alice, 'org.example.thing', 'swap', { swapRecord: other })).toMatchObject(invalid)
    expect(await remove(alice, 'org.example.thing', 'swap', { swapCommit: stale })).toMatchObject(invalid)
    expect((await status(alice)).repoCommit).toBe(made.body.commit.cid)

    const head = made.body.commit.cid
    const swapped = await put(
      alice,
      'org.example.thing',
      'swap',
      { n: 2 },
      { swapCommit: head, swapRecord: there },
    )
    expect(swapped.status).toBe(200)
    expect((await put(alice, 'org.example.thing', 'new', { n: 1 }, { swapRecord: null })).status).toBe(200)
    expect((await remove(alice, 'org.example.thing', 'swap', { swapRecord: swapped.body.cid })).status).toBe(
      200,
    )
  })

  test('of concurrent writes with one swapCommit one succeeds', async () => {
    const swapCommit = (await status(alice)).repoCommit
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => create(alice, 'org.example.race', { n }, { swapCommit })),
    )
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 400, 400, 400, 400])
    expect((await list(alice, 'org.example.race')).body.records).toHaveLength(1)
  })

  test('concurrent writes all succeed, each with its own commit', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => create(bob, 'org.example.many', { n })),
    )
    expect(new Set(answers.map((answer) => answer.body.commit.cid)).size).toBe(40)
    expect(new Set(answers.map((answer) => answer.body.commit.rev)).size).toBe(40)
    expect((await list(bob, 'org.example.many', { limit: '100' })).body.records).toHaveLength(40)
  })
})

describe('applyWrites', () => {
  const thing = 'org.example.batch'
  const apply = (writes: object[], more: object = {}) =>
    server.post('com.core.repo.applyWrites', { repo: alice.did, writes, ...more }, alice)
  const write = (kind: string, rkey: string, n?: number, names = 'com.core') => ({
    $type: `${names}.repo.applyWrites#${kind}`,
    collection: thing,
    rkey,
    ...(n === undefined ? {} : { value: { n } }),
  })
  const numbers = async () => {
    const { body } = await list(alice, thing, { reverse: 'true' })
    return body.records.map(({ value }: { value: { n: number } }) => value.n)
  }

  test('makes one commit of the writes in order', async () => {
    const made = await apply([write('create', 'a', 1), write('create', 'b', 2), write('update', 'a', 3)])
    expect(made.status).toBe(200)
    expect(made.body.results.map(({ $type }: { $type: string }) => $type.split('#')[1])).toEqual([
      'createResult',
      'createResult',
      'updateResult',
    ])
    expect(made.body.results[2]).toMatchObject({
      uri: `at://${alice.did}/${thing}/a`,
      validationStatus: 'unknown',
    })
    expect((await status(alice)).repoCommit).toBe(made.body.commit.cid)
    expect(await numbers()).toEqual([3, 2])

    const deleted = await apply([write('delete', 'a'), write('create', 'a', 4), write('delete', 'b')])
    expect(deleted.status).toBe(200)
    expect(await numbers()).toEqual([4])
  })

  test.each([
    ['a record with an existing key is created', [write('create', 'c', 1), write('create', 'a', 1)]],
    ['one record is created twice', [write('create', 'c', 1), write('create', 'c', 2)]],
    ['a missing record is updated', [write('create', 'c', 1), write('update', 'none', 1)]],
    ['one record is invalid', [write('create', 'c', 1), { ...write('create', 'd', 1), collection: post }]],
    ['one write has an unknown type', [write('create', 'c', 1), write('destroy', 'a')]],
    ['one write has no value', [write('create', 'c', 1), write('update', 'a')]],
  ])('writes nothing when %s', async (_, writes) => {
    const before = await status(alice)
    expect(await apply(writes)).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    expect(await status(alice)).toEqual(before)
  })

  test('makes no commit if nothing changes', async () => {
    const back = [
      write('create', 'new', 1),
      write('delete', 'new'),
      write('delete', 'a'),
      write('create', 'a', 4),
    ]
    const { body } = await apply([write('delete', 'none'), write('update', 'a', 4), ...back])
    expect(body.results).toHaveLength(6)
    expect(body.commit).toBeUndefined()
  })

  test('takes up to 200 writes', async () => {
    const writes = Array.from({ length: 201 }, (_, n) => write('create', `many-${n}`, n))
    expect(await apply(writes)).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    expect((await apply(writes.slice(1))).body.results).toHaveLength(200)
    const deletions = writes.slice(1).map(({ rkey }) => write('delete', rkey))
    expect((await apply(deletions)).status).toBe(200)
    expect(await numbers()).toEqual([4])
  })

  test('swapCommit rejects writes based on an older commit', async () => {
    const swapCommit = (await status(alice)).repoCommit
    expect((await apply([write('update', 'a', 5)], { swapCommit })).status).toBe(200)
    const answer = await apply([write('update', 'a', 6)], { swapCommit })
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidSwap' } })
  })

  test('accepts aliased types of writes', async () => {
    const { status, body } = await apply([
      write('create', 'z', 1, 'com.atproto'),
      { ...write('delete', 'z', undefined, 'com.atproto'), bytes: 'not a record', cid: 'nor its CID' },
    ])
    expect(status).toBe(200)
    expect(body.results[0]).toMatchObject({ $type: 'com.core.repo.applyWrites#createResult' })
    expect(body.results[1]).toEqual({ $type: 'com.core.repo.applyWrites#deleteResult' })
    expect((await get(alice, thing, 'z')).body.error).toBe('RecordNotFound')
  })
})

describe('listRecords', () => {
  const rkeys = ['a', 'b', 'c', 'd', 'e']
  beforeAll(async () => {
    for (const rkey of rkeys) await put(alice, 'org.example.listed', rkey, { rkey })
    await put(alice, 'org.example.listedtoo', 'z', {})
  })

  const walk = async (params: Record<string, string>, collection = 'org.example.listed') => {
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const { body } = await list(alice, collection, { ...params, ...(cursor ? { cursor } : {}) })
      pages.push(body.records.map(({ uri }: { uri: string }) => rkeyOf(uri)))
      cursor = body.cursor
    } while (cursor !== undefined)
    return pages
  }

  test('pages in both directions', async () => {
    expect(await walk({ limit: '2' })).toEqual([['e', 'd'], ['c', 'b'], ['a']])
    expect(await walk({ limit: '2', reverse: 'true' })).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(await walk({ limit: '5' })).toEqual([rkeys.toReversed()])
    expect(await walk({})).toEqual([rkeys.toReversed()])
  })

  test('returns fewer large records per page, and all over the pages', async () => {
    const text = 'x'.repeat(900_000)
    for (const rkey of rkeys) await put(alice, 'org.example.large', rkey, { text })
    expect(await walk({}, 'org.example.large')).toEqual([['e', 'd'], ['c', 'b'], ['a']])
  })

  test('returns uri, cid and value', async () => {
    const { body } = await list(alice, 'org.example.listed', { limit: '1' })
    const read = await get(alice, 'org.example.listed', 'e')
    expect(body.records).toEqual([read.body])
    expect((await list(alice, 'org.example.empty')).body).toEqual({ records: [] })
  })

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['cursor', 'a/b'],
  ])('rejects %s %s', async (name, value) => {
    expect((await list(alice, 'org.example.listed', { [name]: value })).status).toBe(400)
  })
})

test('unknown repositories and records fail with RepoNotFound and RecordNotFound', async () => {
  const unknown = { repo: 'did:web:unknown.test', collection: post, rkey: 'x' }
  for (const nsid of ['getRecord', 'listRecords', 'describeRepo']) {
    const answer = await server.get(`com.core.repo.${nsid}`, unknown)
    expect(answer).toMatchObject({ status: 400, body: { error: 'RepoNotFound' } })
  }
  const { uri, cid } = (await create(alice, post, { text: 'v1', createdAt })).body
  const params = { repo: alice.did, collection: post, rkey: rkeyOf(uri) }
  expect((await server.get('com.core.repo.getRecord', { ...params, cid })).status).toBe(200)
  const old = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'
  const answer = await server.get('com.core.repo.getRecord', { ...params, cid: old })
  expect(answer).toMatchObject({ status: 400, body: { error: 'RecordNotFound' } })
})

test('aliased collections are validated and stored under the alias', async () => {
  const facet = {
    index: { byteStart: 0, byteEnd: 6 },
    features: [{ $type: 'app.bsky.richtext.facet#mention', did: bob.did }],
  }
  const record = { $type: 'app.bsky.feed.post', text: '@alice', createdAt, facets: [facet] }
  const call = (record: unknown) =>
    server.post(
      'com.atproto.repo.createRecord',
      { repo: alice.did, collection: 'app.bsky.feed.post', record },
      alice,
    )
  const made = await call(record)
  expect(made).toMatchObject({ status: 200, body: { validationStatus: 'valid' } })
  const read = await get(alice, 'app.bsky.feed.post', rkeyOf(made.body.uri))
  expect(read.body.value).toEqual(record)

  expect((await call({ text: 'no date' })).status).toBe(400)
  const badMention = { $type: 'app.bsky.richtext.facet#mention', did: 'bob' }
  expect((await call({ ...record, facets: [{ ...facet, features: [badMention] }] })).status).toBe(400)
})

test('the display name comes from the profile, also from an aliased one', async () => {
  const shown = async ({ did }: Account) =>
    (await server.get('app.example.actor.getProfile', { actor: did })).body.displayName
  const erin = await server.account('erin')
  expect(await shown(erin)).toBeUndefined()
  await put(erin, profile, 'self', { displayName: 'Erin' })
  expect(await shown(erin)).toBe('Erin')
  await put(erin, 'app.bsky.actor.profile', 'self', { displayName: 'Erin II' })
  expect(await shown(erin)).toBe('Erin II')
  await put(erin, profile, 'self', { displayName: ['no', 'name'] }, { validate: false })
  expect(await shown(erin)).toBeUndefined()
})

describe('an account that is not active', () => {
  const states = [
    ['takedown', 'RepoTakendown', 'ExpiredToken'],
    ['suspended', 'RepoSuspended', 'AccountSuspended'],
    ['deactivated', 'RepoDeactivated', 'AccountDeactivated'],
  ] as const
  const set = (account: Account, state: string, applied: boolean) =>
    server.post(
      'com.core.admin.updateSubjectStatus',
      { subject: { $type: 'com.core.admin.defs#repoRef', did: account.did }, [state]: { applied } },
      adminAuth,
    )

  test.each(states)(
    '%s: records are hidden from others, and writes are rejected',
    async (state, hidden, refused) => {
      const carol = await server.account(`carol-${state}`)
      const bystander = await server.account(`other-${state}`)
      const made = await create(carol, post, { text: 'here', createdAt })
      const rkey = rkeyOf(made.body.uri)
      expect((await set(carol, state, true)).status).toBe(200)

      const params = { repo: carol.did, did: carol.did, collection: post, rkey }
      for (const nsid of ['repo.getRecord', 'repo.listRecords', 'repo.describeRepo', 'sync.getRepo']) {
        for (const auth of [undefined, bystander]) {
          const answer = await server.get(`com.core.${nsid}`, params, auth)
          expect(answer).toMatchObject({ status: 400, body: { error: hidden } })
        }
      }
      expect((await create(carol, post, { text: 'more', createdAt })).body.error).toBe(refused)
      expect((await remove(carol, post, rkey)).body.error).toBe(refused)
      // The account itself can read it, except after a takedown, which ended its session.
      expect((await get(carol, post, rkey, carol)).status).toBe(state === 'takedown' ? 400 : 200)

      await set(carol, state, false)
      expect((await get(carol, post, rkey)).status).toBe(200)
    },
  )
})

test('deleting an account deletes its repository', async () => {
  const dave = await server.account('dave')
  await create(dave, post, { text: 'here', createdAt })
  const { store } = server.running.services
  const actor = actors.idOf(store, dave.did) ?? 0
  for (const table of ['repo_blocks', 'records', 'posts']) {
    expect(store.all(`SELECT 1 FROM ${table} WHERE actor = ?`, [actor])).not.toEqual([])
  }
  await server.post('com.core.admin.deleteAccount', { did: dave.did }, adminAuth)
  for (const table of ['repos', 'repo_blocks', 'records', 'collection_sizes', 'links', 'posts']) {
    expect(store.all(`SELECT 1 FROM ${table} WHERE actor = ?`, [actor])).toEqual([])
  }
  expect(actors.idOf(store, dave.did)).toBeUndefined()
  expect((await list(dave, post)).body.error).toBe('RepoNotFound')
})

test('after a restart records exist and writes continue from the last commit', async () => {
  const before = await create(alice, post, { text: 'before', createdAt })
  await server.restart()
  expect((await get(alice, post, rkeyOf(before.body.uri))).body.cid).toBe(before.body.cid)
  const after = await create(alice, post, { text: 'after', createdAt })
  expect(after.body.commit.rev > before.body.commit.rev).toBe(true)
})
