/** Writes of one client: alone, during a checkpoint, during a backup, and the bytes on disk of each. */
import { Client } from '../client.ts'
import { summary, timed } from '../latency.ts'
import type { Measured } from '../processes.ts'
import { median } from '../statistics.ts'
import { alternating, each, type Figure, type Sides } from './compare.ts'
import type { Side } from './side.ts'

const writeRounds = 20
const writesEach = 20

export async function writes(sides: Sides): Promise<Figure[]> {
  await using smallServer = await sides.small.startWithBackups()
  await using largeServer = await sides.large.startWithBackups()
  const serverOf = (side: Side) => (side === sides.small ? smallServer : largeServer)
  const post = async (side: Side) => {
    using client = new Client(serverOf(side).url)
    const times: number[] = []
    for (let i = 0; i < writesEach; i++) times.push(await timed(() => side.post(client)))
    return median(times)
  }
  await alternating(sides, writeRounds / 4, post)
  const quiet = await alternating(sides, writeRounds, post)
  const checkpointing = await each(sides, async (side) => {
    const { posts } = await side.postUntilCheckpoint(serverOf(side))
    const times = await postWhile(side, serverOf(side), () => side.isCheckpointing)
    console.log(
      `${side.label}: checkpoint after ${posts} posts; ${times.length} posts were written during it`,
    )
    return summary(times).p99
  })
  const backingUp = await each(sides, async (side) => {
    let isRunning = true
    const backup = side.backUp(serverOf(side)).finally(() => {
      isRunning = false
    })
    const times = await postWhile(side, serverOf(side), () => isRunning)
    await backup
    console.log(`${side.label}: ${times.length} posts were written during a backup`)
    return summary(times).p99
  })
  return [
    { title: 'createRecord, median, ms', ...quiet, limit: { times: 1.2 } },
    { title: 'createRecord during a checkpoint, p99, ms', ...checkpointing, limit: { most: 25 } },
    { title: 'createRecord during a backup, p99, ms', ...backingUp, limit: { most: 25 } },
  ]
}

/** Writes posts, one after the other, at least one. @returns the milliseconds of each */
async function postWhile(side: Side, { url }: Measured, condition: () => boolean): Promise<number[]> {
  using client = new Client(url)
  const times: number[] = []
  do times.push(await timed(() => side.post(client)))
  while (condition())
  return times
}

export async function disk(sides: Sides): Promise<Figure[]> {
  const written = await each(sides, async (side) => {
    await using server = await side.start()
    const checkpoint = async () => {
      const { posts } = await side.postUntilCheckpoint(server)
      const during = await postWhile(side, server, () => side.isCheckpointing)
      return posts + during.length
    }
    // From the end of a checkpoint to the end of the next one.
    await checkpoint()
    const before = server.writtenBytes()
    const posts = await checkpoint()
    const kilobytes = (server.writtenBytes() - before) / 1000
    console.log(
      `${side.label}: ${posts} posts to the end of a checkpoint, ${Math.round(kilobytes / 1000)} MB written`,
    )
    return kilobytes / posts
  })
  return [{ title: 'written to disk for a post, with checkpoints, kB', ...written, limit: { most: 150 } }]
}
