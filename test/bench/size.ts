/**
 * Size of the database: bytes that one like takes, with its share of the tree, its link, its counts and its notification. Without
 * its event, which is deleted after some days: nearly no events are kept here.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { type BenchAccount, createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { table } from './table.ts'

const accounts = 20
const likesEach = 500

export async function benchSize(): Promise<void> {
  const dir = await folder()
  const posts: { uri: string; cid: string }[] = []
  const likers: BenchAccount[] = []
  await withServer(dir, async (client) => {
    const author = await createAccount(client, 'author')
    for (let i = 0; i < likesEach; i++)
      posts.push(await create(client, author, 'post', { text: `Post ${i}` }))
    for (let i = 0; i < accounts; i++) likers.push(await createAccount(client, `liker-${i}`))
  })
  const before = await databaseBytes(dir)
  await withServer(dir, async (client) => {
    for (const subject of posts) {
      for (const liker of likers) await create(client, liker, 'like', { subject })
    }
  })
  const bytes = ((await databaseBytes(dir)) - before) / (accounts * likesEach)
  table(`bytes of the database for one of ${accounts * likesEach} likes, without its event`, [
    { '': 'like, tree, link, notification', bytes, aim: 600 },
  ])
}

/** Runs `work` with a server, which writes everything into the database file when it stops. */
async function withServer(dir: string, work: (client: Client) => Promise<void>): Promise<void> {
  await using pds = await Measured.pds(dir, [], { PDS_EVENT_LIMIT: '10KB' })
  using client = new Client(pds.url)
  await work(client)
}

async function create(
  client: Client,
  { did, accessJwt }: BenchAccount,
  kind: 'post' | 'like',
  fields: Record<string, unknown>,
): Promise<{ uri: string; cid: string }> {
  const record = { ...fields, createdAt: '2030-01-01T00:00:00.000Z' }
  const input = { repo: did, collection: `app.example.feed.${kind}`, record }
  const { uri, cid } = (await client.post('/xrpc/com.core.repo.createRecord', input, accessJwt)).json
  return { uri, cid }
}

async function databaseBytes(dir: string): Promise<number> {
  return (await stat(join(dir, 'pds.sqlite'))).size
}
