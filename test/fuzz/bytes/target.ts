/** A server in a process of its own that gets files, and what they cost: the peak of its memory and the time of its health checks. */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { serverArgs, serverEnv } from '../../../build/server-args.ts'
import { createSerializer } from '../../../server/util/serialize.ts'
import { writeEmptyStore } from '../../support/store/empty-store.ts'
import { type Format, makeSamples, type Samples } from './samples.ts'

export interface Target {
  readonly samples: Samples
  /** Begins to measure. */
  start(): void
  /** Passes a file to the server as its format arrives there. Returns what was wrong with the answer. */
  send(format: Format, content: Buffer): Promise<string | undefined>
  /** In bytes; undefined where the system does not show them. */
  readonly memory: () => { readonly idle: number; readonly peak: number } | undefined
  /** Milliseconds of all health checks, ascending. */
  readonly health: () => readonly number[]
  close(): Promise<void>
}

interface Session {
  readonly did: string
  readonly accessJwt: string
}

const mediaTypes: Partial<Record<Format, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  avif: 'image/avif',
  mp4: 'video/mp4',
}
const healthEveryMs = 50

/** Sends a request again if the server had closed the kept connection meanwhile. */
async function fetchAgain(url: string, init?: RequestInit): Promise<Response> {
  return fetch(url, init).catch((error: Error) => {
    if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'UND_ERR_SOCKET') throw error
    return fetch(url, init)
  })
}

