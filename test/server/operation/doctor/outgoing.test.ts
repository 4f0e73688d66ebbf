/** With the defaults nothing leaves the machine: the real program is used for a day while all its doors are watched. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { methods } from '../../../../server/api/index.ts'
import { listening } from '../../../support/server/listener.ts'
import type { Account } from '../../../support/server/server.ts'
import { createdAt, mentions, type Ref, someCid } from '../../../support/server/social.ts'

const root = join(import.meta.dirname, '../../../..')
let dataDir: string
let child: ChildProcess | undefined
afterEach(async () => {
  child?.kill('SIGKILL')
  await rm(dataDir, { recursive: true, force: true })
})

/** Starts `npm run serve` with watched doors and nothing but these settings. */
async function serve(settings: Record<string, string> = {}) {
  dataDir = await mkdtemp(join(tmpdir(), 'pds-outgoing-'))
  const started = spawn(
    process.execPath,
    ['--import', join(root, 'test/support/network/watch-doors.ts'), join(root, 'server/main.ts')],
    { env: { PATH: process.env.PATH, PDS_DATA_DIR: dataDir, PDS_PORT: '0', ...settings } },
  )
  child = started
  const errors = text(started.stderr)
  let output = ''
  let url: string | undefined
  while (url === undefined) {
    const [chunk] = await Promise.race([once(started.stdout, 'data'), once(started, 'exit')])
    if (started.exitCode !== null) throw new Error(await errors)
    output += chunk
    url = /^listening on (\S+)$/m.exec(output)?.[1]
  }
  return {
    client: new Client(url),
    /** Stops the program. @returns what went out */
    async stop(): Promise<string[]> {
      started.kill('SIGTERM')
      return (await errors).split('\n').filter((line) => line.startsWith('OUTGOING '))
    },
  }
}

type Params = Record<string, string>

class Client {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  async get(nsid: string, params: Params, auth?: Account): Promise<{ status: number; body: unknown }> {
    return this.#answer(`${nsid}?${new URLSearchParams(params)}`, { headers: headersOf(auth) })
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  async post(nsid: string, input?: unknown, auth?: Account | string): Promise<any> {
    const headers = { ...headersOf(auth), 'content-type': 'application/json' }
    const body = input === undefined ? undefined : JSON.stringify(input)
    return (await this.#answer(nsid, { method: 'POST', headers, body: body ?? null })).body
  }

  async #answer(path: string, init: RequestInit) {
    const answer = await fetch(`${this.url}/xrpc/${path}`, init)
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    return { status: answer.status, body: isJson && text ? JSON.parse(text) : text }
  }

  account(name: string): Promise<Account> {
    const password = `${name}-password`
    return this.post('com.atproto.server.createAccount', {
      handle: `${name}.test`,
      email: `${name}@mail.example`,
      password,
    })
  }

