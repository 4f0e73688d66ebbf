import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  baseName,
  endBytes,
  endName,
  leaseName,
  partName,
  readContent,
  segmentName,
  type Timeline,
} from '../../../../server/operation/replicas/catalog.ts'
import { createCleanUps } from '../../../../server/operation/replicas/clean-ups.ts'
import { compact, compactMedia } from '../../../../server/operation/replicas/compact.ts'
import type { Place } from '../../../../server/operation/replicas/places/place.ts'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import { readPoints } from '../../../../server/operation/replicas/restore-points.ts'
import { createSealer } from '../../../../server/operation/replicas/sealer.ts'
import { listMedia } from '../../../../server/operation/replicas/send.ts'
import { createUnreferenced } from '../../../../server/operation/replicas/unreferenced.ts'
import { chainOf } from '../../../../server/operation/replicas/ways/ways.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { createSerializer } from '../../../../server/util/serialize.ts'
import { day, hour, second } from '../../../support/server/clock.ts'

const start = Date.parse('2030-01-01T00:00:00Z')
const week = 7 * day
const timeline: Timeline = { name: '000002_aaaaaaaa', generation: 2, parent: undefined }
const older: Timeline = { name: '000001_bbbbbbbb', generation: 1, parent: undefined }
const sealer = createSealer(await ReplicaKey.generate())
const compress = promisify(zstdCompress)

/** A place in memory, which fails after some changes. Folders are removed object by object. */
class MemoryPlace implements Place {
  readonly objects = new Map<string, Uint8Array>()
  changesLeft = Number.POSITIVE_INFINITY

  clone(): MemoryPlace {
    const place = new MemoryPlace()
    for (const [name, bytes] of this.objects) place.objects.set(name, bytes)
    return place
  }

  async list(folder: string) {
    const prefix = folder === '' ? '' : `${folder}/`
    const found = new Map<string, number | undefined>()
    for (const [path, { length }] of this.objects) {
      if (!path.startsWith(prefix)) continue
      const [name = '', rest] = path.slice(prefix.length).split('/')
      found.set(name, rest === undefined ? length : undefined)
    }
    return [...found].map(([name, bytes]) => ({ name, bytes }))
  }

  async get(name: string) {
    return this.objects.get(name)
  }

  async size(name: string) {
    return this.objects.get(name)?.length
  }

  async put(name: string, bytes: Uint8Array) {
    this.#change()
    this.objects.set(name, bytes)
  }

  async remove(name: string) {
    for (const path of [...this.objects.keys()]) {
      if (path !== name && !path.startsWith(`${name}/`)) continue
      this.#change()
      this.objects.delete(path)
    }
  }

  #change() {
    if (this.changesLeft-- <= 0) throw new Error('connection cut')
  }

  async base(of: Timeline, seq: number, at: number, isWhole = true) {
    const name = baseName(of.name, seq, new Date(at), 2)
    await this.#object(partName(name, 1, 10), 10)
    if (isWhole) await this.#object(partName(name, 2, 5), 5)
    if (isWhole) await this.#object(endName(name), endBytes)
  }

  async segment(of: Timeline, from: number, to: number, at: number) {
    const content = await compress(Buffer.from(`${from} to ${to};`))
    const name = segmentName({ timeline: of.name, from, to, at: new Date(at), bytes: content.length })
    await this.put(name, await sealer.seal(name, content))
  }

  async #object(name: string, bytes: number) {
    await this.put(name, await sealer.seal(name, Buffer.alloc(bytes)))
  }
}

const replicatorOf = (place: Place) => ({
  read: async () => ({ content: await readContent({ place, sealer }), timeline }),
  betweenSteps: createSerializer(),
  forget() {},
})
let records: string
beforeAll(async () => {
  records = await mkdtemp(join(tmpdir(), 'pds-compact-'))
})
afterAll(() => rm(records, { recursive: true }))

/** Clean-ups of a place, of which each remembers the one before. */
function cleanUpsOf(place: Place, current = timeline) {
  const cleanUps = createCleanUps(nodeFiles, join(records, String(Math.random())))
  const replicator = {
    ...replicatorOf(place),
    read: async () => ({ content: await readContent({ place, sealer }), timeline: current }),
  }
  return (now: number) => compact({ place, sealer }, { replicator, cleanUps, now: new Date(now), weeks: 12 })
}

/** Cleans up until nothing more is removed. */
async function clean(place: Place, now: number): Promise<void> {
  const cleanUp = cleanUpsOf(place)
  for (let round = 0; round < 3; round++) await cleanUp(now + round)
}

