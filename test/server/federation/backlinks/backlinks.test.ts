/** Activity about accounts here that public services report, which may be wrong or lie. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { answers } from '../../../support/remote/forgeries.ts'
import { type RemoteAccount, RemoteServer } from '../../../support/remote/remote-server.ts'
import { hour, minute } from '../../../support/server/clock.ts'
import { type Account, adminAuth } from '../../../support/server/server.ts'
import { server, setupServer, social } from '../../../support/server/setup.ts'
import { body, createdAt, type Ref, someCid } from '../../../support/server/social.ts'
import { BacklinkService, type ServiceLink } from '../../../support/services/backlink-service.ts'
import { json } from '../../../support/services/stub-service.ts'

const posts = 'app.bsky.feed.post'
const likes = 'app.bsky.feed.like'
const follows = 'app.bsky.graph.follow'
const list = '/xrpc/blue.microcosm.links.getBacklinks'

let service: BacklinkService
/** The server of rita. Also the directory of all identities. */
let remote: RemoteServer
let rita: RemoteAccount
/** An account of each test, and its post. */
let alice: Account
let post: Ref
let round = 0
let postCount = 0
const localDids = new Set<string>()

beforeAll(async () => {
  service = await BacklinkService.start({ pingMs: 20 })
  remote = await RemoteServer.start()
  rita = await remote.account('rita')
})
afterAll(async () => {
  await service.close()
  await remote.close()
})
setupServer({
  config: () => ({
    plcUrl: remote.url,
    allowPrivateTargets: true,
    backlinkStreamUrl: service.url,
    backlinkIndexUrl: service.url,
  }),
  options: { backlinkDelays: { intervalMs: 0, reconnectMs: 5, silenceMs: 1500 } },
})
beforeAll(async () => {
  expect(await state()).toMatchObject({ state: 'waiting' })
  expect(service.calls).toEqual([])
})
beforeEach(async () => {
  alice = await account(`alice${++round}`)
  post = await writePost()
  await service.until(() => service.wanted.includes(alice.did))
  await idle()
})
afterEach(async () => {
  remote.replacements.clear()
  service.links.length = 0
  await idle()
  const dids = new Set(service.calls.flatMap(({ text }) => text.match(/did:\w+:[\w.%]+/g) ?? []))
  expect([...dids].filter((did) => !localDids.has(did))).toEqual([])
  const agents = service.calls.filter(({ name }) => name !== 'options_update').map((call) => call.userAgent)
  expect(agents.filter((agent) => !/^desktop-pds\/[\d.]+ \(https:\/\/.+\)$/.test(agent ?? ''))).toEqual([])
  expect(service.drops).toEqual([])
})

async function account(name: string): Promise<Account> {
  const created = await server.account(name)
  localDids.add(created.did)
  return created
}

const idle = () => server.running.services.background.idle()
const state = async () => body(await server.get('com.core.admin.getNetwork', {}, adminAuth)).backlinks
const reasons = async () => (await social.listed(alice)).map((line) => line.split(' ')[0]).sort()
const arrived = (...expected: string[]) => expect.poll(reasons, { interval: 10 }).toEqual(expected)
/** How often the remote server has proven a record. */
const fetches = () => remote.calls.filter((name) => name === 'sync.getRecord').length
/** How often lists were read. */
const lists = () => service.calls.filter(({ name }) => name === list).length

/** Does the work of the periodic job. */
async function runDue(): Promise<void> {
  await server.running.services.federation.backlinks?.runDue()
  await idle()
}

/** As `runDue`, after a time in which access tokens expire. */
async function runAfter(ms: number): Promise<void> {
  server.clock.advance(ms)
  alice = { ...alice, ...body(await server.signIn(alice)) }
  await runDue()
}

/** Writes a record at the remote server. Returns its links, as the service reports them. */
async function write(
  collection: string,
  record: object,
  paths: Record<string, string>,
): Promise<ServiceLink[]> {
  const { uri } = await remote.create(rita, collection, { createdAt, ...record })
  const rev = rita.repository.head?.rev
  return Object.entries(paths).map(([path, subject]) => ({
    ...{ record: uri, rev, subject },
    source: `${collection}:${path}`,
  }))
}

