/** The index of links between records: what each kind of record creates, changes and removes. */
import { P256Keypair } from '@atproto/crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkPaths } from '../../../../server/repository/format/link-paths.ts'
import { findByDid } from '../../../../server/store/tables/accounts.ts'
import * as actors from '../../../../server/store/tables/actors.ts'
import { seededRandom } from '../../../crash/random.ts'
import { type DidHost, didDocument, startDidHost } from '../../../support/accounts/did-host.ts'
import { signServiceJwt } from '../../../support/accounts/jwt.ts'
import { type Account, adminAuth, TestServer } from '../../../support/server/server.ts'
import {
  body,
  createdAt,
  feed,
  graph,
  mentions,
  type Ref,
  SocialServer,
  someCid,
} from '../../../support/server/social.ts'

let social: SocialServer
/** The host of one did:web. */
let web: DidHost
let alice: Account
let bob: Account
let carol: Account

beforeAll(async () => {
  web = await startDidHost()
  social = SocialServer.on(await TestServer.start({ allowPrivateTargets: true }))
  const names = ['alice', 'bob', 'carol'].map((name) => social.server.account(name))
  ;[alice, bob, carol] = (await Promise.all(names)) as [Account, Account, Account]
})
afterAll(async () => {
  await social.close()
  await web.close()
})

const store = () => social.server.running.services.store
const idOf = (did: string) => actors.idOf(store(), did)
const deleteAccount = async (did: string) =>
  body(await social.server.post('com.core.admin.deleteAccount', { did }, adminAuth))

/** The URI as it is stored. */
const stored = (uri: string) => uri.replace('/app.example.', '/app.bsky.')

/** The subjects of a record's links in short, by path number, under our names. */
function linksOf({ uri }: Ref): string[] {
  const [, , did, collection, rkey] = stored(uri).split('/')
  const rows = store().all<{ link: string }>(
    `SELECT l.path || ' ' || CASE WHEN l.path IN (8, 9, 10, 11, 14) THEN a.did
       ELSE t.did || '/' || n.nsid || '/' || s.rkey END AS link
     FROM records r JOIN actors o ON o.id = r.actor JOIN collections c ON c.id = r.collection JOIN links l ON l.record = r.id
     LEFT JOIN actors a ON a.id = l.subject LEFT JOIN subjects s ON s.id = l.subject
     LEFT JOIN actors t ON t.id = s.actor LEFT JOIN collections n ON n.id = s.collection
     WHERE o.did = ? AND c.nsid = ? AND r.rkey = ? ORDER BY l.path, link`,
    [did ?? '', collection ?? '', rkey ?? ''],
  )
  return rows.map(({ link }) =>
    link.replace(/^(\d+) (?=did.*\/)/, '$1 at://').replace('/app.bsky.', '/app.example.'),
  )
}

function countOf({ uri }: Ref, path: keyof typeof linkPaths): number {
  const [, , did = '', collection = '', rkey = ''] = stored(uri).split('/')
  const row = store().get<{ count: number }>(
    `SELECT count FROM link_counts WHERE path = ? AND subject = (
       SELECT id FROM subjects WHERE actor = (SELECT id FROM actors WHERE did = ?)
         AND collection = (SELECT id FROM collections WHERE nsid = ?) AND rkey = ?)`,
    [linkPaths[path], did, collection, rkey],
  )
  return row?.count ?? 0
}

const unchecked = (author: Account, collection: string, record: object) =>
  social.write(author, collection, record, { validate: false })

