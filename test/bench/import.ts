/** Import of a large repository and its blobs, and the requests of another account meanwhile. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { decodeCid } from '@atproto/lex-data'
import { createTidClock } from '../../server/repository/format/tid.ts'
import { type ArchiveRecord, archiveOf } from '../support/records/archive.ts'
import { watchMemory } from './blobs.ts'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { summary, timed } from './latency.ts'
import { type BenchAccount, createAccount } from './operations.ts'
import type { LoopDelay } from './probe.ts'
import { keepProbing, probe } from './probing.ts'
import { Measured } from './processes.ts'
import { table } from './table.ts'

const records = 100_000
const blobs = 2_000
const blobBytes = 20_000
/** At once. */
const uploads = 8

export async function benchImport(): Promise<void> {
  await using server = await Measured.pds(await folder(), ['--import', join(import.meta.dirname, 'probe.ts')])
  const { other, moving } = await createAccounts(server.url)
  const images = Array.from({ length: blobs }, (_, i) => imageOf(i))
  const archive = archiveOf({ did: moving.did, records: recordsOf(moving, images) })

  // After the archive, which takes longer to build than idle connections are kept.
  using client = new Client(server.url)
  using otherClient = new Client(server.url)
  await probe(otherClient, other, 200)
  await server.ask('start')
  const stopMemory = watchMemory('server', server)
  const probing = keepProbing(otherClient, other)
  const cpu = server.cpuMicroseconds()
  const importMs = await timed(() =>
    post(server, 'repo.importRepo', moving, archive, 'application/vnd.ipld.car'),
  )
  const cpuSeconds = (server.cpuMicroseconds() - cpu) / 1e6
  const during = await probing.stop()
  const loop = await server.ask<LoopDelay>('end')
  const memory = stopMemory()

  const blobMs = await timed(async () => {
    const waiting = [...images]
    const upload = async () => {
      for (let image = waiting.pop(); image; image = waiting.pop()) {
        await post(server, 'repo.uploadBlob', moving, image, 'image/png')
      }
    }
    await Promise.all(Array.from({ length: uploads }, upload))
  })
  table(
    `import of ${records} records, ${Math.round(archive.length / 1e6)} MB (aim: 30 s; 400 MB; others p99 50 ms)`,
    [
      { '': 'import', s: importMs / 1000, 'CPU s': cpuSeconds, 'records/s': records / (importMs / 1000) },
      { '': `${blobs} blobs of ${blobBytes / 1000} kB`, s: blobMs / 1000 },
    ],
  )
  table('meanwhile', [
    { '': 'getSession ms', ...summary(during.reads) },
    { '': 'createRecord ms', ...summary(during.writes) },
    { '': 'late timer ms', p99: loop.p99, longest: loop.longest },
  ])
  table('resident memory during the import', [memory])
  await check(client, moving)
}

async function createAccounts(url: string): Promise<{ other: BenchAccount; moving: BenchAccount }> {
  using client = new Client(url)
  const other = await createAccount(client, 'other')
  const moving = await createAccount(client, 'moving')
  await client.call('deactivateAccount', {}, moving.accessJwt)
  return { other, moving }
}

function imageOf(seed: number): Buffer {
  const content = Buffer.alloc(blobBytes, `image ${seed} `)
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').copy(content)
  return content
}

/** Posts, a tenth of them with an image, likes, reposts, follows. */
function recordsOf({ did }: BenchAccount, images: readonly Buffer[]): ArchiveRecord[] {
  let clock = Date.parse('2024-01-01T00:00:00.000Z')
  const nextTid = createTidClock(() => new Date(clock))
  const cid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'
  return Array.from({ length: records }, (_, i): ArchiveRecord => {
    clock += 60_000
    const createdAt = new Date(clock).toISOString()
    const author = `did:plc:${createHash('sha256')
      .update(`author ${i % 5000}`)
      .digest('hex')
      .slice(0, 24)
      .replaceAll(/[0189]/g, 'a')}`
    const subject = { uri: `at://${author}/app.bsky.feed.post/${nextTid()}`, cid }
    const record = (name: string, content: object): ArchiveRecord => [
      `app.bsky.${name}/${nextTid()}`,
      { $type: `app.bsky.${name}`, ...content, createdAt },
    ]
    switch (i % 20) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const image = i % 20 === 0 ? images[(i / 20) % images.length] : undefined
        const text = `Post ${i}: a few words about nothing in particular, as people write them, and some more.`
        const reply = i % 20 === 3 ? { reply: { root: subject, parent: subject } } : {}
        return record('feed.post', { text, langs: ['en'], ...reply, ...(image && { embed: embedOf(image) }) })
      }
      case 4:
        return record('graph.follow', { subject: author.replace(/.$/, String((i % 6) + 2)) })
      case 5:
      case 6:
        return record('feed.repost', { subject })
      default:
        return record('feed.like', {
          subject,
          via:
            i % 20 === 7 ? { ...subject, uri: `at://${did}/app.bsky.feed.repost/${nextTid()}` } : undefined,
        })
    }
  })
}

function embedOf(image: Buffer) {
  const digest = createHash('sha256').update(image).digest()
  const ref = decodeCid(Buffer.concat([Buffer.of(1, 0x55, 0x12, 0x20), digest]))
  const blob = { $type: 'blob', ref, mimeType: 'image/png', size: image.length }
  return { $type: 'app.bsky.embed.images', images: [{ image: blob, alt: 'An image of the bench' }] }
}

async function post(
  server: Measured,
  method: string,
  { accessJwt }: BenchAccount,
  body: Buffer,
  type: string,
) {
  const headers = { authorization: `Bearer ${accessJwt}`, 'content-type': type }
  const init = { method: 'POST', headers, body: new Uint8Array(body) }
  const answer = await fetch(`${server.url}/xrpc/com.core.${method}`, init)
  if (!answer.ok) throw new Error(`${method}: ${answer.status} ${await answer.text()}`)
}

/** Throws unless everything has arrived. */
async function check(client: Client, { accessJwt }: BenchAccount): Promise<void> {
  const { json } = await client.get('/xrpc/com.core.server.checkAccountStatus', accessJwt)
  const { indexedRecords, expectedBlobs, importedBlobs } = json
  if (indexedRecords !== records || expectedBlobs !== blobs || importedBlobs !== blobs) {
    throw new Error(`Not everything was imported: ${JSON.stringify(json)}`)
  }
}
