/** Upload and download of a large blob, beside a file that a bare node:http server writes and sends. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { type BenchAccount, createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { median } from './statistics.ts'
import { table } from './table.ts'

const megabytes = 100
const rounds = 7
const chunkBytes = 64 * 1024

export async function benchBlobs(): Promise<void> {
  await using pds = await Measured.pds(await folder())
  await using bare = await Measured.bare(await folder())
  using client = new Client(pds.url)
  const account = await createAccount(client, 'media')
  const content = randomBytes(megabytes * 1e6)
  const memory = [watchMemory('server', pds), watchMemory('bare', bare)]
  const speeds = { upload: [] as Pair[], download: [] as Pair[] }
  for (let round = 0; round <= rounds; round++) {
    // A new blob each time.
    content.writeUInt32LE(round)
    let blob: BlobRef | undefined
    const upload = {
      bare: await timed(bare, () => send(`${bare.url}/file`, content)),
      ours: await timed(pds, async () => {
        blob = await uploadBlob(pds, account, content)
      }),
    }
    if (!blob) throw new Error('There is no blob')
    await refer(client, account, blob)
    const { did } = account
    const path = `/xrpc/com.core.sync.getBlob?did=${did}&cid=${blob.ref.$link}`
    const download = {
      bare: await timed(bare, () => receive(`${bare.url}/file`)),
      ours: await timed(pds, () => receive(pds.url + path)),
    }
    // The first round warms both up.
    if (round === 0) continue
    speeds.upload.push(upload)
    speeds.download.push(download)
  }
  table(`blobs of ${megabytes} MB (aim: 0.6 of a bare server's file)`, [
    row('upload, hashed and synced', speeds.upload),
    row('download', speeds.download),
  ])
  table(
    'resident memory during these (aim: flat)',
    memory.map((stop) => stop()),
  )
}

interface Cost {
  readonly seconds: number
  readonly cpuSeconds: number
}

interface Pair {
  readonly ours: Cost
  readonly bare: Cost
}

/** @returns the medians */
function row(name: string, pairs: readonly Pair[]) {
  const of = (value: (pair: Pair) => number) => median(pairs.map(value))
  return {
    '': name,
    'MB/s': megabytes / of(({ ours }) => ours.seconds),
    'bare MB/s': megabytes / of(({ bare }) => bare.seconds),
    share: of(({ ours, bare }) => bare.seconds / ours.seconds),
    'CPU ms': 1000 * of(({ ours }) => ours.cpuSeconds),
    'bare CPU ms': 1000 * of(({ bare }) => bare.cpuSeconds),
  }
}

async function timed(server: Measured, work: () => Promise<unknown>): Promise<Cost> {
  const start = performance.now()
  const cpu = server.cpuMicroseconds()
  await work()
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: (server.cpuMicroseconds() - cpu) / 1e6 }
}

interface BlobRef {
  readonly ref: { readonly $link: string }
}

async function uploadBlob(pds: Measured, { accessJwt }: BenchAccount, content: Buffer): Promise<BlobRef> {
  const headers = { authorization: `Bearer ${accessJwt}`, 'content-type': 'application/octet-stream' }
  return JSON.parse(await send(`${pds.url}/xrpc/com.core.repo.uploadBlob`, content, headers)).blob
}

/** Names the blob in a record that replaces the one of the blob before, which is deleted. */
async function refer(client: Client, { did, accessJwt }: BenchAccount, file: BlobRef): Promise<void> {
  const input = { repo: did, collection: 'org.example.file', rkey: 'one', record: { file } }
  await client.post('/xrpc/com.core.repo.putRecord', input, accessJwt)
}

async function send(url: string, content: Buffer, headers: Record<string, string> = {}): Promise<string> {
  const req = request(url, { method: 'POST', headers: { ...headers, 'content-length': content.length } })
  const answered = once(req, 'response') as Promise<[IncomingMessage]>
  for (let at = 0; at < content.length; at += chunkBytes) {
    if (!req.write(content.subarray(at, at + chunkBytes))) await once(req, 'drain')
  }
  req.end()
  const [res] = await answered
  const text = Buffer.concat(await res.toArray()).toString()
  if (res.statusCode !== 200) throw new Error(`The upload was answered ${res.statusCode} ${text}`)
  return text
}

async function receive(url: string): Promise<void> {
  const [res] = (await once(request(url).end(), 'response')) as [IncomingMessage]
  let bytes = 0
  res.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await once(res, 'end')
  if (bytes !== megabytes * 1e6) throw new Error(`The download has ${bytes} bytes`)
}

/** @returns a function that stops watching and returns the row of the table */
export function watchMemory(name: string, server: Measured) {
  const before = server.residentMegabytes()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, server.residentMegabytes())
  }, 20)
  return () => {
    clearInterval(timer)
    return { '': name, 'before MB': before, 'peak MB': peak, 'growth MB': peak - before }
  }
}