describe('links', () => {
  test('of each collection', async () => {
    const post = await social.post(alice)
    const repost = await social.repost(carol, post)
    expect(linksOf(await social.like(bob, post, repost))).toEqual([`1 ${post.uri}`, `2 ${repost.uri}`])
    expect(linksOf(await social.repost(bob, post, repost))).toEqual([`3 ${post.uri}`, `4 ${repost.uri}`])
    const reply = await social.reply(bob, post)
    const deep = await social.reply(alice, reply, post, mentions(bob, carol, bob))
    expect(linksOf(deep)).toEqual([
      `5 ${reply.uri}`,
      `6 ${post.uri}`,
      ...[bob.did, carol.did].sort().map((did) => `8 ${did}`),
    ])
    expect(linksOf(await social.quote(bob, post))).toEqual([`7 ${post.uri}`])
    expect(linksOf(await social.follow(bob, alice))).toEqual([`9 ${alice.did}`])
    expect(linksOf(await social.verify(bob, alice))).toEqual([`14 ${alice.did}`])
    const block = await social.write(bob, `${graph}.block`, { subject: 'did:web:elsewhere.test', createdAt })
    expect(linksOf(block)).toEqual(['10 did:web:elsewhere.test'])
  })

  test('resolve handles', async () => {
    const uri = `at://${alice.handle}/app.bsky.feed.post/3kaaaaaaaaaa2`
    expect(linksOf(await social.like(bob, { uri, cid: someCid }))).toEqual([
      `1 at://${alice.did}/app.example.feed.post/3kaaaaaaaaaa2`,
    ])
  })

  test('of records under the name of the network', async () => {
    const post = await social.post(alice)
    const embed = { $type: 'app.bsky.embed.record', record: post }
    const quote = await social.write(bob, 'app.bsky.feed.post', { text: '', embed, createdAt })
    expect(linksOf(quote)).toEqual([`7 ${post.uri}`])
  })

  test.each([
    [`${feed}.like`, { subject: 'at://did:web:a.test/app.example.feed.post/1' }],
    [`${feed}.like`, { subject: { uri: 7 }, via: { uri: 'at://did:web:a.test' } }],
    [`${feed}.post`, { facets: { features: [] }, reply: [], embed: { $type: 'app.example.embed.record' } }],
    [
      `${feed}.post`,
      { facets: [null, { features: [null, { $type: 'app.example.richtext.facet#mention' }] }] },
    ],
    [`${graph}.follow`, { subject: 'elsewhere.test' }],
    [`${graph}.block`, { subject: { did: 'did:web:a.test' } }],
    [`${graph}.listblock`, { subject: 'at://did:web:a.test/app.example.feed.post/1' }],
    [`${graph}.listitem`, { subject: null, list: { uri: 'at://did:web:a.test/app.example.graph.list/1' } }],
    [
      'app.example.actor.profile',
      { joinedViaStarterPack: 'at://did:web:a.test/app.example.graph.starterpack/1' },
    ],
    ['com.example.note', { subject: 'did:web:a.test' }],
  ])('of malformed %s: none', async (collection, record) => {
    expect(linksOf(await unchecked(bob, collection, record))).toEqual([])
    expect(idOf('did:web:a.test')).toBeUndefined()
  })

  test('of a post with thousands of mentions are limited to a hundred', async () => {
    const crowd = Array.from({ length: 5000 }, (_, i) => ({ did: `did:web:crowd${i}.test` }))
    const post = await unchecked(bob, `${feed}.post`, { text: '', createdAt, ...mentions(...crowd) })
    expect(linksOf(post)).toHaveLength(100)
    await social.remove(bob, post)
    expect(store().all("SELECT 1 FROM actors WHERE did LIKE 'did:web:crowd%'")).toEqual([])
  })

  test('change with the record, whose row stays', async () => {
    const key = 'app.example.actor.profile'
    const rowOf = (did: string) =>
      store().all('SELECT id FROM records WHERE actor = ? AND rkey = ?', [idOf(did) ?? 0, 'self'])
    const pack = (rkey: string) => ({ uri: `at://did:web:p.test/${graph}.starterpack/${rkey}`, cid: someCid })
    const profile = await social.put(carol, key, 'self', { joinedViaStarterPack: pack('3kaaaaaaaaaa2') })
    const row = rowOf(carol.did)
    expect(row).toHaveLength(1)
    await social.put(carol, key, 'self', { joinedViaStarterPack: pack('3kaaaaaaaaaa3') })
    expect(linksOf(profile)).toEqual([`15 ${pack('3kaaaaaaaaaa3').uri}`])
    expect(rowOf(carol.did)).toEqual(row)
    await social.put(carol, key, 'self', {})
    expect(linksOf(profile)).toEqual([])
    expect(idOf('did:web:p.test')).toBeUndefined()
  })
})