/** Writes a post of the account here. Likes of the same one notify once. */
function writePost(): Promise<Ref> {
  postCount++
  return social.write(alice, posts, { text: 'here', createdAt })
}
const writeLike = (of = post) => write(likes, { subject: of }, { 'subject.uri': of.uri })

/** A record of each reason, with its links. @param to the post to which they refer */
async function writeEverything(to = post): Promise<ServiceLink[]> {
  const mention = { $type: 'app.bsky.richtext.facet#mention', did: alice.did }
  const facets = [{ index: { byteStart: 0, byteEnd: 1 }, features: [mention] }]
  const external = { uri: 'https://news.example', title: 'News', description: '' }
  const media = { $type: 'app.bsky.embed.external', external }
  const quote = { $type: 'app.bsky.embed.record', record: to }
  const withMedia = { $type: 'app.bsky.embed.recordWithMedia', record: quote, media }
  const text = 'elsewhere'
  const links = [
    await writeLike(to),
    await write('app.bsky.feed.repost', { subject: to }, { 'subject.uri': to.uri }),
    await write(
      posts,
      { text, reply: { parent: to, root: to } },
      { 'reply.parent.uri': to.uri, 'reply.root.uri': to.uri },
    ),
    await write(posts, { text, embed: quote }, { 'embed.record.uri': to.uri }),
    await write(posts, { text, embed: withMedia }, { 'embed.record.record.uri': to.uri }),
    await write(follows, { subject: alice.did }, { subject: alice.did }),
    await write(
      posts,
      { text, facets },
      { 'facets[app.bsky.richtext.facet].features[app.bsky.richtext.facet#mention].did': alice.did },
    ),
  ]
  return links.flat()
}

const everyReason = ['follow', 'like', 'mention', 'quote', 'quote', 'reply', 'repost']

/** Links to the post by records that no directory knows the authors of. */
function unresolvable(count: number): ServiceLink[] {
  return Array.from({ length: count }, (_, number) => ({
    record: `at://did:example:${round}x${number}/${likes}/3kaaaaaaaaaa2`,
    source: `${likes}:subject.uri`,
    subject: post.uri,
  }))
}

/** Links to records that rita's host does not have. */
function missing(count: number): ServiceLink[] {
  return Array.from({ length: count }, (_, number) => ({
    record: `at://${rita.did}/${likes}/missing${round}x${number}`,
    source: `${likes}:subject.uri`,
    subject: post.uri,
  }))
}

