/** The pages that a salvage gets from a place. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { PlaceProblem } from '../../../../server/operation/replicas/places/place.ts'
import { replicaPages } from '../../../../server/operation/replicas/replica-pages.ts'
import type { Replicator } from '../../../../server/operation/replicas/replicator.ts'
import type { Sealer } from '../../../../server/operation/replicas/sealer.ts'
import type { Database } from '../../../../server/store/database.ts'
import { closeFile } from '../../../../server/store/pages/database-file.ts'
import { MemoryPlace } from '../../../support/replicas/memory-place.ts'
import { insert, replicatorOf, setupStore } from '../../../support/replicas/replicator.ts'

let scratch: string
let store: Database
let sealer: Sealer
let place: MemoryPlace
let replicator: Replicator
let ms = Date.UTC(2030, 0, 1)
const now = () => new Date(ms++)

const own = setupStore(now)
/** A place with one base after row 1, another after row 3, and segments. */
beforeEach(async () => {
  ;({ store, sealer } = own)
  const { dataDir } = own
  scratch = join(dataDir, 'scratch')
  place = new MemoryPlace()
  replicator = await replicatorOf({ store, dataDir, now, place, sealer })
  for (const text of ['row 1', 'row 2']) await copy(text)
  replicator.renew()
  for (const text of ['row 3', 'row 4']) await copy(text)
})

/** Writes a row, and copies it. */
async function copy(text: string): Promise<void> {
  await insert(store, text)
  await replicator.step()
  expect(replicator.state.problem).toBeUndefined()
}

const source = () => replicaPages({ place, sealer })
const named = (prefix: string) => [...place.objects.keys()].filter((name) => name.startsWith(prefix)).sort()
const partsOfBases = () => named('bases/').filter((name) => !name.endsWith('/end'))

function damage(name = ''): void {
  const bytes = Buffer.from(place.objects.get(name) ?? [])
  bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1
  place.objects.set(name, bytes)
}

/** Returns the newest row of each version of the page that has them, as the source yields them. */
async function versions(): Promise<string[]> {
  const found: string[] = []
  const all = Array.from({ length: 200 }, (_, index) => index + 1)
  for await (const [, page] of source().pages(all, scratch)) {
    const rows =
      Buffer.from(page)
        .toString('latin1')
        .match(/row \d/g) ?? []
    if (rows.length > 0) found.push(rows.toSorted().at(-1) as string)
  }
  expect(await readdir(scratch).catch(() => [])).toEqual([])
  return [...new Set(found)]
}

test('each page comes as the newest base has it and as later journals left it, then from older bases', async () => {
  expect(await versions()).toEqual(['row 3', 'row 4', 'row 1', 'row 2'])
})

test('a damaged segment leaves the pages of the base', async () => {
  damage(named('segments/').at(-1))
  expect(await versions()).toContain('row 3')
  expect(await versions()).not.toContain('row 4')
})

test('a damaged base leaves the older one and what follows that', async () => {
  damage(partsOfBases().at(-1))
  expect(await versions()).toEqual(['row 1', 'row 2', 'row 3', 'row 4'])
  const opened = await source().newest?.(scratch)
  expect(opened?.seq).toBe(store.seq)
  if (opened) await closeFile(opened)
})

test('a place that does not respond is an error, not a place without the page', async () => {
  place.get = async () => {
    throw new PlaceProblem('unreachable', 'There is no answer.')
  }
  await expect(versions()).rejects.toThrow('There is no answer.')
  await expect(source().newest?.(scratch)).rejects.toThrow('There is no answer.')
})
