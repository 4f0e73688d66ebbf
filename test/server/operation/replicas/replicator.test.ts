/** What a place is said to have, and when this computer may write. */
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { assemble, databasePath } from '../../../../server/operation/replicas/assemble.ts'
import { removeLeftovers } from '../../../../server/operation/replicas/bases.ts'
import { findChain } from '../../../../server/operation/replicas/bring-back.ts'
import { readContent } from '../../../../server/operation/replicas/catalog.ts'
import { PlaceProblem } from '../../../../server/operation/replicas/places/place.ts'
import { createProver } from '../../../../server/operation/replicas/prove.ts'
import { fetchChain } from '../../../../server/operation/replicas/receive.ts'
import type { Sealer } from '../../../../server/operation/replicas/sealer.ts'
import { beginTimeline } from '../../../../server/operation/replicas/timeline.ts'
import { waysTo } from '../../../../server/operation/replicas/ways/ways.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'
import { type Files, nodeFiles } from '../../../../server/store/files/files.ts'
import { journalPath, journalSeqs } from '../../../../server/store/files/layout.ts'
import { StoreDamaged } from '../../../../server/store/files/store-errors.ts'
import { closeFile, openChecked } from '../../../../server/store/pages/database-file.ts'
import { MemoryPlace } from '../../../support/replicas/memory-place.ts'
import { insert, replicatorOf, setupStore } from '../../../support/replicas/replicator.ts'
import { day, hour } from '../../../support/server/clock.ts'

let root: string
let dataDir: string
let store: Database
let sealer: Sealer
let place: MemoryPlace
let ms = Date.UTC(2030, 0, 1)
const now = () => new Date(ms++)

const own = setupStore(now)
beforeEach(() => {
  ;({ root, dataDir, store, sealer } = own)
  place = new MemoryPlace()
})
afterEach(() => vi.restoreAllMocks())

/** Starts the copies of the store, as a process does. */
async function start(files: Files = nodeFiles) {
  const timelines = await beginTimeline(files, dataDir, { seq: store.seq, now })
  return {
    timelines,
    replicator: await replicatorOf({ store, files, dataDir, now, place, sealer, timelines }),
  }
}

const write = (text: string) => insert(store, text)

async function fill(): Promise<void> {
  await store.transact((tx) => {
    tx.run('CREATE TABLE filler (bytes BLOB)')
    for (let n = 0; n < 3; n++) tx.run('INSERT INTO filler VALUES (?)', [randomBytes(6_000_000)])
  })
}

/** Returns the texts that come back from a place. */
async function restored(chain?: Awaited<ReturnType<typeof findChain>>): Promise<string[]> {
  const target = { place, sealer }
  const way = chain ?? (await findChain(target))
  const folder = await mkdtemp(join(root, 'restored-'))
  await fetchChain(target, way, { files: nodeFiles, folder })
  await assemble(nodeFiles, folder, way)
  const opened = await openChecked(nodeFiles, databasePath(folder))
  try {
    const rows = opened.sqlite.all<{ name: string }>(`SELECT name FROM secrets WHERE name LIKE 'row %'`)
    return rows.map(({ name }) => name).toSorted()
  } finally {
    await closeFile(opened)
  }
}

test('a journal that cannot be read is followed by a base: nothing is called copied that is not', async () => {
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  await write('row 2')
  // One bit of the journal flips on the disk. The store does not read it again.
  const [first = 0] = journalSeqs(await readdir(dataDir)).slice(-1)
  const bytes = await readFile(journalPath(dataDir, first))
  const at = bytes.indexOf('row 2')
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(journalPath(dataDir, first), bytes)
  await store.checkpoint()
  await write('row 3')
  await replicator.step()
  expect(replicator.state).toMatchObject({ problem: undefined, seq: store.seq, wholeSeq: store.seq })
  expect(await restored()).toEqual(['row 1', 'row 2', 'row 3'])
})

test('a place that is nearly full is no other computer, however often a base fails there', async () => {
  const { replicator, timelines } = await start()
  await fill()
  await write('row 000')
  await replicator.step()
  replicator.renew()
  place.beforePut = (name) => {
    if (/^bases\/.*\/00002-/.test(name)) throw new PlaceProblem('full', 'There is no space left.')
  }
  for (let n = 1; n <= 110; n++) {
    await write(`row ${String(n).padStart(3, '0')}`)
    await replicator.step()
    expect(replicator.state.problem?.kind).toBe('full')
    expect(replicator.state.seq).toBe(store.seq)
  }
  place.beforePut = () => {}
  await replicator.step()
  expect(replicator.state.problem).toBeUndefined()
  expect(timelines.elsewhere).toBeUndefined()
  expect(await restored()).toHaveLength(111)
}, 120_000)