describe('the live stream', () => {
  test('notifies once of each reason, however often it is reported', async () => {
    const links = await writeEverything()
    service.report(...links, ...links)
    await arrived(...everyReason)
    await idle()
    const before = fetches()
    service.report(...links, ...(await writeLike(await writePost())))
    await arrived('follow', 'like', ...everyReason.slice(1))
    await idle()
    expect(fetches()).toBe(before + 1)
    expect(await state()).toMatchObject({
      state: 'live',
      streamUrl: service.url,
      lastLinkAt: expect.any(String),
    })
    const pongs = service.pongs
    await service.until(() => service.pongs > pongs + 1)
  })

  test('is sent the active accounts, and nothing while there are none', async () => {
    const others = [...service.wanted]
    const bob = await account(`bob${round}`)
    await service.until(() => service.wanted.includes(bob.did))
    expect(service.calls.at(-1)?.name).toBe('options_update')
    for (const did of [bob.did, ...others]) await server.setStatus(did, { suspended: true })
    await service.until(() => service.clients.length === 0)
    for (const did of others) await server.setStatus(did, { suspended: false })
    await service.until(() => service.wanted.length === others.length)
    expect(service.wanted.toSorted()).toEqual(others.toSorted())
  })

  test('is connected again, then what was missed is read', async () => {
    service.refusal = 503
    service.disconnect()
    service.links.push(...(await writeEverything()))
    await expect.poll(async () => (await state()).error).toBe('The server answered 503')
    expect(await reasons()).toEqual([])
    service.refusal = undefined
    await arrived(...everyReason)
    expect(await state()).not.toHaveProperty('error')
  })

  test('is connected again when it is silent', async () => {
    const connections = () => service.calls.filter(({ name }) => name === '/subscribe').length
    const before = connections()
    service.isSilent = true
    await service.until(() => connections() > before)
    service.isSilent = false
  })

  test('changes nothing by malformed messages, links to others and lies', async () => {
    const { ignoredLastHour: before } = await state()
    const [like] = (await writeLike()) as [ServiceLink]
    const { uri: unrelated } = await remote.create(rita, likes, {
      subject: { uri: 'at://did:plc:x/a.b.c/1', cid: someCid },
    })
    const carol = `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${posts}/3kaaaaaaaaaa2`
    const lies: ServiceLink[] = [
      { ...like, subject: carol },
      { ...like, subject: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' },
      { ...like, subject: `https://example.com/${alice.did}` },
      {
        ...like,
        source: 'app.bsky.graph.listitem:subject',
        record: like.record.replace(likes, 'app.bsky.graph.listitem'),
      },
      { ...like, source: `${follows}:subject` },
      { ...like, record: `${like.record}/more` },
      { ...like, record: unrelated },
      { ...like, record: `at://${rita.did}/${likes}/absent` },
      { ...like, record: `at://did:plc:bbbbbbbbbbbbbbbbbbbbbbbb/${likes}/3kaaaaaaaaaa2` },
    ]
    const messages = [
      '',
      '{',
      'null',
      '[]',
      '{}',
      '{"kind":"link"}',
      '{"kind":"link","link":[]}',
      '{"kind":"account","link":{}}',
    ]
    for (const message of messages) service.send(message)
    for (const lie of lies) service.send(BacklinkService.message(lie))
    await expect
      .poll(async () => (await state()).ignoredLastHour - before)
      .toBe(messages.length + lies.length)
    expect(await reasons()).toEqual([])
    service.report(like)
    await arrived('like')
    // Its own activity comes back.
    const own = await social.write(alice, likes, { subject: post, createdAt })
    const { linksLastHour } = await state()
    service.report({ ...like, record: own.uri })
    service.send(new Uint8Array(3))
    await service.until(() => service.clients.length === 0)
    await service.until(() => service.clients.length === 1)
    expect(await state()).toMatchObject({ linksLastHour })
    expect(await reasons()).toEqual(['like'])
  })
})

describe('catching up', () => {
  test('notifies once of each reason, also when the stream reports them', async () => {
    const links = await writeEverything()
    service.links.push(...links)
    const before = lists()
    service.report(...links)
    await runAfter(6 * hour)
    await arrived(...everyReason)
    const proven = fetches()
    await runAfter(6 * hour)
    await idle()
    expect(fetches()).toBe(proven)
    expect(await reasons()).toEqual(everyReason)
    // In each of two rounds, two lists of each account and six of each post, of all tests so far.
    expect(lists() - before).toBe(2 * (2 * round + 6 * postCount))
    expect(await state()).toMatchObject({ indexUrl: service.url, lastCatchUpAt: expect.any(String) })
  })

  test('reads pages up to one that ends with a known link', async () => {
    const pages = async () => {
      const before = service.calls.length
      await runAfter(6 * hour)
      const read = service.calls.slice(before).map(({ text }) => new URL(text, service.url).searchParams)
      const ofPost = read.filter((query) => query.get('subject') === post.uri)
      return ofPost.filter((query) => query.get('source') === `${likes}:subject.uri`).length
    }
    service.links.push(...unresolvable(205))
    expect(await pages()).toBe(3)
    expect(await pages()).toBe(1)
    // The stream was interrupted: its new reports are known, but not the missed ones.
    const [like] = (await writeLike()) as [ServiceLink]
    service.report(like)
    await arrived('like')
    service.links.push(...unresolvable(305).slice(205), like)
    expect(await pages()).toBe(2)
    expect(await reasons()).toEqual(['like'])
  })

  test('stores old activity without notifications', async () => {
    const [like] = (await write(
      likes,
      { subject: post, createdAt: '2029-11-01T00:00:00.000Z' },
      { 'subject.uri': post.uri },
    )) as [ServiceLink]
    service.links.push(like, ...(await write(follows, { subject: alice.did }, { subject: alice.did })))
    await runAfter(6 * hour)
    await arrived('follow')
    const { likes: shown } = body(await server.get('app.example.feed.getLikes', { uri: post.uri }))
    expect(shown).toMatchObject([{ actor: { did: rita.did } }])
  })

  test('waits as long as the service asks, and reports its failures', async () => {
    service.links.push(...(await writeLike()))
    service.replacements.push((res) => res.writeHead(429, { 'retry-after': '1' }).end())
    const before = service.calls.length
    const startedAt = performance.now()
    await runAfter(6 * hour)
    await arrived('like')
    expect(performance.now() - startedAt).toBeGreaterThan(950)
    expect(service.calls[before]).toEqual(service.calls[before + 1])
    for (const respond of [json({}, 500), json([]), json({ records: {} })]) {
      service.replacements.push(respond)
      await runAfter(6 * hour)
      expect(await state()).toMatchObject({
        state: 'live',
        error: expect.stringContaining('backlink service'),
      })
    }
    await runAfter(6 * hour)
    expect(await state()).not.toHaveProperty('error')
  })
})

describe('a record that is linked', () => {
  test('is fetched again later when its host does not answer', async () => {
    const links = await writeLike()
    remote.replacements.set('sync.getRecord', (res) => res.destroy())
    service.report(...links)
    await remote.called('sync.getRecord', fetches() + 1)
    await idle()
    remote.replacements.clear()
    await runDue()
    expect(await reasons()).toEqual([])
    await runAfter(minute)
    await arrived('like')
  })

  test('is compared with its host every day, because no service reports deletions', async () => {
    const [like] = (await writeLike()) as [ServiceLink]
    service.report(like)
    await arrived('like')
    await remote.remove(rita, { uri: like.record })
    await runAfter(25 * hour)
    // Each run compares some of the records.
    const recheck = () => server.running.services.federation.recheck.checkDue().then(reasons)
    await expect.poll(recheck, { interval: 10 }).toEqual([])
  })

  test('is dropped when too many wait, and found by catching up', async () => {
    await runDue()
    const links: ServiceLink[] = []
    for (let count = 0; count < 5; count++) links.push(...(await writeLike(await writePost())))
    const held: (() => void)[] = []
    remote.replacements.set('sync.getRecord', (res) => held.push(() => res.destroy()))
    service.report(...links.slice(0, 4))
    await remote.called('sync.getRecord', fetches() + 1)
    const { droppedLastHour: before, linksLastHour } = await state()
    service.report(...missing(4998), ...links.slice(4))
    await expect.poll(async () => (await state()).linksLastHour).toBe(linksLastHour + 4999)
    expect((await state()).droppedLastHour).toBe(before + 1)
    service.links.push(...links)
    const notFound = answers({ error: 'RecordNotFound' }, 400)
    remote.replacements.set('sync.getRecord', (res, req) =>
      req.url?.includes('missing') ? notFound(res, req) : res.destroy(),
    )
    for (const cut of held) cut()
    await idle()
    remote.replacements.clear()
    await runDue()
    await arrived(...links.map(() => 'like'))
  })
})

test('activity that an upstream reports too notifies once', async () => {
  const admin = (name: string, input: object) => server.post(`com.core.admin.${name}`, input, adminAuth)
  body(await admin('addUpstream', { url: remote.url }))
  await expect.poll(() => remote.consumers).toBe(1)
  const links: ServiceLink[] = []
  for (let count = 0; count < 3; count++) {
    const written = await writeEverything(await writePost())
    service.report(...written)
    links.push(...written)
  }
  service.links.push(...links)
  await runAfter(6 * hour)
  // A follow has one subject, so it notifies once.
  const thrice = everyReason.flatMap((reason) => (reason === 'follow' ? [reason] : [reason, reason, reason]))
  await arrived(...thrice)
  await remote.remove(rita, { uri: links[0]?.record ?? '' })
  await arrived(...thrice.filter((_, at) => at !== thrice.indexOf('like')))
  service.report(...links)
  await runAfter(6 * hour)
  await idle()
  expect(await reasons()).toHaveLength(thrice.length - 1)
  await admin('removeUpstream', { url: remote.url })
})
