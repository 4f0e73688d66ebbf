/** A fault of the place at every operation of a copy: nothing is called copied that does not come back, and the next step repairs it. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assemble, databasePath } from '../../../../server/operation/replicas/assemble.ts'
import { findChain } from '../../../../server/operation/replicas/bring-back.ts'
import { type Place, PlaceProblem } from '../../../../server/operation/replicas/places/place.ts'
import { fetchChain } from '../../../../server/operation/replicas/receive.ts'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import type { Replicator } from '../../../../server/operation/replicas/replicator.ts'
import { createSealer, type Sealer } from '../../../../server/operation/replicas/sealer.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'
import { nodeFiles as files } from '../../../../server/store/files/files.ts'
import { keptJournals } from '../../../../server/store/journal/retire.ts'
import { closeFile, openChecked } from '../../../../server/store/pages/database-file.ts'
import { replicatorOf } from '../../../support/replicas/replicator.ts'

const faults = ['fails', 'works but fails', 'stores half and fails', 'stores half', 'lists less'] as const
type Fault = (typeof faults)[number]

/** Keeps objects in memory. One operation has a fault. */
class FaultyPlace implements Place {
  readonly objects = new Map<string, Uint8Array>()
  /** What was done. */
  readonly history: string[] = []
  #fault: { readonly at: number; readonly fault: Fault } | undefined

  failAt(at: number | undefined, fault: Fault = 'fails'): void {
    this.#fault = at === undefined ? undefined : { at, fault }
  }

  list(folder: string) {
    return this.#attempt(`list ${folder}`, (fault) => {
      const start = folder === '' ? '' : `${folder}/`
      const entries = new Map<string, number | undefined>()
      for (const [name, { length }] of this.objects) {
        if (!name.startsWith(start)) continue
        const [first = '', ...rest] = name.slice(start.length).split('/')
        entries.set(first, rest.length > 0 ? undefined : length)
      }
      const listed = [...entries].map(([name, bytes]) => ({ name, bytes }))
      return fault === 'lists less' ? listed.slice(0, -1) : listed
    })
  }

  get(name: string) {
    return this.#attempt(`get ${name}`, () => this.objects.get(name))
  }

  size(name: string) {
    return this.#attempt(`size ${name}`, () => this.objects.get(name)?.length)
  }

  put(name: string, bytes: Uint8Array) {
    return this.#attempt(`put ${name}`, (fault) => {
      const isHalf = fault === 'stores half' || fault === 'stores half and fails'
      this.objects.set(name, isHalf ? bytes.subarray(0, bytes.length / 2) : bytes)
    })
  }

  remove(name: string) {
    return this.#attempt(`remove ${name}`, () => void this.objects.delete(name))
  }

  async #attempt<T>(operation: string, work: (fault?: Fault) => T): Promise<T> {
    this.history.push(operation)
    const fault = this.#fault?.at === this.history.length ? this.#fault.fault : undefined
    const problem = new PlaceProblem('unreachable', 'There is no answer.')
    if (fault === 'fails') throw problem
    const result = work(fault)
    if (fault === 'works but fails' || fault === 'stores half and fails') throw problem
    return result
  }
}

let root: string
let store: Database
let sealer: Sealer
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-copy-faults-'))
  const directory = join(root, 'data')
  await mkdir(keptJournals(directory), { recursive: true })
  store = await Database.open({ directory, schema, now: () => new Date() })
  sealer = createSealer(await ReplicaKey.generate())
})
afterAll(async () => {
  await sealer.end()
  await store.close()
  await rm(root, { recursive: true })
})

let ms = Date.UTC(2030, 0, 1)
const now = () => new Date(ms++)
const written: string[] = []

async function write(): Promise<void> {
  const name = `row ${String(written.length).padStart(6, '0')}`
  await store.transact((tx) => tx.run('INSERT INTO secrets VALUES (?, ?)', [name, Buffer.from(name)]))
  written.push(name)
}

async function copierTo(place: Place): Promise<Replicator> {
  return replicatorOf({ store, files, dataDir: join(root, 'data'), now, place, sealer })
}

/** Returns the rows that come back from a place; undefined if it has no whole database. */
async function restored(objects: ReadonlyMap<string, Uint8Array>): Promise<string[] | undefined> {
  const place = new FaultyPlace()
  for (const [name, bytes] of objects) place.objects.set(name, bytes)
  const target = { place, sealer }
  const chain = await findChain(target).catch(() => undefined)
  if (!chain) return undefined
  const folder = await mkdtemp(join(root, 'restored-'))
  await fetchChain(target, chain, { files, folder })
  await assemble(files, folder, chain)
  const opened = await openChecked(files, databasePath(folder))
  try {
    const rows = opened.sqlite.all<{ name: string }>(`SELECT name FROM secrets WHERE name LIKE 'row %'`)
    return rows.map(({ name }) => name).toSorted()
  } finally {
    await closeFile(opened)
    await rm(folder, { recursive: true })
  }
}

/** A base, then two segments. Calls `afterStep` each time. */
async function copyThreeTimes(replicator: Replicator, afterStep = async () => {}): Promise<void> {
  for (let time = 0; time < 3; time++) {
    await write()
    // As the place is read again after a while.
    if (time === 2) replicator.forget()
    await replicator.step()
    await afterStep()
  }
}

describe.each(faults)('an operation of the place %s', (fault) => {
  test('what is called copied comes back, and the next steps repair the rest', async () => {
    const whole = new FaultyPlace()
    await copyThreeTimes(await copierTo(whole))
    const isOther = (operation: string) => /^list media\/[1-9a-f]/.test(operation)
    const isPossible = (operation: string) =>
      fault === 'lists less'
        ? operation.startsWith('list')
        : !fault.startsWith('stores') || operation.startsWith('put')
    for (const [index, operation] of whole.history.entries()) {
      if (isOther(operation) || !isPossible(operation)) continue
      const place = new FaultyPlace()
      place.failAt(index + 1, fault)
      const replicator = await copierTo(place)
      const where = `${operation} (${index + 1})`
      await copyThreeTimes(replicator, async () => {
        const { problem } = replicator.state
        expect(problem?.kind, where).not.toBe('elsewhere')
        const rows = (await restored(place.objects)) ?? []
        expect(rows, where).toEqual(written.slice(0, rows.length))
        if (!problem) expect(rows.length, where).toBe(written.length)
      })
      place.failAt(undefined)
      replicator.forget()
      await replicator.step()
      expect(replicator.state.problem, where).toBeUndefined()
      expect(await restored(place.objects), where).toEqual(written)
    }
  })
})

test('a clock that is an hour back or ahead changes nothing', async () => {
  const place = new FaultyPlace()
  const replicator = await copierTo(place)
  for (const change of [0, -3_600_000, 7_200_000, -3_600_000]) {
    ms += change
    await copyThreeTimes(replicator)
    expect(replicator.state.problem).toBeUndefined()
    expect(await restored(place.objects)).toEqual(written)
  }
})

test('an object that is deleted later is sent again, or a new database is', async () => {
  const whole = new FaultyPlace()
  await copyThreeTimes(await copierTo(whole))
  for (const name of whole.objects.keys()) {
    const place = new FaultyPlace()
    for (const [other, bytes] of whole.objects) if (other !== name) place.objects.set(other, bytes)
    const rows = (await restored(place.objects)) ?? []
    expect(rows, name).toEqual(written.slice(0, rows.length))
    const replicator = await copierTo(place)
    await replicator.step()
    expect(replicator.state.problem, name).toBeUndefined()
    expect(await restored(place.objects), name).toEqual(written)
  }
})
