/**
 * Makes 500 calls of many kinds to a network for tests, one after the other, and prints the hashes of what they left as JSON: each
 * repository as a CAR file, and the frames of the event stream. `node many-calls.ts PDS_URL`.
 */
import { createHash } from 'node:crypto'
import { decodeAll } from '@atproto/lex-cbor'
import { WebSocket } from 'ws'

const lastKey = '3zzzzzzzzzzzz'
const names = ['alice', 'bob', 'carol', 'dan', 'eve']

export interface Left {
  /** SHA-256 of the CAR file of each repository, by handle. */
  readonly repositories: Readonly<Record<string, string>>
  readonly dids: Readonly<Record<string, string>>
  /** SHA-256 of all frames, and their number. */
  readonly events: string
  readonly frames: number
  readonly appPassword: string
  readonly calls: number
}

/** @param devUrl creates the accounts there, by `/dev` */
export async function makeManyCalls(url: string, devUrl?: string): Promise<Left> {
  let calls = 0
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own output
  async function call(nsid: string, input?: object, token?: string): Promise<any> {
    calls++
    const response = await fetch(`${url}/xrpc/${nsid}`, {
      method: input ? 'POST' : 'GET',
      headers: {
        ...(input && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(input && { body: JSON.stringify(input) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${nsid}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const people: { did: string; handle: string; accessJwt: string }[] = []
  for (const name of names) {
    const input = { handle: `${name}.test`, email: `${name}@mail.test`, password: `${name}-password` }
    people.push(
      devUrl === undefined
        ? await call('com.atproto.server.createAccount', input)
        : await createByDev(devUrl, input),
    )
  }
  if (devUrl !== undefined) calls += names.length
  const of = (index: number) => people[index % people.length] as (typeof people)[number]
  const create = (who: number, collection: string, record: object) =>
    call(
      'com.atproto.repo.createRecord',
      { repo: of(who).did, collection, record: { $type: collection, ...record } },
      of(who).accessJwt,
    )
  const { password: appPassword } = await call(
    'com.atproto.server.createAppPassword',
    { name: 'client' },
    of(0).accessJwt,
  )
  for (let i = 0; i < people.length; i++) {
    await create(i, 'app.bsky.graph.follow', { subject: of(i + 1).did, createdAt: createdAt(i) })
  }
  let last: { uri: string; cid: string } | undefined
  for (let i = 0; calls < 490; i++) {
    const reply = last && i % 4 === 1 ? { reply: { root: last, parent: last } } : {}
    const post = await create(i, 'app.bsky.feed.post', {
      text: `Post ${i}`,
      createdAt: createdAt(i),
      ...reply,
    })
    if (i % 4 === 0) last = post
    if (i % 3 === 0) await create(i + 1, 'app.bsky.feed.like', { subject: post, createdAt: createdAt(i) })
    if (i % 5 === 0) {
      const rkey = post.uri.split('/').at(-1)
      await call(
        'com.atproto.repo.deleteRecord',
        { repo: of(i).did, collection: 'app.bsky.feed.post', rkey },
        of(i).accessJwt,
      )
    }
    if (i % 7 === 0) await call('app.bsky.notification.listNotifications', undefined, of(i).accessJwt)
  }
  await call('com.atproto.identity.updateHandle', { handle: 'robert.test' }, of(1).accessJwt)
  while (calls < 499) await call('app.bsky.feed.getTimeline', undefined, of(calls).accessJwt)
  const record = { $type: 'app.bsky.feed.post', text: 'The last one', createdAt: createdAt(500) }
  const place = { repo: of(0).did, collection: 'app.bsky.feed.post', rkey: lastKey }
  await call('com.atproto.repo.createRecord', { ...place, record }, of(0).accessJwt)
  const repositories: Record<string, string> = {}
  const dids: Record<string, string> = {}
  for (const { did, handle } of people) {
    const response = await fetch(`${url}/xrpc/com.atproto.sync.getRepo?did=${did}`)
    repositories[handle] = hashOf([Buffer.from(await response.arrayBuffer())])
    dids[handle] = did
  }
  const frames = await readFrames(url, lastKey)
  return { repositories, dids, events: hashOf(frames), frames: frames.length, appPassword, calls }
}

async function createByDev(devUrl: string, input: object) {
  const response = await fetch(`${devUrl}/dev/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  if (!response.ok) throw new Error(`/dev/accounts: ${response.status} ${await response.text()}`)
  const { session } = (await response.json()) as {
    session: { did: string; handle: string; accessJwt: string }
  }
  return session
}

const createdAt = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()

function hashOf(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** Reads the event stream from its start to the commit of a record key. */
function readFrames(url: string, lastKey: string): Promise<Buffer[]> {
  const frames: Buffer[] = []
  const socket = new WebSocket(`${url.replace('http', 'ws')}/xrpc/com.atproto.sync.subscribeRepos?cursor=0`)
  return new Promise((resolve, reject) => {
    socket.on('message', (data: Buffer) => {
      frames.push(data)
      const [, payload] = [...decodeAll(data)] as [
        unknown,
        { readonly ops?: readonly { readonly path: string }[] },
      ]
      if (!payload.ops?.some(({ path }) => path.endsWith(`/${lastKey}`))) return
      socket.close()
      resolve(frames)
    })
    socket.on('error', reject)
  })
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.write(
    `${JSON.stringify(await makeManyCalls(process.argv[2] ?? process.env.PDS_URL ?? ''), undefined, 2)}\n`,
  )
}
