/** The limit of what is downloaded from other servers in a day. */
import { expect, test } from 'vitest'
import { createDownloadBudget } from '../../../server/remote/download-budget.ts'
import { day, TestClock } from '../../support/clock.ts'

test('1 GB from one host and 2 GB from all are downloaded in a day', async () => {
  const clock = new TestClock()
  const budget = createDownloadBudget(clock.now)
  const download = async (host: string, bytes: number) => {
    // A body as large as the limit would take its memory.
    const body = (async function* () {
      yield { length: bytes } as Uint8Array
    })()
    for await (const _ of budget.count(host, body));
  }
  await download('https://a.example', 9e8)
  await expect(download('https://a.example', 2e8)).rejects.toThrow('limit of downloads')
  await download('https://a.example', 1e8)
  await download('https://b.example', 8e8)
  await expect(download('https://c.example', 3e8)).rejects.toThrow('limit of downloads')
  clock.advance(day)
  await download('https://a.example', 1e9)
})
