/** Pictures whose thread takes too long, because the machine is busy: the same picture is tried twice. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createThumbnails } from '../../../../server/repository/blobs/thumbnails/thumbnails.ts'
import * as blobs from '../../../../server/repository/tables/blobs.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { blobOf } from '../../../support/records/blobs.ts'
import { noise } from '../../../support/records/pictures.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pds-test-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

const onUnloadable = (error: Error) => server.running.services.log.error(error)

async function pictureOf(bytes: Buffer) {
  const { ref } = await blobOf(server, alice, bytes)
  const picture = blobs.find(server.running.services.store, alice.did, ref.$link)
  if (!picture) throw new Error('The picture was not stored')
  return picture
}

/** Looks a picture up as often as there are time limits, each time after a start. Returns whether there was a thumbnail. */
async function attempts(width: number, ...limits: number[]): Promise<boolean[]> {
  const { store, log } = server.running.services
  const bytes = noise(width, 300)
  const picture = await pictureOf(bytes)
  const found: boolean[] = []
  for (const timeMs of limits) {
    const signal = new AbortController().signal
    const thumbnails = createThumbnails({
      ...{ store, log, signal, files: nodeFiles, dataDir, onUnloadable, timeMs },
    })
    async function* read() {
      yield bytes
    }
    found.push((await thumbnails.find(picture, 'feed_thumbnail', read)) !== undefined)
  }
  return found
}

test('a picture that took too long once is tried again', async () => {
  expect(await attempts(400, 0, 60_000)).toEqual([false, true])
})

test('a picture that took too long twice is not tried again', async () => {
  expect(await attempts(500, 0, 0, 60_000)).toEqual([false, false, false])
})

test('a picture that waits too long behind another one is sent as it is, and made when it is asked for again', async () => {
  const { store, log } = server.running.services
  const signal = new AbortController().signal
  const thumbnails = createThumbnails({
    ...{ store, log, signal, files: nodeFiles, dataDir, onUnloadable, waitingMs: 0 },
  })
  const [slow, other] = [noise(410, 300), noise(420, 300)]
  const [slowPicture, otherPicture] = [await pictureOf(slow), await pictureOf(other)]
  const reading = Promise.withResolvers<void>()
  const arrival = Promise.withResolvers<void>()
  const first = thumbnails.find(slowPicture, 'feed_thumbnail', async function* () {
    reading.resolve()
    await arrival.promise
    yield slow
  })
  await reading.promise
  const find = () =>
    thumbnails.find(otherPicture, 'feed_thumbnail', async function* () {
      yield other
    })
  expect(await find()).toBeUndefined()
  arrival.resolve()
  expect(await first).toMatchObject({ mimeType: 'image/webp' })
  expect(await find()).toMatchObject({ mimeType: 'image/webp' })
})

test('a picture waits ten seconds for its turn', async () => {
  const { store, log } = server.running.services
  const signal = new AbortController().signal
  const thumbnails = createThumbnails({ store, log, signal, files: nodeFiles, dataDir, onUnloadable })
  const bytes = noise(430, 300)
  const picture = await pictureOf(bytes)
  const timeout = vi.spyOn(AbortSignal, 'timeout')
  onTestFinished(() => timeout.mockRestore())
  await thumbnails.find(picture, 'feed_thumbnail', async function* () {
    yield bytes
  })
  expect(timeout.mock.calls).toEqual([[10_000]])
})
