/** The copies stop in time, also at a folder on a disk that hangs. */
import { expect, test } from 'vitest'
import type { Place } from '../../../../server/operation/replicas/places/place.ts'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import { createReplicas } from '../../../../server/operation/replicas/replicas.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'
import type { Files } from '../../../../server/store/files/files.ts'
import { createLogger } from '../../../../server/util/log.ts'
import { MemoryPlace } from '../../../support/replicas/memory-place.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'

const dataDir = '/data'
const url = 'file:///place'
const now = () => new Date()

/** A place that stops answering, and ignores all signals. */
class HangingPlace extends MemoryPlace {
  #hangsAt: (() => void) | undefined

  /** Resolves with the next request that gets no answer. */
  hangs(): Promise<void> {
    return new Promise((resolve) => {
      this.#hangsAt = resolve
    })
  }

  async #wait(): Promise<void> {
    if (!this.#hangsAt) return
    this.#hangsAt()
    await new Promise(() => {})
  }

  override async list(folder: string) {
    await this.#wait()
    return super.list(folder)
  }

  override async put(name: string, bytes: Uint8Array) {
    await this.#wait()
    return super.put(name, bytes)
  }
}

async function start(place: Place, files: Files = new FaultyDisk().files, urls = [url]) {
  const store = await Database.open({ directory: dataDir, schema, now, files })
  const key = await ReplicaKey.generate()
  const stopping = new AbortController()
  const copies = await createReplicas({
    config: {
      ...{ dataDir, copies: urls, copiesCredentials: undefined, copiesBandwidth: undefined },
      ...{ copiesKeep: 12, copiesMetered: true },
    },
    ...{ store, files, now, log: createLogger('silent'), signal: stopping.signal },
    copiesKeeper: { read: async () => JSON.stringify({ key: key.identity }), write: async () => {} },
    openPlace: async () => place,
  })
  const write = () => store.transact((tx) => tx.run("INSERT INTO secrets VALUES ('one', x'00')"))
  return { store, copies, write, stopping }
}

test('changes that a hanging place does not take stay in the journals, and are no problem of the place', async () => {
  const place = new HangingPlace()
  const { store, copies, write } = await start(place)
  copies.start()
  await copies.flush(60_000)
  const copiedTo = copies.status()[0]?.seq
  const hanging = place.hangs()
  await write()
  void copies.flush(60_000)
  await hanging
  await copies.close(0)
  expect(copies.status()[0]).toMatchObject({ seq: copiedTo, problem: undefined, behind: 1 })
  await store.close()
})

test('a clean-up ends before the last changes are copied', async () => {
  const place = new HangingPlace()
  const { store, copies, stopping } = await start(place)
  await copies.flush(60_000)
  const hanging = place.hangs()
  const cleaning = copies.compact()
  await hanging
  stopping.abort()
  await cleaning
  await copies.close(0)
  await store.close()
})

test('a proof ends although its thread waits for a slow disk, and leaves its files to the next start', async () => {
  const { files } = new FaultyDisk()
  const asked = Promise.withResolvers<void>()
  let isSlow = false
  const removed: string[] = []
  const { store, copies, stopping } = await start(new MemoryPlace(), {
    ...files,
    async *chunks(path, ...range) {
      if (isSlow && path.includes('.proof')) {
        asked.resolve()
        await new Promise(() => {})
      }
      yield* files.chunks(path, ...range)
    },
    removeDir(path) {
      if (isSlow) removed.push(path)
      return files.removeDir(path)
    },
  })
  await copies.flush(60_000)
  isSlow = true
  const proof = copies.prove(url)
  await asked.promise
  stopping.abort()
  await expect(proof).rejects.toThrow('aborted')
  await copies.close(0)
  expect(removed).toEqual([])
  await store.close()
})

test('a start without places removes what a proof left', async () => {
  const { files } = new FaultyDisk()
  await files.makeDir('/data/copies/place.proof')
  const { store, copies } = await start(new MemoryPlace(), files, [])
  expect(await files.list('/data/copies')).toEqual([])
  await copies.close(0)
  await store.close()
})
