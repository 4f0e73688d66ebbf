/** The same reads of the same content: this server answers as the reference server does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCar } from '@atproto/repo'
import { type Account, createAccount, fill, tid } from './accounts.ts'
import type { World } from './world.ts'
import { get, post, type Response, send } from './xrpc.ts'

interface Read {
  readonly nsid: string
  readonly params: (account: Account, latest: Latest) => Record<string, string>
  /** What this server answers on purpose where the reference server answers less precisely. */
  readonly ours?: string
}

interface Latest {
  readonly rev: string
  /** The CID of a record. */
  readonly record: string
}

const absent = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const otherCid = 'bafkreigaknpexyvxt76zgkitavbwx6ejgfheup5oybpm77f3pxzrvwpfdi'

const ofRepository: readonly Read[] = ['getLatestCommit', 'getRepoStatus', 'getRepo', 'listBlobs'].flatMap(
  (name) => [
    { nsid: `com.atproto.sync.${name}`, params: ({ did }) => ({ did }) },
    { nsid: `com.atproto.sync.${name}`, params: () => ({ did: absent }) },
    { nsid: `com.atproto.sync.${name}`, params: () => ({ did: 'nonsense' }) },
  ],
)

const record = (collection: string, rkey: string): Read => ({
  nsid: 'com.atproto.sync.getRecord',
  params: ({ did }) => ({ did, collection, rkey }),
})

const reads: readonly Read[] = [
  ...ofRepository,
  ...['', 'junk', '3zzzzzzzzzzzz'].map((since) => ({
    nsid: 'com.atproto.sync.getRepo',
    params: ({ did }: Account) => ({ did, since }),
  })),
  { nsid: 'com.atproto.sync.getRepo', params: ({ did }, { rev }) => ({ did, since: rev }) },
  record('app.bsky.actor.profile', 'self'),
  record('app.bsky.feed.post', tid(17)),
  record('app.bsky.feed.post', 'absent'),
  record('com.nothing.here', 'absent'),
  record('zzz.after.everything', 'absent'),
  record('not a collection', 'x'),
  record('app.bsky.feed.post', 'a/b'),
  {
    nsid: 'com.atproto.sync.getRecord',
    params: () => ({ did: absent, collection: 'app.bsky.feed.post', rkey: 'x' }),
  },
  { nsid: 'com.atproto.sync.getBlocks', params: ({ did }, { record }) => ({ did, cids: record }) },
  {
    nsid: 'com.atproto.sync.getBlocks',
    params: ({ did }) => ({ did, cids: otherCid }),
    ours: '400 BlockNotFound',
  },
  { nsid: 'com.atproto.sync.getBlocks', params: ({ did }) => ({ did, cids: 'nope' }) },
  {
    nsid: 'com.atproto.sync.getBlob',
    params: ({ did }) => ({ did, cid: otherCid }),
    ours: '400 BlobNotFound',
  },
  { nsid: 'com.atproto.sync.listRepos', params: () => ({ limit: '0' }) },
  { nsid: 'com.atproto.sync.listRepos', params: () => ({ cursor: 'garbage' }) },
  { nsid: 'com.atproto.identity.resolveHandle', params: ({ handle }) => ({ handle }) },
  { nsid: 'com.atproto.identity.resolveHandle', params: () => ({ handle: 'absent.test' }) },
  { nsid: 'com.atproto.repo.describeRepo', params: ({ did }) => ({ repo: did }) },
]

interface Reader {
  readonly account: Account
  readonly latest: Latest
}

export function compareReads({ theirs, ours }: World): void {
  test('reads are answered as the reference server does', async (t) => {
    const readers = await Promise.all([reader(theirs.url), reader(ours.url)])
    for (const read of reads) await t.test(titleOf(read, readers[0]), () => compare(read, readers))

    await t.test('of a deactivated account', async (inner) => {
      for (const { account } of readers) {
        const { server, accessJwt: auth } = account
        await post(server, 'com.atproto.server.deactivateAccount', { auth, input: {} })
      }
      for (const { ours: _, ...read } of reads) {
        await inner.test(titleOf(read, readers[0]), () => compare(read, readers))
      }
    })
  })
}

async function reader(server: string): Promise<Reader> {
  const account = await createAccount(server, 'readalike')
  await fill(account, { posts: 120 })
  const { did } = account
  const commit = await get(server, 'com.atproto.sync.getLatestCommit', { params: { did } })
  const profile = { repo: did, collection: 'app.bsky.actor.profile', rkey: 'self' }
  const record = await get(server, 'com.atproto.repo.getRecord', { params: profile })
  return { account, latest: { rev: commit.body.rev, record: record.body.cid } }
}

function titleOf({ nsid, params }: Read, { account, latest }: Reader): string {
  const shown = Object.entries(params(account, latest)).map(([name, value]) => `${name}=${value}`)
  return `${nsid} ${shown.join(' ')}`
}

async function compare({ nsid, params, ours: expected }: Read, readers: readonly Reader[]): Promise<void> {
  const answers = readers.map(async ({ account, latest }) =>
    described(await send('GET', account.server, nsid, { params: params(account, latest) })),
  )
  const [theirs, ours] = await Promise.all(answers)
  if (expected !== undefined) assert.equal(ours, expected)
  else if (nsid === 'com.atproto.sync.getRecord') assertProves(ours, theirs)
  else assert.deepEqual(ours, theirs)
}

/** Proofs of this server have the neighbours of a record besides the path to it. */
function assertProves(ours: unknown, theirs: unknown): void {
  const same = (cid: string) => isArchive(theirs) && theirs.blocks.includes(cid)
  assert.deepEqual(isArchive(ours) ? { ...ours, blocks: ours.blocks.filter(same) } : ours, theirs)
}

function isArchive(value: unknown): value is Archive {
  return typeof value === 'object' && value !== null && 'blocks' in value
}

interface Archive {
  readonly roots: number
  readonly hasCommit: boolean
  /** Without the commit. */
  readonly blocks: readonly string[]
}

/** The status and the name of an error; or the shape of JSON, or the blocks of an archive. */
async function described({ status, body, bytes }: Response): Promise<unknown> {
  if (status !== 200) return `${status} ${body?.error}`
  if (body !== undefined) return shapeOf(body)
  const { roots, blocks } = await readCar(bytes)
  const cids = blocks.entries().map(({ cid }) => cid.toString())
  const root = String(roots[0])
  return {
    roots: roots.length,
    hasCommit: cids.includes(root),
    blocks: cids.filter((cid) => cid !== root).sort(),
  } satisfies Archive
}

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (value === null || typeof value !== 'object') return typeof value
  // A cursor with the last page is permitted, and so is none.
  const members = Object.entries(value).filter(([name]) => name !== 'cursor')
  return Object.fromEntries(members.map(([name, member]) => [name, shapeOf(member)]))
}
