/** Resident memory: idle, after reads, and during backups that the server makes. */
import { setTimeout } from 'node:timers/promises'
import { watchMemory } from '../blobs.ts'
import { Client } from '../client.ts'
import type { Measured } from '../processes.ts'
import { each, type Figure, type Sides } from './compare.ts'
import { MixedReads, readKinds } from './mixed-reads.ts'

/** Each kind of the mixed reads is read this often for the figure of memory: 2,000 together. */
const memoryRounds = Math.ceil(2000 / readKinds.length)

export async function memory(sides: Sides): Promise<Figure[]> {
  const { small, large } = await each(sides, async (side) => {
    await using server = await side.startWithBackups()
    using client = new Client(server.url)
    await setTimeout(5000)
    const idle = server.residentMegabytes()
    await new MixedReads(side).run(client, memoryRounds)
    const read = server.residentMegabytes()
    const backup = await peakDuring(server, () => side.backUp(server))
    const oneFile = await peakDuring(server, () => side.export(server))
    return { idle, read, backup, oneFile }
  })
  const figure = (title: string, key: keyof typeof small, more: number): Figure => ({
    title: `resident memory ${title}, MB`,
    ...{ small: small[key], large: large[key] },
    limit: { more },
  })
  return [
    figure('idle', 'idle', 60),
    figure('after 2,000 mixed reads', 'read', 100),
    figure('during a backup', 'backup', 120),
    figure('during a one-file backup', 'oneFile', 120),
  ]
}

/** The highest resident memory during some work, in megabytes. */
async function peakDuring(server: Measured, work: () => Promise<void>): Promise<number> {
  const stop = watchMemory('server', server)
  await work()
  return stop()['peak MB']
}