  async write(author: Account, collection: string, record: object): Promise<Ref> {
    const input = { repo: author.did, collection, record: { createdAt, ...record } }
    const ref = await this.post('com.atproto.repo.createRecord', input, author)
    expect(ref).toHaveProperty('uri')
    return ref
  }
}

/** What clients of the network send with every call. */
function headersOf(auth: Account | string | undefined): Record<string, string> {
  const named = { 'atproto-proxy': 'did:web:api.view.example#view' }
  if (auth === undefined) return named
  const token = typeof auth === 'string' ? auth : `Bearer ${auth.accessJwt}`
  return { ...named, authorization: token }
}

const foreignDid = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const foreignPost = { uri: `at://${foreignDid}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: someCid }
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** Records of every kind, about accounts here and elsewhere. */
async function write(client: Client, alice: Account, bob: Account): Promise<Ref> {
  const upload = await fetch(`${client.url}/xrpc/com.atproto.repo.uploadBlob`, {
    method: 'POST',
    headers: { authorization: `Bearer ${alice.accessJwt}`, 'content-type': 'image/png' },
    body: dot,
  })
  expect(upload.status).toBe(200)
  const { blob } = (await upload.json()) as { blob: { ref: { $link: string } } }
  const embed = { $type: 'app.bsky.embed.images', images: [{ image: blob, alt: 'a dot' }] }
  const external = { uri: 'https://news.example/', title: 'News', description: 'Of today' }
  const post = await client.write(alice, 'app.bsky.feed.post', { text: 'Hello', embed })
  await client.write(alice, 'app.bsky.feed.post', {
    text: 'A link',
    embed: { $type: 'app.bsky.embed.external', external },
    ...mentions(bob, { did: foreignDid }, { did: 'did:web:elsewhere.example' }),
  })
  for (const subject of [post, foreignPost]) {
    await client.write(bob, 'app.bsky.feed.like', { subject })
    await client.write(bob, 'app.bsky.feed.repost', { subject })
    await client.write(bob, 'app.bsky.feed.post', { text: 'Yes', reply: { parent: subject, root: subject } })
  }
  for (const subject of [alice.did, foreignDid, 'did:web:elsewhere.example']) {
    await client.write(bob, 'app.bsky.graph.follow', { subject })
    await client.write(bob, 'app.bsky.graph.block', { subject })
  }
  await client.write(alice, 'app.bsky.actor.profile', { displayName: 'Alice', avatar: blob })
  const image = await client.get('com.atproto.sync.getBlob', { did: alice.did, cid: blob.ref.$link })
  expect(image.status).toBe(200)
  return post
}

/** Values of parameters that screens ask with, by name. */
function paramsFor(subject: string, uri: string): Params {
  const handle = 'someone.elsewhere.example'
  const names = {
    actor: subject,
    actors: subject,
    did: subject,
    repo: subject,
    dids: subject,
    others: subject,
    identifier: subject,
    uri,
    uris: uri,
    subject: uri,
    feed: uri,
    list: uri,
    starterPack: uri,
    anchor: uri,
    handle,
    q: 'hello',
    term: 'hello',
    collection: 'app.bsky.feed.post',
    rkey: '3kaaaaaaaaaa2',
    aud: 'did:web:elsewhere.example',
    cid: someCid,
  }
  return names
}

test('a day of use with the defaults', async () => {
  const { client, stop } = await serve()
  const alice = await client.account('alice')
  const bob = await client.account('bob')
  const post = await write(client, alice, bob)

  const subjects = [bob.did, 'bob.test', foreignDid, 'did:web:elsewhere.example', 'someone.elsewhere.example']
  let answered = 0
  for (const { nsid, schema } of methods) {
    if (schema.type !== 'query') continue
    const name = nsid.replace('com.core', 'com.atproto').replace('app.example', 'app.bsky')
    for (const subject of subjects) {
      const { status } = await client.get(name, paramsFor(subject, post.uri), alice)
      if (status === 200) answered++
    }
    await client.get(name, paramsFor(foreignDid, foreignPost.uri))
  }
  expect(answered).toBeGreaterThan(30)

  const stream = await listening(`${client.url}/xrpc/app.bsky.notification.subscribe`, {
    headers: { authorization: `Bearer ${alice.accessJwt}` },
  })
  await client.write(bob, 'app.bsky.feed.like', { subject: post })
  stream.close()
  for (const identifier of ['alice.test', 'alice@mail.example', 'unknown.elsewhere.example', foreignDid]) {
    await client.post('com.atproto.server.createSession', { identifier, password: 'alice-password' })
  }
  await client.post('com.atproto.server.refreshSession', undefined, `Bearer ${bob.refreshJwt}`)
  await client.post('com.atproto.server.requestPasswordReset', { email: 'alice@mail.example' })
  await client.post('com.atproto.server.requestEmailConfirmation', undefined, alice)
  await client.post('com.atproto.server.createAppPassword', { name: 'phone' }, alice)
  await client.post('app.bsky.feed.sendInteractions', {}, alice)
  for (const identifier of [foreignDid, 'did:web:elsewhere.example', 'someone.elsewhere.example']) {
    await client.post('com.atproto.identity.refreshIdentity', { identifier }, alice)
  }
  await client.post('chat.bsky.convo.sendMessage', {}, alice)
  await client.post('com.atproto.moderation.createReport', {}, alice)
  const admin = await readFile(join(dataDir, 'admin-password'), 'utf8')
  const subject = { $type: 'com.atproto.admin.defs#repoRef', did: bob.did }
  const input = { subject, takedown: { applied: true } }
  const basic = `Basic ${Buffer.from(`admin:${admin.trim()}`).toString('base64')}`
  expect(await client.post('com.atproto.admin.updateSubjectStatus', input, basic)).toHaveProperty('takedown')
  await client.post('com.atproto.server.deactivateAccount', {}, alice)
  await client.post('com.atproto.server.activateAccount', undefined, alice)
  expect(await stop()).toEqual([])
})

test('what is switched on goes out, and is seen by the watch', async () => {
  const { client, stop } = await serve({ PDS_PLC_URL: 'http://directory.invalid:1' })
  await client.account('alice')
  // The identity is submitted in the background, which closing waits for.
  expect(await stop()).toContainEqual(expect.stringContaining('directory.invalid'))
})