test('a damaged lease is written again, and the other computer on a copy of the data folder yields', async () => {
  const { replicator, timelines } = await start()
  await write('row 1')
  await replicator.step()
  const copied = join(root, 'copied')
  await cp(dataDir, copied, { recursive: true, filter: (path) => !path.endsWith('pds.lock') })
  const store = await Database.open({ directory: copied, schema, now })
  const later = await replicatorOf({ store, dataDir: copied, now, place, sealer })
  const read = async (computer: typeof later) => {
    computer.forget()
    await computer.step()
    return computer.state.problem?.kind
  }
  expect([await read(later), await read(replicator)]).toEqual([undefined, undefined])
  place.objects.set(`timelines/${timelines.current.name}`, Buffer.from('damaged'))
  expect([await read(later), await read(replicator)]).toEqual([undefined, undefined])
  expect([await read(later), await read(replicator)]).toEqual(['elsewhere', undefined])
  await store.close()
})

test('another computer is noticed after the clock was ahead when the place was read', async () => {
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  const copied = join(root, 'copied-ahead')
  await cp(dataDir, copied, { recursive: true, filter: (path) => !path.endsWith('pds.lock') })
  const second = await Database.open({ directory: copied, schema, now })
  const later = await replicatorOf({ store: second, dataDir: copied, now, place, sealer })
  const steps = async () => {
    for (const each of [later, replicator]) await each.step()
  }
  ms += day
  await steps()
  ms -= day
  for (let round = 0; round < 4; round++) {
    ms += hour / 10
    await steps()
  }
  expect([later, replicator].map(({ state }) => state.problem?.kind)).toEqual(['elsewhere', undefined])
  await second.close()
})

test('a week later there is another base, also if the clock was years ahead at the last one', async () => {
  ms += 3 * 365 * day
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  ms -= 3 * 365 * day
  const copyTo = vi.spyOn(store, 'copyTo')
  await write('row 2')
  await replicator.step()
  expect(copyTo).toHaveBeenCalledTimes(1)
  // It is the newest one, also for those who read the place again.
  replicator.forget()
  await replicator.step()
  ms += 6 * day
  await replicator.step()
  expect(copyTo).toHaveBeenCalledTimes(1)
  expect(await restored()).toEqual(['row 1', 'row 2'])
})

test('a problem that began while the clock was ahead does not begin in the future', async () => {
  const { replicator } = await start()
  await write('row 1')
  place.beforePut = () => {
    throw new PlaceProblem('full', 'There is no space left.')
  }
  ms += day
  await replicator.step()
  ms -= day
  await replicator.step()
  expect(replicator.state.problemSince?.getTime()).toBeLessThan(ms)
})

test('media are listed daily, also if the clock was ahead at the last time', async () => {
  const { replicator } = await start()
  ms += 365 * day
  await write('row 1')
  await replicator.step()
  ms -= 365 * day
  const list = vi.spyOn(place, 'list')
  const listed = () => list.mock.calls.filter(([folder]) => folder.startsWith('media/')).length
  await replicator.step()
  const after = listed()
  expect(after).toBeGreaterThan(0)
  await replicator.step()
  expect(listed()).toBe(after)
})

