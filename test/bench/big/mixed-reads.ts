/** The mixed reads of the bench `big`: timeline, thread, author feed, list of records, notifications and profile. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../../crash/random.ts'
import type { Client } from '../client.ts'
import { timed } from '../latency.ts'
import type { BenchAccount } from '../operations.ts'
import type { Side } from './side.ts'

export const readKinds = [
  'getTimeline',
  'getPostThread',
  'getAuthorFeed',
  'listRecords',
  'listNotifications',
  'getProfile',
] as const

export type ReadKind = (typeof readKinds)[number]

export class MixedReads {
  readonly #side: Side
  readonly #random = seededRandom(1)
  #sent = 0

  constructor(side: Side) {
    this.#side = side
  }

  /** Reads each kind `rounds` times, of random subjects. Returns the milliseconds of each read. */
  async run(client: Client, rounds: number): Promise<Map<ReadKind, number[]>> {
    const times = new Map<ReadKind, number[]>(readKinds.map((kind) => [kind, []]))
    for (let round = 0; round < rounds; round++) {
      for (const kind of readKinds) {
        const { accessJwt } = this.#one(this.#side.accounts)
        const path = this.#pathOf(kind)
        times.get(kind)?.push(await timed(() => client.get(path, accessJwt)))
      }
    }
    return times
  }

  /** Each differs from all before, so that no answer is cached. */
  #pathOf(kind: ReadKind): string {
    const { authors, threads } = this.#side.data
    const app = '/xrpc/app.bsky'
    const end = `limit=20&different=${this.#sent++}`
    switch (kind) {
      case 'getTimeline':
        return `${app}.feed.getTimeline?${end}`
      case 'getPostThread':
        return `${app}.feed.getPostThread?uri=${encodeURIComponent(this.#one(threads))}&${end.replace('limit', 'depth')}`
      case 'getAuthorFeed':
        return `${app}.feed.getAuthorFeed?actor=${this.#one(authors)}&${end}`
      case 'listRecords': {
        const { did } = this.#one<BenchAccount>(this.#side.accounts)
        // Any place in the list: keys sort by time.
        const cursor = this.#one(threads).split('/').at(-1)
        return `/xrpc/com.atproto.repo.listRecords?repo=${did}&collection=app.bsky.feed.post&cursor=${cursor}&${end}`
      }
      case 'listNotifications':
        return `${app}.notification.listNotifications?${end}`
      case 'getProfile':
        return `${app}.actor.getProfile?actor=${this.#one(authors)}&${end}`
    }
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[this.#random(items.length)] as Item
  }
}

/** Removes the database from the file cache of the system. Returns false if that is not possible here. */
export function dropFileCache(dir: string): boolean {
  const files = readdirSync(dir).filter((name) => name.startsWith('pds.sqlite'))
  return files.every((name) => {
    // GNU dd: with no bytes to copy, it drops the whole file.
    const args = [`if=${join(dir, name)}`, 'iflag=nocache', 'count=0', 'status=none']
    return spawnSync('dd', args, { stdio: 'ignore' }).status === 0
  })
}
