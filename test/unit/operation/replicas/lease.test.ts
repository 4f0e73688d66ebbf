/** Which computer yields. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listTimelines, type Timeline } from '../../../../server/operation/replicas/catalog.ts'
import { findElsewhere, keepLease, type Lease } from '../../../../server/operation/replicas/lease.ts'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import { createSealer } from '../../../../server/operation/replicas/sealer.ts'
import { beginTimeline } from '../../../../server/operation/replicas/timeline.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { MemoryPlace } from '../../../support/replicas/memory-place.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-lease-'))
})
afterAll(() => rm(root, { recursive: true }))

const sealer = createSealer(await ReplicaKey.generate())
const started = '2030-01-01T12:00:00.000Z'

/** Returns whether this computer yields to another one with such a lease. */
async function yieldsTo(
  other: Timeline,
  lease: (own: string) => Lease,
  { lacks = false }: { lacks?: boolean } = {},
): Promise<boolean> {
  const dataDir = await mkdtemp(join(root, 'data-'))
  const timelines = await beginTimeline(nodeFiles, dataDir, { seq: 5, now: () => new Date(started) })
  const target = { place: new MemoryPlace(), sealer }
  await keepLease(target, other, lease(timelines.current.name))
  return (await findElsewhere(target, await listTimelines(target.place), timelines, lacks)) !== undefined
}

const of = (generation: number): Timeline => ({
  ...{ name: `00000${generation}_abc`, generation, parent: undefined },
})
const [earlier, later] = ['2030-01-01T11:00:00.000Z', '2030-01-01T13:00:00.000Z']

test('a higher generation is another computer', async () => {
  expect(await yieldsTo(of(2), () => ({ at: earlier, lacks: false, seen: [] }))).toBe(true)
})

test.each([
  ['lost', undefined],
  ['damaged', Buffer.from('no lease')],
  ['empty', Buffer.alloc(0)],
])('a name of a higher generation whose lease is %s proves no other computer', async (_, bytes) => {
  const dataDir = await mkdtemp(join(root, 'data-'))
  const timelines = await beginTimeline(nodeFiles, dataDir, { seq: 5, now: () => new Date(started) })
  const target = { place: new MemoryPlace(), sealer }
  await keepLease(target, of(2), { at: earlier, lacks: false, seen: [] })
  const listed = await listTimelines(target.place)
  if (bytes) await target.place.put('timelines/000002_abc', bytes)
  else await target.place.remove('timelines/000002_abc')
  expect(await findElsewhere(target, listed, timelines, false)).toBeUndefined()
})

test('a computer whose own timelines were damaged does not take them for those of another one', async () => {
  const dataDir = await mkdtemp(join(root, 'damaged-'))
  const begin = () => beginTimeline(nodeFiles, dataDir, { seq: 5, now: () => new Date(started) })
  await (await begin()).takeOver(2, 5)
  const before = await begin()
  await before.keep()
  const target = { place: new MemoryPlace(), sealer }
  await keepLease(target, before.at([]), { at: earlier, lacks: false, seen: [] })
  await nodeFiles.create(join(dataDir, 'copies', 'timelines.json')).then((file) => file.close())
  const listed = await listTimelines(target.place)
  const after = await begin()
  expect(after.at(listed)).toEqual({ ...after.current, parent: undefined })
  expect(after.current.generation).toBe(3)
  expect(await findElsewhere(target, listed, after, false)).toBeUndefined()
})

test('a timeline that has not seen the running one is no other computer, whatever it has', async () => {
  expect(await yieldsTo(of(1), () => ({ at: earlier, lacks: false, seen: ['000001_old'] }))).toBe(false)
  expect(await yieldsTo(of(1), () => ({ at: later, lacks: false, seen: [] }), { lacks: true })).toBe(false)
})