describe('a base that this computer cannot make', () => {
  test('keeps no changes from being copied, is shown, and is tried once a day', async () => {
    const { replicator } = await start()
    await write('row 1')
    await replicator.step()
    ms += 8 * day
    const copyTo = vi
      .spyOn(store, 'copyTo')
      .mockRejectedValue(new StoreDamaged('pds.sqlite', 'page 7 is damaged'))
    for (const text of ['row 2', 'row 3', 'row 4']) {
      await write(text)
      await replicator.step()
      const { problem, baseProblem, seq, wholeSeq } = replicator.state
      expect([problem, baseProblem?.kind, seq, wholeSeq]).toEqual([undefined, 'local', store.seq, store.seq])
    }
    expect(copyTo).toHaveBeenCalledTimes(1)
    expect(await restored()).toEqual(['row 1', 'row 2', 'row 3', 'row 4'])
    ms += day
    await replicator.step()
    expect(copyTo).toHaveBeenCalledTimes(2)
    // The clock was ahead at the last failure, and is right again.
    ms -= hour
    await replicator.step()
    expect(copyTo).toHaveBeenCalledTimes(3)
    copyTo.mockRestore()
    ms += day
    await replicator.step()
    expect(replicator.state.baseProblem).toBeUndefined()
  })

  test('is not begun without free space for it', async () => {
    let free = Number.POSITIVE_INFINITY
    const { replicator } = await start({ ...nodeFiles, freeBytes: async () => free })
    await write('row 1')
    await replicator.step()
    ms += 8 * day
    free = 4096
    const copyTo = vi.spyOn(store, 'copyTo')
    await write('row 2')
    await replicator.step()
    expect(replicator.state.baseProblem?.message).toContain('too little free space')
    expect(replicator.state).toMatchObject({ problem: undefined, seq: store.seq })
    expect(copyTo).not.toHaveBeenCalled()
    free = Number.POSITIVE_INFINITY
    await replicator.step()
    expect(replicator.state.baseProblem).toBeUndefined()
    expect(copyTo).toHaveBeenCalledTimes(1)
  })
})

test('the first base goes on after a restart, and segments are sent beside it', async () => {
  await fill()
  const puts: string[] = []
  let isCut = true
  place.beforePut = (name) => {
    if (isCut && name.includes('/00002-')) throw new PlaceProblem('unreachable', 'The connection was cut.')
    puts.push(name)
  }
  const first = await start()
  await write('row 1')
  await first.replicator.step()
  expect(first.replicator.state.problem?.kind).toBe('unreachable')
  await write('row 2')
  await first.replicator.step()
  // Its journals can go.
  expect(first.replicator.state).toMatchObject({ seq: undefined, journalSeq: store.seq, copiedAt: undefined })
  isCut = false
  const second = await start()
  await second.replicator.step()
  expect(second.replicator.state).toMatchObject({ problem: undefined, seq: store.seq })
  expect(puts.filter((name) => name.includes('/00001-'))).toHaveLength(1)
  expect(await restored()).toEqual(['row 1', 'row 2'])
})

test('a first base whose file has changed on the disk is made anew', async () => {
  await fill()
  let isCut = true
  place.beforePut = (name) => {
    if (isCut && name.includes('/00002-')) throw new PlaceProblem('unreachable', 'The connection was cut.')
  }
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  isCut = false
  const folder = join(dataDir, 'copies')
  const [name = ''] = (await readdir(folder)).filter((each) => each.endsWith('.zst'))
  const bytes = await readFile(join(folder, name))
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100)
  await writeFile(join(folder, name), bytes)
  await replicator.step()
  expect(replicator.state.problem).toBeDefined()
  ms += day
  await replicator.step()
  expect(replicator.state).toMatchObject({ problem: undefined, seq: store.seq })
  expect(await restored()).toEqual(['row 1'])
})

test('changes that this disk has lost are no other computer: they are offered, and copying goes on', async () => {
  const first = await start()
  await write('row 1')
  await first.replicator.step()
  const snapshot = join(root, 'snapshot')
  await cp(dataDir, snapshot, { recursive: true, filter: (path) => !path.endsWith('pds.lock') })
  await write('row 2')
  await write('row 3')
  await first.replicator.step()
  const end = first.replicator.state.copiedAt as Date
  await store.close()

  // The disk has lost what followed.
  await rm(dataDir, { recursive: true })
  await cp(snapshot, dataDir, { recursive: true })
  store = await Database.open({ directory: dataDir, schema, now })
  const second = await start()
  await write('row 4')
  await second.replicator.step()
  expect(second.replicator.state).toMatchObject({ problem: undefined, seq: store.seq, lost: { changes: 2 } })
  expect(second.replicator.state.lost?.until.getTime()).toBeLessThanOrEqual(end.getTime() + 1000)
  expect(await restored()).toEqual(['row 1', 'row 4'])
  const ways = [...waysTo(await readContent({ place, sealer }))]
  const branch = ways.find(
    ({ seq, timeline }) => timeline.name === second.replicator.state.lost?.timeline && seq > 1,
  )
  expect(await restored(branch)).toEqual(['row 1', 'row 2', 'row 3'])

  if (second.replicator.state.lost) await second.timelines.dismiss(second.replicator.state.lost)
  second.replicator.forget()
  await second.replicator.step()
  expect(second.replicator.state).toMatchObject({ problem: undefined, lost: undefined })
  const third = await start()
  await third.replicator.step()
  expect(third.replicator.state).toMatchObject({ problem: undefined, lost: undefined, seq: store.seq })
})

