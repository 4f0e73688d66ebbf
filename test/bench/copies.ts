/**
 * `npm run bench -- copies [--size 1GB]`: a server with many data and 2,000 media files is copied to a folder and restored from it,
 * with time and memory. Then the memory and the CPU time of a small server with five writes a second, with a copy and without one.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { byteSize } from '../../server/platform/config/values.ts'
import { type BigData, password, seedBig } from './big/seed.ts'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import { timed } from './latency.ts'
import type { BenchAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { createPost } from './records.ts'
import { table } from './table.ts'

const mediaFiles = 2_000
const mediaBytes = 50_000
const createRecord = '/xrpc/com.core.repo.createRecord'
const memoryProbe = ['--expose-gc', '--import', join(import.meta.dirname, 'memory-probe.ts')]
const writeMs = 200
const idleSeconds = 60

export async function benchCopies(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { size: { type: 'string', default: '1GB' } } })
  const bytes = byteSize.parse(values.size)
  if (bytes === undefined) throw new Error(`--size ${values.size} is no size`)
  await restoreOf(await seedBig(await folder(), bytes))
  await idleWrites()
}

async function restoreOf({ dir, people }: BigData): Promise<void> {
  const place = await folder()
  const url = pathToFileURL(place).href
  const secrets = join(await folder(), 'credentials.json')
  await writeFile(secrets, '{}', { mode: 0o600 })
  const settings = {
    PDS_COPIES: url,
    PDS_COPIES_CREDENTIALS: secrets,
    PDS_DAILY_BACKUPS: 'off',
    PDS_DISK_RESERVE: '10MB',
  }
  const server = await Measured.pds(dir, [], settings)
  const idle = server.residentMegabytes()
  let peak = idle
  const copyMs = await timed(async () => {
    const watching = setInterval(() => {
      peak = Math.max(peak, server.residentMegabytes())
    }, 100)
    await addMedia(server.url, people[0]?.handle ?? '')
    await copied(dir)
    clearInterval(watching)
  })
  const data = megabytes(await du(dir))
  await server.kill()
  const sheet = join(await folder(), 'sheet.txt')
  const { key } = JSON.parse(await readFile(secrets, 'utf8'))
  await writeFile(sheet, `${key}\n`)
  const to = await folder()
  let restorePeak = 0
  const restoreMs = await timed(async () => {
    const entry = join(import.meta.dirname, '../../dist/server/operation/cli/restore.js')
    const child = spawn(process.execPath, [entry, '--from', url, '--key', sheet, '--data-dir', to], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const watching = setInterval(() => {
      restorePeak = Math.max(restorePeak, peakMegabytes(child.pid))
    }, 50)
    const code = await new Promise((resolve) => child.once('exit', resolve))
    clearInterval(watching)
    if (code !== 0) throw new Error(`restore exited with ${code}`)
  })
  await using restored = await Measured.pds(to, [], {})
  table('copies: a whole server', [
    {
      '': `${data} MB of data`,
      place: `${megabytes(await du(place))} MB`,
      'media and first copy, s': Math.round(copyMs / 1000),
      'resident before, MB': Math.round(idle),
      'peak, MB': Math.round(peak),
      'restore, s': Math.round(restoreMs / 1000),
      'peak of the restore, MB': Math.round(restorePeak),
      'restored server, MB': Math.round(restored.residentMegabytes()),
    },
  ])
}

/** Uploads media files, four to a post. */
async function addMedia(url: string, handle: string): Promise<void> {
  using client = new Client(url)
  const { json } = await client.call('createSession', { identifier: handle, password })
  const { did, accessJwt } = json as BenchAccount
  for (let post = 0; post < mediaFiles / 4; post++) {
    const images = []
    for (let image = 0; image < 4; image++) {
      const body = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(mediaBytes)])
      const headers = { authorization: `Bearer ${accessJwt}`, 'content-type': 'image/png' }
      const answer = await fetch(`${url}/xrpc/com.core.repo.uploadBlob`, { method: 'POST', headers, body })
      const { blob } = (await answer.json()) as { blob: unknown }
      images.push({ image: blob, alt: '' })
    }
    const embed = { $type: 'app.example.embed.images', images }
    const record = { text: `Post ${post}`, createdAt: new Date().toISOString(), embed }
    await client.post(createRecord, { repo: did, collection: 'app.example.feed.post', record }, accessJwt)
  }
}

