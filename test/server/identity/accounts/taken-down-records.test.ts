/** Records and blobs that the administrator takes down: hidden in views and reading methods, kept in the repository. */
import { beforeEach, describe, expect, test } from 'vitest'
import { blobOf, download, png, upload } from '../../../support/records/blobs.ts'
import { type Account, type Answer, adminAuth, refusal } from '../../../support/server/server.ts'
import { alice, bob, server, setupAccounts, social } from '../../../support/server/setup.ts'
import { body, createdAt, feed, graph, mentions, type Ref } from '../../../support/server/social.ts'

setupAccounts()

const post = (subject: object, more: object, auth: Account | string = adminAuth): Promise<Answer> =>
  server.post('com.core.admin.updateSubjectStatus', { subject, ...more }, auth)
const statusOf = (params: Record<string, string>): Promise<Answer> =>
  server.get('com.core.admin.getSubjectStatus', params, adminAuth)
const refOf = ({ uri, cid }: Ref) => ({ $type: 'com.core.repo.strongRef', uri, cid })
const takeDown = async (subject: object, applied = true) =>
  body(await post(subject, { takedown: applied ? { applied, ref: 'case 7' } : { applied } }))

const nameOf = ({ uri }: Ref) => {
  const [, , repo = '', collection = '', rkey = ''] = uri.split('/')
  return { repo, collection, rkey }
}
const read = (ref: Ref, auth?: Account | string) => server.get('com.core.repo.getRecord', nameOf(ref), auth)
const missing = refusal(400, 'RecordNotFound')

async function listed({ uri }: Ref, auth?: Account): Promise<boolean> {
  const [, , repo = '', collection = ''] = uri.split('/')
  const pages = ['true', 'false'].map(
    async (reverse) =>
      body(await server.get('com.core.repo.listRecords', { repo, collection, reverse }, auth)).records,
  )
  const found = (await Promise.all(pages)).map((records) => records.some((one: Ref) => one.uri === uri))
  expect(found[0]).toBe(found[1])
  return found[0] ?? false
}

async function feedOf(author: Account, viewer: Account): Promise<string[]> {
  const { feed: items } = body(await server.get(`${feed}.getAuthorFeed`, { actor: author.did }, viewer))
  return items.map(({ post: { uri } }: { post: Ref }) => uri)
}

