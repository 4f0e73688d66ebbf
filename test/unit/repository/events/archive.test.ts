/** Events that are moved from the table to files, read across the boundary, deleted, lost. */
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Files } from '../../../../server/platform/store/files.ts'
import * as removals from '../../../../server/platform/store/tables/event-removals.ts'
import { createEventStream } from '../../../../server/repository/events/stream.ts'
import { FaultyDisk } from '../../platform/store/faulty-disk.ts'
import { ArchivedStore, directory, folder, frameBytes, framesOf } from './archived-store.ts'

const [a, b] = ['did:web:a.test', 'did:web:b.test'] as const
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

/** A disk with an empty store. */
let prepared: FaultyDisk
beforeAll(async () => {
  prepared = new FaultyDisk()
  await prepared.files.makeDir(directory)
  const empty = await new ArchivedStore(prepared).open()
  await empty.store.close()
})

const opened = (files?: (disk: FaultyDisk) => Files) => {
  const disk = prepared.clone()
  return new ArchivedStore(disk).open(files?.(disk))
}

/** Files that run a hook after the next read of a segment, before its content is returned. */
function hookedFiles({ files }: FaultyDisk, hook: { afterRead?: (() => Promise<void>) | undefined }): Files {
  return {
    ...files,
    async read(path) {
      const content = await files.read(path)
      const { afterRead } = hook
      hook.afterRead = undefined
      await afterRead?.()
      return content
    },
  }
}