test('of two that have seen each other, the one that lacks changes yields, otherwise the one that began later', async () => {
  const seen = (own: string) => [own]
  expect(await yieldsTo(of(1), (own) => ({ at: earlier, lacks: false, seen: seen(own) }))).toBe(true)
  expect(await yieldsTo(of(1), (own) => ({ at: later, lacks: false, seen: seen(own) }))).toBe(false)
  const laterWhole = (own: string) => ({ at: later, lacks: false, seen: seen(own) })
  expect(await yieldsTo(of(1), laterWhole, { lacks: true })).toBe(true)
  expect(await yieldsTo(of(1), (own) => ({ at: earlier, lacks: true, seen: seen(own) }))).toBe(false)
})

test('an earlier generation is ignored', async () => {
  const dataDir = await mkdtemp(join(root, 'restored-'))
  const begin = () => beginTimeline(nodeFiles, dataDir, { seq: 5, now: () => new Date(started) })
  await (await begin()).takeOver(2, 5)
  const timelines = await begin()
  expect(timelines.current.generation).toBe(3)
  const target = { place: new MemoryPlace(), sealer }
  await keepLease(target, of(2), { at: earlier, lacks: false, seen: [timelines.current.name] })
  expect(await findElsewhere(target, await listTimelines(target.place), timelines, false)).toBeUndefined()
})

test('a start continues what it began before, and the proof of another computer outlives it', async () => {
  const dataDir = await mkdtemp(join(root, 'restart-'))
  const begin = (seq: number) => beginTimeline(nodeFiles, dataDir, { seq, now: () => new Date(started) })
  const first = await begin(5)
  await first.keep()
  const second = await begin(8)
  const listed: Timeline[] = [{ ...first.current, parent: undefined }]
  expect(second.at(listed)).toEqual({ ...second.current, parent: { name: first.current.name, seq: 8 } })
  expect(second.at([]).parent).toBeUndefined()
  await second.yieldTo({ timeline: '000004_abc', at: later })
  const third = await begin(9)
  expect(third.elsewhere).toEqual({ timeline: '000004_abc', at: later })
  await third.takeOver(4, 9)
  const fourth = await begin(9)
  expect([fourth.elsewhere, fourth.current.generation]).toEqual([undefined, 5])
  expect(fourth.at(listed).parent).toBeUndefined()
})

test('the ancestry of many starts is bounded', async () => {
  const dataDir = await mkdtemp(join(root, 'many-'))
  for (let seq = 0; seq < 205; seq++) {
    await (await beginTimeline(nodeFiles, dataDir, { seq, now: () => new Date(started) })).keep()
  }
  const entries = JSON.parse(
    Buffer.from(await nodeFiles.read(join(dataDir, 'copies', 'timelines.json'))).toString(),
  )
  expect(entries).toHaveLength(200)
  expect(entries.at(-1).seq).toBe(204)
})

test('a list of timelines on a damaged sector keeps no server from its start', async () => {
  const dataDir = await mkdtemp(join(root, 'unreadable-'))
  const options = { seq: 5, now: () => new Date(started) }
  await (await beginTimeline(nodeFiles, dataDir, options)).keep()
  const read = async (path: string) => {
    if (path.endsWith('timelines.json')) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    return nodeFiles.read(path)
  }
  const timelines = await beginTimeline({ ...nodeFiles, read }, dataDir, options)
  // Those of the place are of this computer.
  expect(timelines.at([of(3)]).generation).toBe(3)
})

test('hundreds of starts without a place keep the timeline that a place has, and where they continue it', async () => {
  const dataDir = await mkdtemp(join(root, 'unsent-'))
  const begin = (seq: number) => beginTimeline(nodeFiles, dataDir, { seq, now: () => new Date(started) })
  const sent = await begin(0)
  await sent.beginSending()
  for (let seq = 5; seq < 255; seq++) await (await begin(seq)).keep()
  const last = await begin(255)
  const listed: Timeline[] = [{ ...sent.current, parent: undefined }]
  expect(last.at(listed).parent).toEqual({ name: sent.current.name, seq: 5 })
  expect(last.isRecent(sent.current.name)).toBe(true)
})