export async function startTarget(): Promise<Target> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pds-bytes-'))
  await writeEmptyStore(dataDir)
  // As `npm run serve` starts it.
  const [execArgv, env] = [serverArgs.slice(0, -1), serverEnv]
  const child = fork(join(import.meta.dirname, 'process.ts'), [dataDir], { execArgv, env })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]

  const call = async (
    method: string,
    body: object | Buffer,
    session?: Session,
    type = 'application/json',
  ) => {
    const response = await fetchAgain(`${url}/xrpc/${method}`, {
      method: 'POST',
      headers: { 'content-type': type, ...(session && { authorization: `Bearer ${session.accessJwt}` }) },
      body: body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, body: text ? JSON.parse(text) : undefined }
  }
  const account = async (name: string): Promise<Session> =>
    (await call('com.core.server.createAccount', { handle: `${name}.test`, password: 'the password' })).body
  const [writer, importer] = [await account('writer'), await account('importer')]
  for (let i = 0; i < 3; i++) {
    const record = { $type: 'org.example.thing', text: `record ${i}` }
    await call(
      'com.core.repo.createRecord',
      { repo: importer.did, collection: record.$type, record, validate: false },
      importer,
    )
  }
  const car = Buffer.from(
    await (await fetch(`${url}/xrpc/com.core.sync.getRepo?did=${importer.did}`)).arrayBuffer(),
  )
  await call('com.core.server.deactivateAccount', {}, importer)
  const samples = await makeSamples(car, await readFile(join(dataDir, 'pds.sqlite')))

  /** Uploads a file and writes a post that shows it. Returns its CID and the address of the post. */
  async function post(format: Format, content: Buffer) {
    const upload = await call('com.core.repo.uploadBlob', content, writer, mediaTypes[format])
    if (upload.status !== 200)
      return { problem: upload.status < 500 ? undefined : `uploadBlob: ${upload.status}` }
    const blob = { ...upload.body.blob, mimeType: mediaTypes[format] }
    const embed = { $type: 'app.example.embed.video', video: blob }
    const record = { $type: 'app.example.feed.post', text: '', createdAt: new Date().toISOString(), embed }
    const input = { repo: writer.did, collection: record.$type, record, validate: false }
    const { status, body } = await call('com.core.repo.createRecord', input, writer)
    // A mutation can make another media type of a file: the record, which names the type before, is refused.
    if (status !== 200) return { problem: status < 500 ? undefined : `createRecord: ${status}` }
    return { cid: String(blob.ref.$link), uri: String(body.uri) }
  }

  async function watch(uri: string): Promise<string | undefined> {
    const headers = { authorization: `Bearer ${writer.accessJwt}` }
    const path = `/xrpc/app.example.feed.getPosts?uris=${encodeURIComponent(uri)}`
    const { posts } = (await (await fetch(url + path, { headers })).json()) as {
      posts?: { embed?: { playlist?: string } }[]
    }
    const playlist = posts?.[0]?.embed?.playlist
    if (playlist === undefined) return undefined
    const { status } = await fetch(playlist, { redirect: 'manual' })
    return status < 400 ? undefined : `playlist: ${status}`
  }

  const serialize = createSerializer()
  async function open(content: Buffer): Promise<string | undefined> {
    const file = join(dataDir, 'opened')
    await writeFile(file, content)
    child.send({ id: 0, file })
    const [{ error }] = (await once(child, 'message')) as [{ error?: string }]
    return error === undefined || /^(Store|Backup)/.test(error) ? undefined : `backup: ${error}`
  }

  async function send(format: Format, content: Buffer): Promise<string | undefined> {
    if (format === 'zstd' || format === 'tar') return serialize(() => open(content))
    if (format === 'car' || format === 'cbor') {
      const archive = format === 'car' ? content : archiveOf(content)
      const { status } = await call('com.core.repo.importRepo', archive, importer, 'application/vnd.ipld.car')
      return [200, 400].includes(status) ? undefined : `importRepo: ${status}`
    }
    const { problem, cid, uri } = await post(format, content)
    if (cid === undefined) return problem
    if (format === 'mp4') return watch(uri)
    const path = `/xrpc/com.core.sync.getBlob?did=${writer.did}&cid=${cid}&preset=feed_thumbnail`
    const response = await fetch(url + path)
    await response.arrayBuffer()
    return response.status === 200 ? undefined : `getBlob: ${response.status}`
  }

  // A good file of each format loads what the server loads once.
  for (const [format, [sample]] of Object.entries(samples)) if (sample) await send(format as Format, sample)
  const idle = residentBytes(child)
  let peak = idle ?? 0
  let measuring: NodeJS.Timeout | undefined
  const times: number[] = []
  let isClosed = false
  let checking: Promise<void> | undefined
  async function checkHealth(): Promise<void> {
    while (!isClosed) {
      const start = performance.now()
      await fetchAgain(`${url}/xrpc/_health`).then((response) => response.text())
      times.push(performance.now() - start)
      await setTimeout(healthEveryMs)
    }
  }

  return {
    samples,
    start() {
      measuring = setInterval(() => {
        peak = Math.max(peak, residentBytes(child) ?? 0)
      }, 5)
      checking = checkHealth().catch(() => {})
    },
    async send(format, content) {
      if (child.exitCode !== null || child.signalCode !== null) return 'the server has ended'
      return send(format, content).catch((error: Error) => `${error.message}: ${String(error.cause)}`)
    },
    memory: () => (idle === undefined ? undefined : { idle, peak }),
    health: () => times.toSorted((a, b) => a - b),
    async close() {
      isClosed = true
      clearInterval(measuring)
      await checking
      if (child.exitCode === null && child.kill()) await once(child, 'exit')
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** An archive with one block, which is its root. */
function archiveOf(block: Buffer): Buffer {
  const cid = Buffer.concat([Buffer.from([1, 0x71, 0x12, 0x20]), createHash('sha256').update(block).digest()])
  const roots = Buffer.concat([Buffer.from('a265726f6f747381d82a582500', 'hex'), cid])
  return Buffer.concat([
    lengthed(Buffer.concat([roots, Buffer.from('6776657273696f6e01', 'hex')])),
    lengthed(cid, block),
  ])
}

function lengthed(...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const varint: number[] = []
  for (let left = content.length; ; left >>>= 7) {
    varint.push(left < 0x80 ? left : (left & 0x7f) | 0x80)
    if (left < 0x80) return Buffer.concat([Buffer.from(varint), content])
  }
}

function residentBytes({ pid }: ChildProcess): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return undefined
  }
}
