/** Calls of another account during a measurement: one read and one write, again and again. */
import { setTimeout } from 'node:timers/promises'
import type { Client } from './client.ts'
import { timed } from './latency.ts'
import type { BenchAccount } from './operations.ts'

/** Milliseconds of each call. */
export interface Times {
  readonly reads: number[]
  readonly writes: number[]
}

export async function probe(
  client: Client,
  account: BenchAccount,
  rounds: number,
  times?: Times,
): Promise<void> {
  const { did, accessJwt } = account
  const input = { repo: did, collection: 'org.example.note', record: { text: 'A note.' } }
  for (let i = 0; i < rounds; i++) {
    const read = await timed(() => client.get('/xrpc/com.core.server.getSession', accessJwt))
    const write = await timed(() => client.post('/xrpc/com.core.repo.createRecord', input, accessJwt))
    times?.reads.push(read)
    times?.writes.push(write)
  }
}

/** Reads and writes, one after the other, until it is stopped. */
export function keepProbing(client: Client, account: BenchAccount) {
  const times: Times = { reads: [], writes: [] }
  let isStopped = false
  const running = (async () => {
    while (!isStopped) {
      await probe(client, account, 1, times)
      await setTimeout(10)
    }
  })()
  return {
    async stop(): Promise<Times> {
      isStopped = true
      await running
      return times
    },
  }
}