test.each([
  ['that begins with a base', () => ''],
  ['that continues another one', (parent: string) => `-000000000000-${parent}`],
])('a forged second name of a timeline, %s, hides no state of it', async (_, suffix) => {
  const first = await start()
  await write('row 1')
  await first.replicator.step()
  const second = await start()
  await write('row 2')
  await second.replicator.step()
  const { name } = second.timelines.current
  const [lease] = [...place.objects.keys()].filter((each) => each.startsWith(`timelines/${name}-`))
  const bytes = place.objects.get(lease ?? '') as Uint8Array
  const forged = `timelines/${name}${suffix(first.timelines.current.name)}`
  const objects = [...place.objects]
  for (const isFirst of [true, false]) {
    place.objects.clear()
    if (isFirst) place.objects.set(forged, bytes)
    for (const [each, content] of objects) place.objects.set(each, content)
    place.objects.set(forged, bytes)
    expect(await restored()).toEqual(['row 1', 'row 2'])
  }
  await write('row 3')
  second.replicator.forget()
  await second.replicator.step()
  expect(second.replicator.state).toMatchObject({ problem: undefined, seq: store.seq })
  expect(await restored()).toEqual(['row 1', 'row 2', 'row 3'])
  expect([...place.objects.keys()].filter((each) => each.startsWith('bases/'))).toHaveLength(2)
})

test('a step records its timeline in the data folder, although the place is away', async () => {
  const { timelines, replicator } = await start()
  vi.spyOn(place, 'list').mockRejectedValue(new PlaceProblem('unreachable', 'The connection was cut.'))
  vi.spyOn(place, 'get').mockRejectedValue(new PlaceProblem('unreachable', 'The connection was cut.'))
  await replicator.step()
  expect(replicator.state.problem?.kind).toBe('unreachable')
  expect(await readFile(join(dataDir, 'copies', 'timelines.json'), 'utf8')).toContain(timelines.current.name)
})

test('a place that had the copy and is empty gets nothing until the owner permits it', async () => {
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  place.objects.clear()
  replicator.forget()
  await write('row 2')
  await replicator.step()
  expect(replicator.state).toMatchObject({ problem: { kind: 'empty' }, seq: undefined, wholeSeq: undefined })
  expect(place.objects.size).toBe(0)
  await replicator.acceptEmpty()
  await replicator.step()
  expect(replicator.state).toMatchObject({ problem: undefined, seq: store.seq })
  expect(await restored()).toEqual(['row 1', 'row 2'])
})

test('a permission to begin anew ends once the place has the copy again', async () => {
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  const there = new Map(place.objects)
  const step = async () => {
    replicator.forget()
    await replicator.step()
    return replicator.state.problem?.kind
  }
  place.objects.clear()
  expect(await step()).toBe('empty')
  await replicator.acceptEmpty()
  for (const [name, content] of there) place.objects.set(name, content)
  expect(await step()).toBeUndefined()
  place.objects.clear()
  expect(await step()).toBe('empty')
  expect(place.objects.size).toBe(0)
})

test('no transaction is sent to a place that has become empty since it was read', async () => {
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  place.objects.clear()
  await write('row 2')
  await replicator.step()
  expect(replicator.state).toMatchObject({ problem: { kind: 'empty' }, wholeSeq: undefined })
  expect([...place.objects.keys()]).toEqual([])
})

test('a base that is due is not sent to a place that has become empty since it was read', async () => {
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  place.objects.clear()
  await write('row 2')
  replicator.renew()
  await replicator.step()
  expect(replicator.state.problem?.kind).toBe('empty')
  expect([...place.objects.keys()].filter((name) => !name.startsWith('segments/'))).toEqual([])
})

test.each(['bases', 'segments'])('a full place that has lost its %s has not everything', async (kind) => {
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  await write('row 2')
  await replicator.step()
  for (const name of place.objects.keys()) if (name.startsWith(kind)) place.objects.delete(name)
  place.beforePut = (name) => {
    if (/^(bases|segments)/.test(name)) throw new PlaceProblem('full', 'There is no space left.')
  }
  replicator.forget()
  await replicator.step()
  expect(replicator.state).toMatchObject({ problem: { kind: 'full' }, wholeSeq: undefined })
})

