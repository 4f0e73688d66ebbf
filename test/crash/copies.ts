/**
 * `node test/crash/copies.ts [TIMES] [SEED]`: loses computers. A server with a copy in a folder gets five writes a second and is killed at
 * random; its data are deleted, brought back from the copy and compared with what was acknowledged. The restored server is the next one to
 * lose; every tenth one begins from scratch.
 */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { setup } from '../../build/test-servers.ts'
import { bringBack } from '../../server/operation/replicas/bring-back.ts'
import { readContent } from '../../server/operation/replicas/catalog.ts'
import { openPlace } from '../../server/operation/replicas/places/open.ts'
import { ReplicaKey, sealedBytes } from '../../server/operation/replicas/replica-key.ts'
import { createSealer } from '../../server/operation/replicas/sealer.ts'
import { damagedRepositories } from '../../server/operation/replicas/verify-repositories.ts'
import { chainOf, waysTo } from '../../server/operation/replicas/ways/ways.ts'
import { nodeFiles } from '../../server/store/files/files.ts'
import { load } from '../../server/store/journal/recover.ts'
import { allPages, closeFile } from '../../server/store/pages/database-file.ts'
import { CopyWriter } from './copy-writer.ts'
import { ServerProcess } from './process.ts'
import { seededRandom } from './random.ts'

const times = Number(process.argv[2] ?? 100)
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000)
const random = seededRandom(seed)

/** What may be lost. */
const lossMs = 5000
const perLine = 10

await setup()
const root = await mkdtemp(join(tmpdir(), 'pds-copies-'))
const lost: number[] = []
const total = { writes: 0, lostWrites: 0, media: 0, missingMedia: 0, pages: 0, withoutBase: 0 }

print(`seed ${seed}, ${times} times, ${root}`)
for (let first = 0; first < times; first += perLine) {
  const folder = join(root, String(first))
  await mkdir(join(folder, 'place'), { recursive: true })
  await loseAgainAndAgain(folder, Math.min(perLine, times - first))
  await rm(folder, { recursive: true })
  print(progress())
}
await rm(root, { recursive: true })

/** Restores one timeline of history again and again. */
async function loseAgainAndAgain(folder: string, rounds: number): Promise<void> {
  const url = pathToFileURL(join(folder, 'place')).href
  const credentials = join(folder, 'credentials')
  const writers = [0, 1].map((i) => new CopyWriter(`writer-${i}`, random))
  let dataDir = join(folder, 'data-0')
  let server = await start(dataDir, url, credentials, writers)
  for (const writer of writers) await writer.signUp()
  let isCopied = waitForCopy(url, new Date())
  for (let round = 1; round <= rounds; round++) {
    const writing = Promise.all(writers.map((writer) => writer.writeUntilKilled()))
    await Promise.race([writing, isCopied.then(() => setTimeout(500 + random(7000)))])
    isCopied = Promise.resolve()
    const killedAt = Date.now()
    await server.kill()
    await writing
    assert.equal(server.stderr, '')
    await rm(dataDir, { recursive: true })

    dataDir = join(folder, `data-${round}`)
    await restore(url, credentials, dataDir)
    await verify(dataDir)
    server = await start(dataDir, url, credentials, writers)
    const losses = await Promise.all(writers.map((writer) => writer.compare(killedAt, lossMs)))
    lost.push(Math.max(...losses.map(({ ms }) => ms)))
    for (const { writes, lostWrites, media, missingMedia } of losses) {
      total.writes += writes
      total.lostWrites += lostWrites
      total.media += media
      total.missingMedia += missingMedia
    }
  }
  await server.kill()
}

async function start(dataDir: string, url: string, credentials: string, writers: readonly CopyWriter[]) {
  const process = new ServerProcess(dataDir, undefined, url, credentials)
  const serving = await process.serving()
  for (const writer of writers) writer.url = serving
  return process
}

/** From scratch, nothing can be brought back before the accounts are at the place. */
async function waitForCopy(url: string, from: Date): Promise<void> {
  const place = await openPlace(url)
  for (;;) {
    const [chain] = waysTo(await readContent({ place, sealer: { sealedBytes } }))
    if (chain && chain.at > from) return
    await setTimeout(50)
  }
}

async function restore(url: string, credentials: string, dataDir: string): Promise<void> {
  const { key } = JSON.parse(await readFile(credentials, 'utf8'))
  const sealer = createSealer(await ReplicaKey.parse(key))
  const place = await openPlace(url)
  const content = await readContent({ place, sealer })
  const [timeline] = content.timelines
  // It was killed before its first database was at the place: the timeline before it is restored.
  if (timeline && !chainOf(content, timeline)) total.withoutBase++
  await bringBack({ target: { place, sealer }, dataDir, now: () => new Date() })
  await sealer.end()
}

/** Opens the data as the next start will: every page matches its checksum, every repository is whole. */
async function verify(dataDir: string): Promise<void> {
  const loaded = await load(nodeFiles, dataDir)
  try {
    // A restored database has no checksums before its first start.
    assert.equal(loaded.checkedBy, 'integrity check')
    for (const _ of allPages(loaded.file)) total.pages++
    assert.deepEqual(await damagedRepositories(loaded.sqlite), [])
  } finally {
    await closeFile(loaded)
  }
}

function progress(): string {
  const sorted = lost.toSorted((a, b) => a - b)
  const seconds = (ms: number | undefined) => ((ms ?? 0) / 1000).toFixed(1)
  const { writes, lostWrites, media, missingMedia, pages, withoutBase } = total
  return [
    `${lost.length} computers lost, at most ${seconds(sorted.at(-1))} s of writes, ${seconds(sorted[Math.floor(sorted.length / 2)])} s in the median`,
    `${writes} writes acknowledged, ${lostWrites} of them lost`,
    `${media} media restored, ${missingMedia} missing`,
    `${pages} pages verified, ${withoutBase} kills before the first database of a timeline`,
  ].join('; ')
}

function print(timeline: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${timeline}\n`)
}