describe('a post that is taken down', () => {
  let taken: Ref
  let kept: Ref
  beforeEach(async () => {
    taken = await social.post(bob, { text: 'offensive', ...mentions(alice) })
    kept = await social.post(bob, { text: 'harmless', ...mentions(alice) })
  })

  test('is hidden in views and from reading methods, also from its author, and shown again afterwards', async () => {
    const reply = await social.reply(alice, taken)
    const posts = async (viewer: Account) =>
      body(await server.get(`${feed}.getPosts`, { uris: [taken.uri, kept.uri] }, viewer)).posts.map(
        ({ uri }: Ref) => uri,
      )
    const parent = async () =>
      body(await server.get(`${feed}.getPostThread`, { uri: reply.uri }, alice)).thread.parent
    const quote = await social.quote(alice, taken)
    const quoted = async () =>
      body(await server.get(`${feed}.getPosts`, { uris: [quote.uri] }, alice)).posts[0].embed.record.$type
    expect(await takeDown(refOf(taken))).toEqual({
      subject: refOf(taken),
      takedown: { applied: true, ref: 'case 7' },
    })
    for (const viewer of [alice, bob]) {
      expect(await read(taken, viewer)).toMatchObject(missing)
      expect(await listed(taken, viewer)).toBe(false)
      expect(await posts(viewer)).toEqual([kept.uri])
      expect(await feedOf(bob, viewer)).toEqual([kept.uri])
    }
    expect(await read(taken, adminAuth)).toMatchObject(missing)
    expect(await parent()).toMatchObject({ notFound: true })
    expect(await quoted()).toBe('app.example.embed.record#viewNotFound')
    expect(body(await server.get(`${feed}.searchPosts`, { q: 'offensive' }, alice)).posts).toEqual([])
    expect((await read(kept)).status).toBe(200)

    expect(await takeDown(refOf(taken), false)).toEqual({
      subject: refOf(taken),
      takedown: { applied: false },
    })
    expect((await read(taken)).body).toMatchObject({ cid: taken.cid })
    expect(await listed(taken)).toBe(true)
    expect(await posts(alice)).toEqual([taken.uri, kept.uri])
    expect(await parent()).toMatchObject({ post: { uri: taken.uri } })
    expect(await quoted()).toBe('app.example.embed.record#viewRecord')
  })

  test('has no notification, also after an edit, and has it again afterwards', async () => {
    await takeDown(refOf(taken))
    expect(await social.unread(alice)).toBe(1)
    const { rkey } = nameOf(taken)
    await social.put(bob, `${feed}.post`, rkey, { text: 'edited', createdAt })
    await social.put(bob, `${feed}.post`, rkey, { text: 'edited', createdAt, ...mentions(alice) })
    expect(await social.unread(alice)).toBe(1)
    expect(await social.listed(alice)).toEqual(['mention by bob'])
    await takeDown(refOf(taken), false)
    expect(await social.unread(alice)).toBe(2)
    expect(await social.listed(alice)).toHaveLength(2)
  })

  test('remains in the repository with its proof', async () => {
    const proof = () => {
      const { repo, collection, rkey } = nameOf(taken)
      const query = new URLSearchParams({ did: repo, collection, rkey })
      return fetch(`${server.url}/xrpc/com.core.sync.getRecord?${query}`).then(async (one) =>
        Buffer.from(await one.arrayBuffer()),
      )
    }
    const before = await proof()
    await takeDown(refOf(taken))
    expect((await proof()).equals(before)).toBe(true)
  })

  test('stays taken down after an edit and a restart; deleting it ends the takedown', async () => {
    await takeDown(refOf(taken))
    const { rkey } = nameOf(taken)
    const edited = await social.put(bob, `${feed}.post`, rkey, { text: 'edited', createdAt })
    await server.restart()
    expect(await read(taken)).toMatchObject(missing)
    expect((await statusOf({ uri: taken.uri })).body).toEqual({
      subject: refOf(edited),
      takedown: { applied: true, ref: 'case 7' },
    })
    await social.remove(bob, taken)
    expect(await statusOf({ uri: taken.uri })).toMatchObject(refusal(400, 'NotFound'))
    await social.put(bob, `${feed}.post`, rkey, { text: 'new', createdAt })
    expect((await read(taken)).body.value.text).toBe('new')
    expect((await statusOf({ uri: taken.uri })).body.takedown).toEqual({ applied: false })
  })
})

test('a taken-down profile: neither shown nor found by its name', async () => {
  const name = `Nym${Date.now()}`
  const profile = await social.put(bob, 'app.example.actor.profile', 'self', { displayName: name })
  const shown = async () =>
    body(await server.get('app.example.actor.getProfile', { actor: bob.did }, alice)).displayName
  const found = async () =>
    body(await server.get('app.example.actor.searchActors', { q: name }, alice)).actors.length
  expect([await shown(), await found()]).toEqual([name, 1])
  await takeDown(refOf(profile))
  expect([await shown(), await found()]).toEqual([undefined, 0])
})

test('a taken-down list: not shown', async () => {
  const list = await social.write(bob, `${graph}.list`, {
    name: 'List',
    purpose: `${graph}.defs#curatelist`,
    createdAt,
  })
  const shown = () => server.get(`${graph}.getList`, { list: list.uri }, alice)
  const lists = async () => body(await server.get(`${graph}.getLists`, { actor: bob.did }, alice)).lists
  expect((await shown()).status).toBe(200)
  await takeDown(refOf(list))
  expect((await shown()).status).toBe(400)
  expect(await lists()).toEqual([])
})

