/** Crashes during an import, between each two of its transactions. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LexMap } from '@atproto/lex-data'
import { readCarWithRoot, verifyRepo } from '@atproto/repo'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DidHost, startDidHost } from '../../../../support/accounts/did-host.ts'
import { importRepo, movingAccount } from '../../../../support/accounts/moving-account.ts'
import { type ArchiveRecord, archiveOf } from '../../../../support/records/archive.ts'
import { type Account, refusal, TestServer } from '../../../../support/server/server.ts'
import { server, setupServer } from '../../../../support/server/setup.ts'
import { copyDataFolder } from '../../../../support/store/copy-data-folder.ts'

let host: DidHost
let account: Account
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-test-'))
  host = await startDidHost()
})
afterAll(async () => {
  await host.close()
  await rm(folder, { recursive: true })
})
setupServer({ config: { allowPrivateTargets: true }, accounts: ['alice'] })
beforeAll(async () => {
  account = await movingAccount(server, host, 'carla')
})

const createdAt = '2024-01-01T00:00:00.000Z'
const subject = {
  uri: `at://did:plc:${'a'.repeat(24)}/app.bsky.feed.post/one`,
  cid: 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a',
}
const like = (rkey: string): ArchiveRecord => [
  `app.bsky.feed.like/${rkey}`,
  { $type: 'app.bsky.feed.like', subject, createdAt },
]
const likes = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => like(`${prefix}${i}`))
/** Records that the index omits. */
const odd = (prefix: string, count: number) =>
  Array.from(
    { length: count },
    (_, i): ArchiveRecord => [`com.example.odd/${prefix}${i}`, { n: 2n ** 60n } as unknown as LexMap],
  )
const before = [...likes('kept', 20), ...likes('old', 60), ...odd('kept', 5), ...odd('old', 60)]
const after = [...likes('kept', 20), ...likes('new', 200), ...odd('kept', 5), ...odd('new', 60)]

/** Copies the data as a crash would leave it, without the lock. */
async function copyData(): Promise<string> {
  const copy = await mkdtemp(join(folder, 'copy-'))
  await copyDataFolder(server.config.dataDir, copy)
  return copy
}

/** Runs the import, and copies the data after each transaction. */
async function copiesDuring(archive: Buffer): Promise<string[]> {
  const { store } = server.running.services
  const copies: string[] = []
  const transact = store.transact.bind(store)
  store.transact = async (work) => {
    const result = await transact(work)
    copies.push(await copyData())
    return result
  }
  try {
    expect((await importRepo(server, account, archive)).status).toBe(200)
  } finally {
    store.transact = transact
  }
  return copies
}

/** Starts a server on a copy. @returns the keys of the repository, which is verified, and all rows that belong to it */
async function stateOf(dataDir: string) {
  const crashed = await TestServer.start({ dataDir })
  try {
    const { store, background } = crashed.running.services
    await background.idle()
    const { body: session } = await crashed.signIn(account)
    const url = `${crashed.url}/xrpc/com.core.sync.getRepo?did=${encodeURIComponent(host.did)}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${session.accessJwt}` } })
    const { root, blocks } = await readCarWithRoot(new Uint8Array(await response.arrayBuffer()))
    const { creates } = await verifyRepo(blocks, root, host.did)
    const count = (from: string) => store.get<{ n: number }>(`SELECT count(*) AS n FROM ${from}`)?.n
    return {
      keys: creates.map(({ rkey }) => rkey).sort(),
      records: count('records'),
      omitted: count('omitted_records'),
      links: count('links'),
      likes: count('link_counts'),
      sizes: store.get('SELECT sum(records) AS n FROM collection_sizes'),
      blocks: count('repo_blocks'),
      actors: count('actors'),
      imports: ['imports', 'import_blocks', 'import_removals'].map(count),
      files: await readdir(join(dataDir, 'imports')).catch(() => []),
    }
  } finally {
    await crashed.close()
  }
}

test('after a crash the repository is the old one or the new one, and nothing else is left', async () => {
  expect((await importRepo(server, account, archiveOf({ did: host.did, records: before }))).status).toBe(200)
  const old = await stateOf(await copyData())
  const copies = await copiesDuring(archiveOf({ did: host.did, records: after }))
  const replaced = await stateOf(await copyData())
  expect({ ...old, keys: old.keys.length }).toMatchObject({
    keys: 145,
    records: 80,
    omitted: 65,
    links: 80,
    imports: [0, 0, 0],
    files: [],
  })
  expect({ ...replaced, keys: replaced.keys.length }).toMatchObject({
    keys: 285,
    records: 220,
    omitted: 65,
    links: 220,
    imports: [0, 0, 0],
    files: [],
  })

  let isCommitted = false
  for (const copy of copies) {
    const state = await stateOf(copy)
    isCommitted ||= state.keys.length === replaced.keys.length
    expect(state).toEqual(isCommitted ? replaced : old)
  }
  expect(isCommitted).toBe(true)
  expect(copies.length).toBeGreaterThan(8)
})

test('an import that a crash has interrupted can be sent again', async () => {
  const records = likes('again', 100)
  const archive = archiveOf({ did: host.did, records })
  const copies = await copiesDuring(archive)
  const dataDir = copies[Math.floor(copies.length / 3)] ?? ''
  // Its end may still be under way.
  const crashed = await TestServer.start({ dataDir })
  const { body: session } = await crashed.signIn(account)
  expect((await importRepo(crashed, session, archive)).status).toBe(200)
  const { body: status } = await crashed.get('com.core.server.checkAccountStatus', {}, session)
  expect(status.indexedRecords).toBe(100)
  await crashed.close()
})

test('a server that closes ends an import, and undoes it at its next start', async () => {
  const old = await stateOf(await copyData())
  const { store } = server.running.services
  const transact = store.transact.bind(store)
  let count = 0
  let closing: Promise<void> | undefined
  store.transact = async (work) => {
    const result = await transact(work)
    if (++count === 3) closing = server.running.close()
    return result
  }
  const answer = await importRepo(server, account, archiveOf({ did: host.did, records: likes('late', 500) }))
  expect(answer).toMatchObject(refusal(503, 'NotEnoughResources'))
  await closing
  await server.open()
  expect(await stateOf(await copyData())).toEqual(old)
})
