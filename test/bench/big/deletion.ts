/** Other requests while an account with many records is deleted. The data do not have the account afterwards. */
import { join } from 'node:path'
import { Client } from '../client.ts'
import { adminAuth, type BenchAccount } from '../operations.ts'
import type { LoopDelay } from '../probe.ts'
import { keepProbing } from '../probing.ts'
import { each, type Figure, type Sides } from './compare.ts'
import { MixedReads } from './mixed-reads.ts'

export async function deletion(sides: Sides): Promise<Figure[]> {
  const { small, large } = await each(sides, async (side) => {
    await using server = await side.start(['--import', join(import.meta.dirname, '../probe.ts')])
    using client = new Client(server.url)
    using otherClient = new Client(server.url)
    const [other] = side.accounts as [BenchAccount]
    using readClient = new Client(server.url)
    const mixed = new MixedReads(side)
    await mixed.run(readClient, 20)
    await server.ask('start')
    const probing = keepProbing(otherClient, other)
    const { did, records } = side.data.large
    const begin = performance.now()
    let isDeleted = false
    const deleted = client.post('/xrpc/com.core.admin.deleteAccount', { did }, adminAuth).finally(() => {
      isDeleted = true
    })
    const times: number[] = []
    while (!isDeleted) times.push(...[...(await mixed.run(readClient, 1)).values()].flat())
    await deleted
    const seconds = (performance.now() - begin) / 1000
    const { reads, writes } = await probing.stop()
    times.push(...reads, ...writes)
    const loop = await server.ask<LoopDelay>('end')
    console.log(
      `${side.label}: account with ${records} records deleted in ${Math.round(seconds)} s, beside ${times.length} requests; a timer was late by ${Math.round(loop.longest)} ms at most, with ${Math.round(loop.cpu)} ms of CPU time`,
    )
    return Math.max(...times)
  })
  return [{ title: 'longest request while an account is deleted, ms', small, large, limit: { most: 50 } }]
}