/** Waits until the place has everything. */
async function copied(dir: string): Promise<void> {
  for (;;) {
    await setTimeout(500)
    const text = await readFile(join(dir, 'copies/status.json'), 'utf8').catch(() => '[]')
    const [status] = JSON.parse(text)
    if (status?.problem) throw new Error(status.problem.message)
    if (status?.copiedAt && status.behindSeconds === 0 && status.missingMedia === 0 && !status.progress)
      return
  }
}

interface Idle {
  readonly resident: number
  readonly heap: number
  readonly external: number
  /** Share of a core. */
  readonly cpu: number
}

/** Compares a server with a copy to one without, in turns. */
async function idleWrites(): Promise<void> {
  const rows = []
  for (const isCopied of [false, true, false, true]) {
    const { resident, heap, external, cpu } = await idleWritesOf(isCopied)
    rows.push({
      '': isCopied ? 'with a copy' : 'without',
      'resident, MB': resident.toFixed(1),
      'heap, MB': heap.toFixed(1),
      'external, MB': external.toFixed(1),
      'CPU, % of a core': cpu.toFixed(2),
    })
  }
  table(`copies: ${1000 / writeMs} writes a second for ${idleSeconds} s`, rows)
}

async function idleWritesOf(isCopied: boolean): Promise<Idle> {
  const dir = await folder()
  const secrets = join(await folder(), 'credentials.json')
  await writeFile(secrets, '{}', { mode: 0o600 })
  const copies = { PDS_COPIES: pathToFileURL(await folder()).href, PDS_COPIES_CREDENTIALS: secrets }
  await using server = await Measured.pds(dir, memoryProbe, {
    PDS_DAILY_BACKUPS: 'off',
    ...(isCopied && copies),
  })
  using client = new Client(server.url)
  const { json } = await client.call('createAccount', { handle: 'alice.test', password })
  const account = { ...(json as BenchAccount), password }
  const { input, token } = createPost(account)
  await client.post(createRecord, input, token)
  if (isCopied) await copied(dir)
  const cpu = server.cpuMicroseconds()
  const samples: Idle[] = []
  const started = performance.now()
  for (let write = 1; write <= (idleSeconds * 1000) / writeMs; write++) {
    await client.post(createRecord, input, token)
    // After the first half.
    if (write % 50 === 0 && write * writeMs > (idleSeconds * 1000) / 2) {
      const { heapUsed, external } = await server.ask<NodeJS.MemoryUsage>('memory')
      const share = (server.cpuMicroseconds() - cpu) / 1000 / (performance.now() - started)
      const resident = server.residentMegabytes()
      samples.push({ resident, heap: heapUsed / 1e6, external: external / 1e6, cpu: share * 100 })
    }
    await setTimeout(Math.max(0, started + write * writeMs - performance.now()))
  }
  const median = (name: keyof Idle) =>
    samples.map((sample) => sample[name]).sort((a, b) => a - b)[samples.length >> 1] ?? 0
  return {
    resident: median('resident'),
    heap: median('heap'),
    external: median('external'),
    cpu: median('cpu'),
  }
}

/** Returns the most memory that a process had; 0 once it has ended. */
function peakMegabytes(pid: number | undefined): number {
  try {
    const [, kilobytes = 0] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return (Number(kilobytes) * 1024) / 1e6
  } catch {
    return 0
  }
}

async function du(path: string): Promise<number> {
  const { nodeFiles } = await import('../../server/store/files/files.ts')
  return (await nodeFiles.measureDir(path))?.bytes ?? 0
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6)
}