describe('a blob that is taken down', () => {
  const image = png('an image')
  let cid: string
  let subject: { $type: string; did: string; cid: string }
  beforeEach(async () => {
    const blob = await blobOf(server, bob, image)
    cid = blob.ref.$link
    subject = { $type: 'com.core.admin.defs#repoBlobRef', did: bob.did, cid }
    const embed = { $type: 'app.example.embed.images', images: [{ image: blob, alt: '' }] }
    await social.post(bob, { embed })
  })

  test('is not served, of that account only, and served again afterwards', async () => {
    await social.post(alice, {
      embed: {
        $type: 'app.example.embed.images',
        images: [{ image: await blobOf(server, alice, image), alt: '' }],
      },
    })
    expect(await takeDown(subject)).toEqual({ subject, takedown: { applied: true, ref: 'case 7' } })
    const refused = await download(server, bob.did, cid, {
      headers: { authorization: `Bearer ${bob.accessJwt}` },
    })
    expect(refused.status).toBe(400)
    // Its own account learns the reason.
    expect(await refused.json()).toMatchObject({ error: 'BlobTakedown' })
    expect(await (await download(server, bob.did, cid)).json()).toMatchObject({ error: 'BlobNotFound' })
    expect((await download(server, alice.did, cid)).status).toBe(200)
    await server.restart()
    expect((await download(server, bob.did, cid)).status).toBe(400)
    expect((await statusOf({ did: bob.did, blob: cid })).body).toEqual({
      subject,
      takedown: { applied: true, ref: 'case 7' },
    })
    await takeDown(subject, false)
    expect((await download(server, bob.did, cid)).status).toBe(200)
  })

  test('cannot be uploaded again', async () => {
    await takeDown(subject)
    expect(await upload(server, bob, new Uint8Array(image))).toMatchObject(
      refusal(400, 'InvalidRequest', 'This file has been taken down and cannot be uploaded again'),
    )
  })

  test('loses its mark when it is deleted', async () => {
    await takeDown(subject)
    const [post] = body(
      await server.get('com.core.repo.listRecords', { repo: bob.did, collection: `${feed}.post` }),
    ).records
    await social.remove(bob, post)
    await server.running.services.background.idle()
    expect(await statusOf({ did: bob.did, blob: cid })).toMatchObject(refusal(400, 'NotFound'))
    expect((await upload(server, bob, new Uint8Array(image))).status).toBe(200)
    expect((await statusOf({ did: bob.did, blob: cid })).body.takedown).toEqual({ applied: false })
  })
})

test('takedown: in the names of the network, also by handle', async () => {
  const taken = await social.post(bob)
  const [, , , , rkey] = taken.uri.split('/')
  const uri = `at://${bob.handle}/app.bsky.feed.post/${rkey}`
  const subject = { $type: 'com.atproto.repo.strongRef', uri, cid: taken.cid }
  const input = { subject, takedown: { applied: true } }
  const answer = await server.post('com.atproto.admin.updateSubjectStatus', input, adminAuth)
  expect(body(answer).subject.$type).toBe('com.atproto.repo.strongRef')
  expect(await read(taken)).toMatchObject(missing)
})

describe('updateSubjectStatus: refuses', () => {
  test('a missing record and a missing blob', async () => {
    const { uri, cid } = await social.post(bob)
    const none = refusal(400, 'NotFound')
    const takedown = { applied: true }
    expect(await post(refOf({ uri: `${uri}x`, cid }), { takedown })).toMatchObject(none)
    const blob = { $type: 'com.core.admin.defs#repoBlobRef', did: bob.did, cid }
    expect(await post(blob, { takedown })).toMatchObject(none)
    expect(await statusOf({ blob: cid, did: bob.did })).toMatchObject(none)
  })

  test('other states of a record, other subjects, and no subject', async () => {
    const taken = await social.post(bob)
    const invalid = refusal(400, 'InvalidRequest')
    expect(await post(refOf(taken), { suspended: { applied: true } })).toMatchObject(invalid)
    expect(await post({ $type: 'org.example.thing' }, { takedown: { applied: true } })).toMatchObject(invalid)
    expect(await statusOf({})).toMatchObject(invalid)
    expect(await statusOf({ blob: taken.cid })).toMatchObject(invalid)
  })

  test('a caller who is no administrator', async () => {
    const taken = await social.post(bob)
    const answer = await post(refOf(taken), { takedown: { applied: true } }, alice)
    expect(answer.status).toBe(403)
    expect((await read(taken)).status).toBe(200)
  })
})