describe('counts', () => {
  test('count each account once for likes, reposts and follows, and every post', async () => {
    const post = await social.post(alice)
    const likes = [await social.like(bob, post), await social.like(bob, post), await social.like(carol, post)]
    await social.reply(bob, post)
    await social.reply(bob, post)
    await social.quote(bob, post)
    await social.quote(bob, post)
    const counts = () =>
      (['feed.like:subject', 'feed.post:reply.parent', 'feed.post:embed'] as const).map((path) =>
        countOf(post, path),
      )
    expect(counts()).toEqual([2, 2, 2])
    await social.remove(bob, likes[0] as Ref)
    expect(counts()).toEqual([2, 2, 2])
    await social.remove(bob, likes[1] as Ref)
    expect(counts()).toEqual([1, 2, 2])
  })

  test('agree with the tables after any writes', async () => {
    const random = seededRandom(7)
    const pick = <T>(from: readonly T[]) => from[random(from.length)] as T
    const posts = [await social.post(alice), await social.post(bob), await social.post(carol)]
    const written: { author: Account; ref: Ref }[] = []
    for (let step = 0; step < 120; step++) {
      const author = pick([alice, bob, carol])
      if (random(3) === 0 && written.length > 0) {
        const [one] = written.splice(random(written.length), 1)
        if (one) await social.remove(one.author, one.ref)
        continue
      }
      const write = pick([
        () => social.like(author, pick(posts)),
        () => social.reply(author, pick(posts), pick(posts)),
        () => social.follow(author, pick([alice, bob, carol])),
        () =>
          social.put(author, `${feed}.post`, pick(['3kbbbbbbbbbb2', '3kbbbbbbbbbb3']), {
            text: 'x'.repeat(random(100)),
            reply: { parent: pick(posts), root: pick(posts) },
            createdAt,
          }),
      ])
      const ref = await write()
      if (!written.some((one) => one.ref.uri === ref.uri)) written.push({ author, ref })
    }
    expect(store().all('SELECT * FROM link_counts ORDER BY 1, 2')).toEqual(
      store().all(
        `SELECT subject, path, count(DISTINCT CASE WHEN path IN (5, 6, 7) THEN record ELSE actor END) AS count
         FROM links GROUP BY subject, path ORDER BY 1, 2`,
      ),
    )
    expect(store().all('SELECT * FROM collection_sizes ORDER BY 1, 2')).toEqual(
      store().all(
        `SELECT actor, collection, count(*) AS records, sum(length(bytes)) AS bytes FROM records
         GROUP BY actor, collection ORDER BY 1, 2`,
      ),
    )
    const orphans =
      'SELECT id FROM subjects WHERE id NOT IN (SELECT subject FROM links WHERE path NOT IN (8, 9, 10, 11, 14))'
    expect(store().all(orphans)).toEqual([])
  })
})

describe('feed items', () => {
  const itemOf = ({ uri }: Ref) =>
    store().get<{ kind: number; media: number; sortAt: number }>(
      `SELECT kind, media, sort_at AS sortAt FROM posts JOIN records r ON r.id = posts.record WHERE r.rkey = ?`,
      [uri.split('/').at(-1) ?? ''],
    )

  test('are posts, replies and reposts at the time that they state, but not after they were written', async () => {
    const early = '2019-12-31T23:59:59.000Z'
    const post = await social.post(alice, { createdAt: early })
    expect(itemOf(post)).toEqual({ kind: 0, media: 0, sortAt: Date.parse(early) })
    expect(itemOf(await social.repost(bob, post))).toMatchObject({ kind: 2 })
    const start = social.server.clock.now().getTime()
    const reply = await social.reply(bob, post, post, { createdAt: '2999-01-01T00:00:00Z' })
    const undated = await unchecked(bob, `${feed}.post`, { createdAt: 'yesterday' })
    expect(itemOf(reply)).toMatchObject({ kind: 1, media: 0 })
    for (const late of [reply, undated]) {
      expect(itemOf(late)?.sortAt).toBeGreaterThanOrEqual(start)
      expect(itemOf(late)?.sortAt).toBeLessThanOrEqual(social.server.clock.now().getTime())
    }
    expect(itemOf(await social.like(bob, post))).toBeUndefined()
  })

  test.each([
    [{ $type: 'app.example.embed.images', images: [] }, 1],
    [{ $type: 'app.example.embed.video' }, 3],
    [{ $type: 'app.bsky.embed.recordWithMedia', media: { $type: 'app.bsky.embed.video' } }, 3],
    [{ $type: 'app.example.embed.external' }, 0],
  ])('state their media: %j', async (embed, media) => {
    expect(itemOf(await unchecked(bob, `${feed}.post`, { embed }))).toMatchObject({ media })
  })
})