describe('archiving', () => {
  test('moves the oldest events to files until few are left in the table', async () => {
    const archived = await opened()
    await archived.emit(a, 6)
    await archived.archive.run()
    expect(archived.segments).toEqual([])
    await archived.emit(a, 5)
    await archived.archive.run()
    expect(archived.segments.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual([
      [1, 3],
      [4, 6],
      [7, 9],
    ])
    expect(archived.names.toSorted()).toEqual(archived.segments.map(({ name }) => name).toSorted())
    expect(archived.store.all('SELECT seq FROM events')).toEqual([{ seq: 10 }, { seq: 11 }])
    expect(archived.state).toMatchObject({ bytes: 1100, archivedBytes: 900, lastSeq: 11, outdatedSeq: 0 })
    for (const from of range(0, 11))
      expect(await archived.replay(from)).toEqual(framesOf(a, ...range(from + 1, 11)))
    await archived.store.close()
  })

  test('an event that is larger than a segment is archived alone', async () => {
    const archived = await opened()
    await archived.emit('x'.repeat(500))
    await archived.emit(a, 3)
    await archived.archive.run()
    expect(archived.segments[0]).toMatchObject({ firstSeq: 1, lastSeq: 1 })
    expect(await archived.replay()).toHaveLength(4)
    await archived.store.close()
  })

  test('a segment has a limited number of events', async () => {
    const archived = await opened()
    await archived.emit('', 60)
    await archived.store.transact((tx) => {
      tx.run(`UPDATE events SET frame = x'00'`)
      tx.run('UPDATE event_state SET bytes = 601')
    })
    await archived.archive.run()
    expect(archived.segments[0]).toMatchObject({ firstSeq: 1, lastSeq: 50, bytes: 50 })
    await archived.store.close()
  })

  test('does nothing if all events that are kept fit into the table', async () => {
    const archived = await new ArchivedStore(prepared.clone()).open(undefined, { eventLimit: 600 })
    await archived.emit(a, 12)
    await archived.archive.run()
    expect(archived.segments).toEqual([])
    await archived.store.close()
  })

  test('ends after a segment when the server closes', async () => {
    const archived = await opened((disk) => ({
      ...disk.files,
      create: (path) => {
        archived.stopping.abort()
        return disk.files.create(path)
      },
    }))
    await archived.emit(a, 12)
    await archived.archive.run()
    expect(archived.segments).toHaveLength(1)
    await archived.store.close()
  })
})

describe('on a disk that fails', () => {
  test('a full disk is logged once, and archiving goes on when there is room', async () => {
    let isFull = true
    const archived = await opened((disk) => ({
      ...disk.files,
      create: async (path) => {
        if (isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
        return disk.files.create(path)
      },
    }))
    await archived.emit(a, 8)
    await archived.archive.run()
    await archived.archive.run()
    expect(archived.logged).toHaveLength(1)
    expect(archived.logged[0]).toContain('archiving of events failed')
    expect(await archived.replay()).toHaveLength(8)
    isFull = false
    await archived.archive.run()
    expect(archived.segments).toHaveLength(2)
    isFull = true
    await archived.emit(a, 8)
    await archived.archive.run()
    expect(archived.logged).toHaveLength(2)
    await archived.store.close()
  })

  test('a rejected transaction that is on disk after all loses no event', async () => {
    const disk = prepared.clone()
    let isBroken = false
    const storeFiles: Files = {
      ...disk.files,
      async edit(path) {
        const file = await disk.files.edit(path)
        const refuse = () => {
          if (isBroken) throw Object.assign(new Error('broken'), { code: 'EIO' })
        }
        return {
          ...file,
          sync: () => file.sync().then(refuse),
          truncate: async (length) => {
            refuse()
            await file.truncate(length)
          },
        }
      },
    }
    const archived = await new ArchivedStore(disk).open(undefined, { storeFiles })
    await archived.emit(a, 8)
    isBroken = true
    await archived.archive.run()
    isBroken = false
    expect(archived.segments).toEqual([])
    await archived.archive.sweep()
    disk.kill()
    disk.restart()
    const restarted = await new ArchivedStore(disk).open()
    expect(restarted.segments).toHaveLength(1)
    expect(await restarted.replay()).toEqual(framesOf(a, ...range(1, 8)))
    await restarted.store.close()
  })

  const faults = [
    'kill',
    'power cut',
    'power cut, last kept',
    'power cut, sectors kept',
    'fails',
    'works but fails',
    'torn write',
  ] as const

  /** The events after each step of the story. */
  const states = {
    nothing: [],
    ...Object.fromEntries(range(1, 4).map((n) => [`b${n}`, framesOf(b, ...range(1, n))])),
    ...Object.fromEntries(
      range(5, 9).map((n) => [`a${n}`, [...framesOf(b, 1, 2, 3, 4), ...framesOf(a, ...range(5, n))]]),
    ),
    archived: [...framesOf(b, 1, 2, 3, 4), ...framesOf(a, ...range(5, 9))],
    removed: framesOf(a, ...range(5, 9)),
    rewritten: framesOf(a, ...range(5, 9)),
    ...Object.fromEntries(
      range(10, 12).map((n) => [`b${n}`, [...framesOf(a, ...range(5, 9)), ...framesOf(b, ...range(10, n))]]),
    ),
    pruned: framesOf(b, 10, 11, 12),
  } as Record<string, string[]>
  const steps = Object.keys(states)

  /** Adds and archives events, deletes an account, which comes back, and deletes old events. Returns the last step that succeeded. */
  async function story(archived: ArchivedStore): Promise<string> {
    let acknowledged = 'nothing'
    const did = async (step: string, work: Promise<void>) => {
      await work
      acknowledged = step
    }
    try {
      for (const n of range(1, 4)) await did(`b${n}`, archived.emit(b))
      for (const n of range(5, 9)) await did(`a${n}`, archived.emit(a))
      await did('archived', archived.archive.run())
      await did('removed', archived.removeAccount(b))
      await did('rewritten', archived.archive.run())
      for (const n of range(10, 12)) await did(`b${n}`, archived.emit(b, 1, 5))
      await archived.archive.run()
      await did('pruned', archived.prune(5))
    } catch {
      // The rest of the story does not happen.
    }
    return acknowledged
  }

  /** Checks that all events of a step, or of the next one, are there once, and that rows and files agree. */
  async function expectConsistent(archived: ArchivedStore, acknowledged: string): Promise<void> {
    const now = await archived.replay()
    const before = states[acknowledged] ?? []
    const after = states[steps[steps.indexOf(acknowledged) + 1] ?? acknowledged] ?? []
    // Retention deletes one segment after the other, and keeps those with a newer event.
    const isPartOf = before.length > after.length && steps.indexOf(acknowledged) >= steps.indexOf('b12')
    const expected =
      isPartOf || acknowledged === 'pruned' ? [(states.b12 ?? []).slice(-now.length)] : [before, after]
    expect(expected).toContainEqual(now)
    expect(now.length).toBeGreaterThanOrEqual(Math.min(before.length, after.length))
    await archived.archive.run()
    await archived.archive.sweep()
    expect(await archived.replay()).toEqual(now)
    expect(archived.names.toSorted()).toEqual(archived.segments.map(({ name }) => name).toSorted())
    expect(archived.state.bytes).toBe(now.length * frameBytes)
    expect(archived.state.archivedBytes).toBe(archived.segments.reduce((sum, { bytes }) => sum + bytes, 0))
    if (!now.some((frame) => frame.startsWith(b))) expect(archived.text).not.toContain(b)
    expect(removals.all(archived.store).size).toBe(0)
  }

  test.each(faults)('no event is lost, sent twice or left over after: %s', async (fault) => {
    const complete = await opened()
    const start = complete.disk.operations
    expect(await story(complete)).toBe('pruned')
    const operations = complete.disk.operations - start
    expect(await complete.replay()).toEqual(states.pruned)
    await expectConsistent(complete, 'pruned')
    await complete.store.close()
    const outcomes = new Set<string>()
    for (let operation = 1; operation <= operations; operation++) {
      const failing = await opened()
      failing.disk.failAt(failing.disk.operations + operation, fault)
      const acknowledged = await story(failing)
      outcomes.add(acknowledged)
      const disk = failing.disk.clone()
      disk.restart()
      const restarted = await new ArchivedStore(disk).open()
      await restarted.archive.sweep()
      await expectConsistent(restarted, acknowledged)
      expect(restarted.logged).toEqual([])
      await restarted.store.close()
      if (failing.disk.off) continue
      // The same process after the fault. The first write repairs the journal.
      failing.disk.restart()
      await failing.store.transact((tx) => tx.run('UPDATE event_state SET id = 1'))
      await expectConsistent(failing, acknowledged)
      await failing.store.close()
    }
    expect(outcomes.size).toBeGreaterThan(5)
  })
})

describe('lost files', () => {
  const lose = {
    'is missing': (archived: ArchivedStore, path: string) => archived.disk.files.remove(path),
    'is damaged': async (archived: ArchivedStore, path: string) => {
      archived.disk.content(path).writeUInt8(0, 200)
    },
    'is cut': async (archived: ArchivedStore, path: string) => {
      archived.disk.put(path, archived.disk.content(path).subarray(0, 200))
    },
  }

  test.each(Object.entries(lose))(
    'events of a file that %s are left out, and count as outdated',
    async (_, loseFile) => {
      const archived = await opened()
      await archived.emit(a, 12)
      await archived.archive.run()
      const lost = archived.segments[1]
      await loseFile(archived, join(folder, lost?.name ?? ''))
      const replays = await Promise.all([archived.replay(), archived.replay(1)])
      expect(replays).toEqual([framesOf(a, 1, 2, 3, ...range(7, 12)), framesOf(a, 2, 3, ...range(7, 12))])
      expect(archived.state).toMatchObject({ bytes: 900, archivedBytes: 600, outdatedSeq: 6 })
      expect(archived.logged).toHaveLength(1)
      expect(archived.logged[0]).toContain(lost?.name)
      expect(archived.names).toHaveLength(2)
      await archived.store.close()
    },
  )

  test('files without a row and rows without a file are deleted by a sweep; other files are kept', async () => {
    const archived = await opened()
    await archived.emit(a, 12)
    await archived.archive.run()
    const names = archived.names.toSorted()
    for (const name of ['0'.repeat(64), `${'1'.repeat(64)}.tmp`, 'notes.txt'])
      archived.disk.put(join(folder, name), Buffer.from('left over'))
    await archived.archive.sweep()
    expect(archived.names.toSorted()).toEqual([...names, 'notes.txt'])
    expect(archived.logged).toEqual([])
    for (const name of names) await archived.disk.files.remove(join(folder, name))
    await archived.archive.sweep()
    expect(archived.segments).toEqual([])
    expect(archived.state).toMatchObject({ archivedBytes: 0, outdatedSeq: 9 })
    expect(archived.logged).toHaveLength(3)
    expect(await archived.replay()).toEqual(framesOf(a, 10, 11, 12))
    await archived.store.close()
  })
})

describe('deletion of an account', () => {
  test('readers leave its events out at once; a run deletes them from the files', async () => {
    const archived = await opened()
    for (const did of [a, b, a, b]) await archived.emit(did, 3)
    await archived.archive.run()
    await archived.removeAccount(b)
    const left = framesOf(a, 1, 2, 3, 7, 8, 9)
    expect(await archived.replay()).toEqual(left)
    expect(archived.text).toContain(b)
    const { outdatedSeq } = archived.state
    await archived.archive.run()
    expect(await archived.replay()).toEqual(left)
    expect(archived.text).not.toContain(b)
    expect(archived.text).toContain(a)
    expect(archived.state).toMatchObject({ bytes: 600, archivedBytes: 600, outdatedSeq })
    expect(removals.all(archived.store).size).toBe(0)
    await archived.store.close()
  })

  test('events after the deletion, by the same DID, are kept', async () => {
    const archived = await opened()
    await archived.emit(b, 8)
    await archived.archive.run()
    await archived.removeAccount(b)
    await archived.emit(b, 7)
    expect(await archived.replay()).toEqual(framesOf(b, ...range(9, 15)))
    await archived.archive.run()
    expect(archived.segments.length).toBeGreaterThan(0)
    expect(await archived.replay()).toEqual(framesOf(b, ...range(9, 15)))
    await archived.removeAccount(b)
    await archived.archive.run()
    expect(archived.names).toEqual([])
    await archived.store.close()
  })

  test('events after the deletion are kept even if they are archived first', async () => {
    let isUnreadable = false
    const archived = await opened((disk) => ({
      ...disk.files,
      read: async (path) => {
        if (isUnreadable) throw Object.assign(new Error('unreadable'), { code: 'EIO' })
        return disk.files.read(path)
      },
    }))
    await archived.emit(b, 8)
    await archived.archive.run()
    await archived.removeAccount(b)
    await archived.emit(b, 7)
    isUnreadable = true
    await archived.archive.run()
    expect(archived.logged).toHaveLength(1)
    expect(archived.segments.map(({ firstSeq }) => firstSeq)).toEqual([1, 4, 9])
    isUnreadable = false
    expect(await archived.replay()).toEqual(framesOf(b, ...range(9, 15)))
    await archived.removeAccount(a)
    await archived.archive.run()
    expect(await archived.replay()).toEqual(framesOf(b, ...range(9, 15)))
    expect(archived.segments.map(({ firstSeq }) => firstSeq)).toEqual([9])
    await archived.store.close()
  })

  test('events that are being archived at that moment are not', async () => {
    let remove: (() => Promise<void>) | undefined
    const archived = await opened((disk) => ({
      ...disk.files,
      async create(path) {
        await remove?.()
        remove = undefined
        return disk.files.create(path)
      },
    }))
    await archived.emit(a)
    await archived.emit(b, 8)
    remove = () => archived.removeAccount(b)
    await archived.archive.run()
    expect(archived.text).not.toContain(b)
    expect(await archived.replay()).toEqual(framesOf(a, 1))
    expect(archived.state.bytes).toBe(frameBytes)
    await archived.store.close()
  })
})

describe('a reader whose segment changes while it reads the file', () => {
  const hook: { afterRead?: (() => Promise<void>) | undefined } = {}
  async function archivedEvents(): Promise<ArchivedStore> {
    const archived = await opened((disk) => hookedFiles(disk, hook))
    for (const did of [b, a, b, a]) {
      await archived.emit(did, 1)
      await archived.emit(a, 2)
    }
    await archived.archive.run()
    return archived
  }

  test('gets no events of an account that is deleted', async () => {
    const archived = await archivedEvents()
    hook.afterRead = async () => {
      await archived.removeAccount(b)
      await archived.archive.run()
      expect(removals.all(archived.store).size).toBe(0)
    }
    expect(await archived.replay()).toEqual(framesOf(a, ...range(2, 6), ...range(8, 12)))
    await archived.store.close()
  })

  test('continues with the next event after retention', async () => {
    const archived = await archivedEvents()
    hook.afterRead = () => archived.prune(0, 700)
    expect(await archived.replay()).toHaveLength(6)
    expect(archived.logged).toEqual([])
    await archived.store.close()
  })

  test('gets events once that are archived meanwhile', async () => {
    const archived = await archivedEvents()
    const before = archived.segments.length
    hook.afterRead = async () => {
      await archived.emit(a, 5)
      await archived.archive.run()
    }
    expect((await archived.replay()).map((frame) => frame.split(' ')[1])).toEqual(range(1, 17).map(String))
    expect(archived.segments.length).toBeGreaterThan(before)
    await archived.store.close()
  })
})

test('a consumer that replays while events are archived gets each one once, in order', async () => {
  const archived = await opened()
  await archived.emit(a, 5)
  const { store, eventLog } = archived
  const onFault = (error: unknown) => {
    throw error
  }
  const stream = createEventStream({ store, eventLog, onFault })
  const consumer = new AbortController()
  const seen: string[] = []
  const connection = { network: '', signal: consumer.signal, end: onFault }
  for await (const frame of stream.read(0, connection)) {
    seen.push(
      Buffer.from(frame as Uint8Array)
        .toString()
        .trimEnd(),
    )
    // Twice as fast as the consumer reads, at first.
    if (seen.length < 20) await archived.emit(a, 2)
    await archived.archive.run()
    if (seen.length === archived.state.lastSeq) consumer.abort()
  }
  expect(seen).toEqual(framesOf(a, ...range(1, archived.state.lastSeq)))
  expect(archived.segments.length).toBeGreaterThan(10)
  await store.close()
})

test('retention deletes whole segments, the oldest first, and then rows', async () => {
  const archived = await opened()
  await archived.emit(a, 6, 1)
  await archived.emit(a, 6, 2)
  await archived.archive.run()
  expect(archived.segments).toHaveLength(3)
  await archived.prune(2)
  expect(archived.segments.map(({ firstSeq }) => firstSeq)).toEqual([7])
  expect(archived.state).toMatchObject({ bytes: 600, archivedBytes: 300, outdatedSeq: 6 })
  await archived.prune(2, 500)
  expect(archived.segments).toEqual([])
  expect(await archived.replay()).toEqual(framesOf(a, 10, 11, 12))
  await archived.prune(2, 250)
  expect(await archived.replay()).toEqual(framesOf(a, 11, 12))
  expect(archived.state).toMatchObject({ bytes: 200, archivedBytes: 0, outdatedSeq: 10 })
  expect(archived.names).toEqual([])
  await archived.store.close()
})

test('retention deletes no row while older events are in files, also after the clock was set back', async () => {
  const archived = await opened()
  await archived.emit(a, 6, 10)
  await archived.emit(a, 6, 1)
  await archived.archive.run()
  await archived.prune(5)
  expect(await archived.replay()).toEqual(framesOf(a, ...range(1, 12)))
  await archived.prune(11)
  expect(await archived.replay()).toEqual([])
  await archived.store.close()
})
