/** Start after a clean stop and after a kill, and quit. */
import { setTimeout } from 'node:timers/promises'
import { Client } from '../client.ts'
import { timed } from '../latency.ts'
import { alternating, each, type Figure, type Sides } from './compare.ts'
import type { Side } from './side.ts'

/** From the start of the process to its first answer, in milliseconds. */
async function startTime(side: Side): Promise<number> {
  const begin = performance.now()
  await using server = await side.start()
  using client = new Client(server.url)
  await client.get('/xrpc/com.core.server.describeServer')
  return performance.now() - begin
}

export async function start(sides: Sides): Promise<Figure[]> {
  const clean = await alternating(sides, 5, startTime)
  const killed = await each(sides, async (side) => {
    await using server = await side.start()
    let killing: Promise<void> | undefined
    const { posts, journalBytes } = await side.postUntilCheckpoint(server, () => {
      killing = server.kill()
    })
    await killing
    const left = Math.round(side.journals().bytes / 1e6)
    console.log(
      `${side.label}: killed when a checkpoint began after ${posts} posts and ${Math.round(journalBytes / 1e6)} MB of journal; ${left} MB are left`,
    )
    return startTime(side)
  })
  return [
    { title: 'start to the first answer, ms', ...clean, limit: { more: 300 } },
    { title: 'start after a kill with a full journal, ms', ...killed, limit: { more: 2000 } },
  ]
}

export async function quit(sides: Sides): Promise<Figure[]> {
  const quits = await alternating(sides, 3, async (side) => {
    const server = await side.start()
    using client = new Client(server.url)
    await setTimeout(1000)
    await side.post(client)
    return timed(() => server[Symbol.asyncDispose]())
  })
  return [{ title: 'quit after one write, ms', ...quits, limit: { more: 300 } }]
}