describe('actors', () => {
  test('exist while something refers to them', async () => {
    const did = 'did:web:far.test'
    const follow = await social.follow(bob, { did })
    const like = await social.like(carol, { uri: `at://${did}/${feed}.post/3kaaaaaaaaaa2`, cid: someCid })
    body(await social.subscribe(alice, { did }, true, false))
    expect(idOf(did)).toBeGreaterThan(0)
    await social.remove(bob, follow)
    await social.remove(carol, like)
    expect(idOf(did)).toBeGreaterThan(0)
    body(await social.subscribe(alice, { did }, false, false))
    expect(idOf(did)).toBeUndefined()
  })

  test('of deleted accounts stay while others refer to them, without anything of theirs', async () => {
    const dave = await social.server.account('dave')
    const follow = await social.follow(bob, dave)
    const post = await social.post(dave)
    await social.like(dave, await social.post(alice))
    const like = await social.like(carol, post)
    const actor = idOf(dave.did) ?? 0
    await deleteAccount(dave.did)
    expect(store().get('SELECT did, inactive FROM actors WHERE id = ?', [actor])).toEqual({
      did: dave.did,
      inactive: 1,
    })
    for (const table of ['records', 'links', 'posts', 'collection_sizes', 'repos', 'repo_blocks']) {
      expect(store().all(`SELECT 1 FROM ${table} WHERE actor = ?`, [actor]), table).toEqual([])
    }
    expect(
      store().all('SELECT 1 FROM notifications WHERE author = ? OR account = ?', [actor, actor]),
    ).toEqual([])
    expect(countOf(post, 'feed.like:subject')).toBe(1)
    await social.remove(bob, follow)
    await social.remove(carol, like)
    expect(idOf(dave.did)).toBeUndefined()
  })

  test('keep their links when they move here, leave, and come again', async () => {
    const { did } = web
    const key = await P256Keypair.create()
    await social.follow(bob, { did })
    const actor = idOf(did)
    const state = () => store().get('SELECT id, inactive FROM actors WHERE did = ?', [did])
    expect(state()).toEqual({ id: actor, inactive: 0 })
    for (let turn = 0; turn < 2; turn++) {
      web.documents.set(did, didDocument(did, key, 'webster.old.example'))
      const account = body(await moveIn(did, key))
      const here = { did: () => findByDid(store(), did)?.signingKeyDid ?? '' }
      web.documents.set(did, didDocument(did, here, 'webster.test', 'https://pds.test'))
      expect(state()).toEqual({ id: actor, inactive: 1 })
      body(await social.server.post('com.core.admin.updateSubjectStatus', deactivated(did, false), adminAuth))
      expect(state()).toEqual({ id: actor, inactive: 0 })
      expect(
        store().all('SELECT actor FROM links WHERE subject = ? AND path = 9', [actor ?? 0]),
      ).toHaveLength(1)
      await social.like({ ...alice, did, accessJwt: account.accessJwt }, await social.post(bob))
      const { notifications } = await social.list(bob, { limit: '1' })
      expect(notifications).toMatchObject([{ reason: 'like', author: { did } }])
      await deleteAccount(did)
    }
    expect(state()).toEqual({ id: actor, inactive: 1 })
  })

  function deactivated(did: string, applied: boolean) {
    const subject = { $type: 'com.core.admin.defs#repoRef', did }
    return { subject, deactivated: { applied } }
  }

  async function moveIn(did: string, key: P256Keypair) {
    const iat = Math.floor(social.server.clock.now().getTime() / 1000)
    const claims = {
      iss: did,
      aud: 'did:web:pds.test',
      lxm: 'com.core.server.createAccount',
      iat,
      exp: iat + 60,
    }
    const proof = await signServiceJwt(key, { ...claims, jti: 'unique' })
    const input = { did, handle: 'webster.test', password: 'a good password' }
    return social.server.post('com.core.server.createAccount', input, proof)
  }
})