test('a place that keeps nothing of what it confirms is a problem as soon as it was read again', async () => {
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  const sizes = new Map<string, number>()
  const { put, size } = { put: place.put.bind(place), size: place.size.bind(place) }
  place.put = async (name, { length }) => void sizes.set(name, length)
  place.size = async (name) => sizes.get(name) ?? size(name)
  await write('row 2')
  await replicator.step()
  for (let reading = 1; reading <= 3; reading++) {
    replicator.forget()
    await replicator.step()
    expect(replicator.state).toMatchObject({ problem: { kind: 'damaged' }, wholeSeq: undefined })
  }
  Object.assign(place, { put, size })
  await replicator.step()
  expect(replicator.state).toMatchObject({ problem: undefined, wholeSeq: store.seq })
  expect(await restored()).toEqual(['row 1', 'row 2'])
})

test('a place that stores less than it says is found out at once', async () => {
  const { replicator } = await start()
  await write('row 1')
  await replicator.step()
  const { copiedAt } = replicator.state
  const put = place.put.bind(place)
  place.put = (name, bytes) => put(name, bytes.subarray(0, 10))
  await write('row 2')
  await replicator.step()
  expect(replicator.state.problem?.kind).toBe('damaged')
  expect(replicator.state.copiedAt).toEqual(copiedAt)
  place.put = put
  await replicator.step()
  expect(replicator.state.problem).toBeUndefined()
  expect(await restored()).toEqual(['row 1', 'row 2'])
})

test('databases that no place needs are removed at the start', async () => {
  const folder = join(dataDir, 'copies')
  for (const name of [
    'known.base.zst',
    'known.base.json',
    'other.base.zst',
    'other.base.json',
    'cut.base.zst',
    'old.zst',
  ]) {
    await writeFile(join(folder, name), 'the database')
  }
  await removeLeftovers(nodeFiles, folder, ['known', 'cut'])
  expect((await readdir(folder)).filter((name) => name.endsWith('.zst'))).toEqual(['known.base.zst'])
})

test('a proof without the disk space that it takes is a problem', async () => {
  let free = Number.POSITIVE_INFINITY
  const files = { ...nodeFiles, freeBytes: async () => free }
  const { replicator } = await start(files)
  await write('row 1')
  await replicator.step()
  free = 4096
  const prover = await createProver({ place, sealer, replicator, store, files, dataDir, now, id: 'place' })
  expect((await prover.prove()).problem).toContain('too little free space')
  expect(prover.proof).toMatchObject({ provenAt: undefined })
  free = Number.POSITIVE_INFINITY
  expect((await prover.prove()).problem).toBeUndefined()
})

test.each(['checkedAt', 'mediaAt'])(
  'a proof of which the disk has damaged %s is made again',
  async (field) => {
    const { replicator } = await start()
    await write('row 1')
    await replicator.step()
    const begin = () =>
      createProver({ place, sealer, replicator, store, files: nodeFiles, dataDir, now, id: 'place' })
    const first = await (await begin()).prove()
    await writeFile(
      join(dataDir, 'copies', 'place.proof.json'),
      JSON.stringify({ ...first, [field]: '2o30-01' }),
    )
    const prover = await begin()
    expect(prover.isDue()).toBe(field === 'checkedAt')
    expect((await prover.prove()).mediaAt).not.toBe('2o30-01')
  },
)

test('a copy that differs from the store at the same transaction is not proven', async () => {
  const { replicator } = await start()
  await write('row 1')
  const other = await mkdtemp(join(root, 'other-'))
  const filter = (path: string) => !path.endsWith('.lock')
  await cp(dataDir, other, { recursive: true, filter })
  const elsewhere = await Database.open({ directory: other, schema, now })
  await elsewhere.transact((tx) => tx.run('INSERT INTO secrets VALUES (?, ?)', ['other', Buffer.from('')]))
  await elsewhere.close()
  await write('row 2')
  await replicator.step()
  const prover = (folder: string) =>
    createProver({ place, sealer, replicator, store, files: nodeFiles, dataDir: folder, now, id: 'place' })
  expect((await (await prover(dataDir)).prove()).problem).toBeUndefined()
  expect((await (await prover(other)).prove()).problem).toContain('differs from the data of this computer')
})