/** Five weeks of an earlier timeline, then four months of the current one. */
async function filled(): Promise<{ place: MemoryPlace; end: number; seq: number }> {
  const place = new MemoryPlace()
  await place.base(older, 10, start - 30 * week)
  await place.segment(older, 11, 12, start - 29 * week)
  let seq = 100
  for (let at = start; at < start + 16 * week; at += week) {
    seq++
    await place.base(timeline, seq, at)
    for (let n = 1; n <= 4; n++) {
      await place.segment(timeline, seq + 1, seq + 1, at + n * 10 * second)
      seq++
    }
  }
  // Left by an upload that was interrupted.
  await place.base(timeline, 50, start + 8 * week, false)
  const end = start + 16 * week
  await place.segment(timeline, seq + 1, seq + 1, end)
  return { place, end, seq: seq + 1 }
}

test('a clean-up that is cut off anywhere loses nothing, and the next one completes it', async () => {
  const { place: full, end, seq } = await filled()
  const whole = full.clone()
  await clean(whole, end)
  const expected = [...whole.objects.keys()].toSorted()
  const { points: kept } = await readPoints({ place: whole, sealer })
  for (let changes = 0; ; changes++) {
    const place = full.clone()
    place.changesLeft = changes
    const isDone = await clean(place, end).then(
      () => true,
      () => false,
    )
    if (isDone) break
    const content = await readContent({ place, sealer })
    expect(chainOf(content, timeline)?.seq).toBe(seq)
    for (const moment of kept) expect(chainOf(content, timeline, { until: moment })?.at).toEqual(moment)
    // A base that is removed in part does not count as one.
    for (const base of content.bases) expect(base.parts).toHaveLength(2)
    place.changesLeft = Number.POSITIVE_INFINITY
    await clean(place, end)
    expect([...place.objects.keys()].toSorted()).toEqual(expected)
  }
}, 120_000)

test('an earlier timeline goes with its last moment, unfinished bases with the next one', async () => {
  const { place, end } = await filled()
  await clean(place, end)
  const names = [...place.objects.keys()]
  expect(names.filter((name) => name.includes(older.name))).toEqual([])
  expect(names.filter((name) => name.includes('/000000000050-'))).toEqual([])
})

test('a clock that is far ahead removes nothing more', async () => {
  const { place, end } = await filled()
  const { place: other } = await filled()
  await clean(place, end)
  await clean(other, end + 20 * 52 * week)
  expect([...other.objects.keys()]).toEqual([...place.objects.keys()])
})

test('nothing is removed while another computer continues, or without a base', async () => {
  const { place, end } = await filled()
  const other = { name: '000003_cccccccc', generation: 3, parent: undefined }
  await place.base(other, 900, end)
  await place.put(leaseName(other), Buffer.from(''))
  const before = [...place.objects.keys()]
  await clean(place, end + hour)
  expect([...place.objects.keys()]).toEqual(before)
})

/** Names of everything at a place. */
const namesAt = (place: MemoryPlace) => [...place.objects.keys()].toSorted()

test('one listing removes nothing, nor one that lacks what an earlier one had', async () => {
  const { place, end } = await filled()
  const before = namesAt(place)
  const cleanUp = cleanUpsOf(place)
  await cleanUp(end)
  expect(namesAt(place)).toEqual(expect.arrayContaining(before))
  // The newest base is not listed once.
  const list = place.list.bind(place)
  place.list = async (folder) =>
    (await list(folder)).filter(({ name }) => folder !== 'bases' || !name.startsWith('000000000176-'))
  await cleanUp(end + hour)
  expect(namesAt(place)).toEqual(expect.arrayContaining(before))
  place.list = list
  await cleanUp(end + 2 * hour)
  expect(namesAt(place)).toEqual(expect.arrayContaining(before))
  await cleanUp(end + 3 * hour)
  expect(namesAt(place)).not.toEqual(expect.arrayContaining(before))
})

