/** Pictures whose thread takes too long, because the machine is busy. */
import { beforeEach, expect, test, vi } from 'vitest'
import * as foreignBytes from '../../../server/platform/util/foreign-bytes.ts'
import { blobOf, download } from '../../support/blobs.ts'
import { noise } from '../../support/pictures.ts'
import { owner as alice, server, setupServer } from '../../support/setup.ts'

vi.mock('../../../server/platform/util/foreign-bytes.ts', async (original) => {
  const module = await original<typeof foreignBytes>()
  return { ...module, readForeignBytes: vi.fn(module.readForeignBytes) }
})

setupServer({ accounts: ['alice'] })

const read = vi.mocked(foreignBytes.readForeignBytes)
const late = () => Promise.reject(new foreignBytes.LimitExceeded('thumbnail', 'timeMs'))
beforeEach(() => {
  read.mockClear()
})

/** Returns the media types of the thumbnail, asked for several times. */
async function thumbnails(width: number, times: number): Promise<(string | null)[]> {
  const blob = await blobOf(server, alice, noise(width, 300))
  const record = { repo: alice.did, collection: 'org.example.thing', record: { blob }, validate: false }
  await server.post('com.core.repo.createRecord', record, alice)
  const types: (string | null)[] = []
  for (let time = 0; time < times; time++) {
    const response = await download(server, alice.did, `${blob.ref.$link}&preset=feed_thumbnail`)
    types.push(response.headers.get('content-type'))
  }
  return types
}

test('a picture that took too long once is tried again', async () => {
  read.mockImplementationOnce(late)
  expect(await thumbnails(400, 2)).toEqual(['image/png', 'image/webp'])
})

test('a picture that took too long twice is not tried again', async () => {
  read.mockImplementationOnce(late).mockImplementationOnce(late)
  expect(await thumbnails(500, 3)).toEqual(['image/png', 'image/png', 'image/png'])
  expect(read).toHaveBeenCalledTimes(2)
})
