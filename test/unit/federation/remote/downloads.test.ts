/** The limit of downloads from other servers per day. */
import { expect, test } from 'vitest'
import { createDownloads } from '../../../../server/federation/remote/limits/downloads.ts'
import { day, TestClock } from '../../../support/server/clock.ts'

test('a host gets a quarter of what is left of the 2 GB of a day', async () => {
  const clock = new TestClock()
  const downloads = createDownloads(clock.now)
  const download = async (host: string, bytes: number) => {
    // A body as large as the limit would take its memory.
    const body = (async function* () {
      yield { length: bytes } as Uint8Array
    })()
    for await (const _ of downloads.count(host, body));
  }
  await download('https://a.example', 4e8)
  await expect(download('https://a.example', 2e8)).rejects.toThrow('limit of downloads')
  // Hosts that take all they can leave something for others.
  for (let n = 0; n < 8; n++) {
    for (let mb = 500; mb >= 1; mb /= 2) await download(`https://h${n}.example`, mb * 1e6).catch(() => {})
  }
  await download('https://b.example', 2e7)
  clock.advance(day)
  await download('https://a.example', 4e8)
})

test('a host that sends slowly for a minute is given up', async () => {
  const clock = new TestClock()
  let ms = 0
  const downloads = createDownloads(clock.now, () => ms)
  async function* body(bytes: number) {
    for (let n = 0; n < 10; n++) {
      ms += 29_000
      yield new Uint8Array(bytes)
    }
  }
  let received = 0
  const download = async (bytes: number) => {
    for await (const chunk of downloads.count('https://a.example', body(bytes))) received += chunk.length
  }
  await expect(download(16_384)).rejects.toThrow('sends too slowly')
  expect(received).toBe(2 * 16_384)
  await download(1_000_000)
})