test('a passed timeline goes after two listings, unless a branch leads through it', async () => {
  const root: Timeline = { name: '000001_00000001', generation: 1, parent: undefined }
  const through: Timeline = { ...root, name: '000001_00000002', parent: { name: root.name, seq: 12 } }
  const branch: Timeline = { ...root, name: '000001_00000003', parent: { name: through.name, seq: 12 } }
  const current: Timeline = { ...root, name: '000001_00000004', parent: { name: through.name, seq: 12 } }
  for (const isBranched of [false, true]) {
    const place = new MemoryPlace()
    for (const each of [root, through, branch, current]) {
      if (isBranched || each !== branch) await place.put(leaseName(each), Buffer.from(''))
    }
    await place.base(root, 10, start)
    await place.segment(root, 11, 12, start + hour)
    if (isBranched) await place.segment(branch, 13, 14, start + 10 * week)
    for (let n = 2; n < 14; n++) await place.base(current, 11 + n, start + n * week)
    const cleanUp = cleanUpsOf(place, current)
    const isThere: boolean[] = []
    for (let n = 0; n < 5; n++) {
      await cleanUp(start + 13 * week + n * hour)
      isThere.push(namesAt(place).includes(leaseName(through)))
    }
    // The second one removes what is older, the third one finds it passed.
    expect(isThere).toEqual(isBranched ? Array(5).fill(true) : [true, true, true, false, false])
    if (isBranched) expect(chainOf(await readContent({ place, sealer }), branch)?.seq).toBe(14)
  }
})

test.each([
  ['ahead', 20 * 52 * week],
  ['back', -20 * 52 * week],
])('changes that are copied while the clock is far %s remove nothing', async (_, leap) => {
  const { place, end, seq } = await filled()
  const cleanUp = cleanUpsOf(place)
  for (let n = 0; n < 3; n++) await cleanUp(end + n * hour)
  const kept = namesAt(place)
  await place.base(timeline, seq + 1, end + leap)
  await place.segment(timeline, seq + 2, seq + 2, end + leap + hour)
  for (let n = 2; n < 24; n++) await cleanUp(end + leap + n * hour)
  await place.segment(timeline, seq + 3, seq + 3, end + day)
  for (let n = 0; n < 24; n++) await cleanUp(end + day + n * hour)
  expect(namesAt(place)).toEqual(expect.arrayContaining(kept))
})

describe('media that the server has no more', () => {
  const cut = 'a'.repeat(40)
  const kept = 'b'.repeat(40)
  const again = 'c'.repeat(40)
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pds-compact-media-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** A place with three media of two parts each, and its record. */
  async function withMedia(record: string) {
    const { place, end } = await filled()
    for (const name of [cut, kept, again]) {
      for (const part of [1, 2]) {
        const object = `media/${name[0]}/${name}-${part}-2-5`
        await place.put(object, await sealer.seal(object, Buffer.alloc(5)))
      }
    }
    const unreferenced = createUnreferenced(nodeFiles, join(folder, record))
    const here = new Set([kept])
    const marked = new Set<string>()
    let last = 1000
    const cleanMedia = async (now: number) => {
      // Time is that of the last change.
      await place.segment(timeline, last, ++last, now)
      await place.base(timeline, last, now)
      await compactMedia(
        { place, sealer },
        {
          ...{
            replicator: replicatorOf(place),
            unreferenced,
            cleanUps: { isSteady: true },
            now: new Date(now),
            weeks: 12,
          },
          mediaNames: {
            read: async () => [new Map([...here].map((name) => [name, name]))],
            marked: () => marked,
          },
        },
      )
      return [...(await listMedia({ place, sealer })).keys()].toSorted()
    }
    return { place, end, here, marked, unreferenced, cleanMedia }
  }

  test('are removed once no kept moment can need them, and not before', async () => {
    const { end, cleanMedia } = await withMedia('removed')
    expect(await cleanMedia(end)).toEqual([cut, kept, again])
    expect(await cleanMedia(end + 14 * week)).toEqual([cut, kept, again])
    expect(await cleanMedia(end + 14 * week + day)).toEqual([kept])
  })

  test('stay while the server marks them as missing', async () => {
    const { end, marked, cleanMedia } = await withMedia('marked')
    marked.add(cut)
    await cleanMedia(end)
    expect(await cleanMedia(end + 15 * week)).toEqual([cut, kept])
  })

  test('count anew when they were there again meanwhile', async () => {
    const { end, here, unreferenced, cleanMedia } = await withMedia('again')
    await cleanMedia(end)
    await unreferenced.seen([kept, again])
    await cleanMedia(end + 13 * week)
    expect(await cleanMedia(end + 15 * week)).toEqual([kept, again])
    here.add(again)
    expect(await cleanMedia(end + 40 * week)).toEqual([kept, again])
  })

  test('a removal that is cut off is completed by the next one', async () => {
    const { place, end, cleanMedia } = await withMedia('cut')
    await cleanMedia(end)
    place.changesLeft = 5
    await expect(cleanMedia(end + 20 * week)).rejects.toThrow('connection cut')
    place.changesLeft = Number.POSITIVE_INFINITY
    expect(await cleanMedia(end + 20 * week)).toEqual([kept])
    expect([...place.objects.keys()].filter((name) => name.includes(cut))).toEqual([])
  })
})
