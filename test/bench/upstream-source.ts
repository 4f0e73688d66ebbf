/**
 * `node upstream-source.ts`: a server of the network whose event stream the measured server reads, in a process of its own. Sends
 * its address, then does what each message says, and answers when it is done.
 */
import { setTimeout } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { commitEvent, frameOf, type RemoteEvent } from '../support/remote/remote-frames.ts'
import { type RemoteAccount, RemoteServer, withType } from '../support/remote/remote-server.ts'
import { createdAt, someCid } from '../support/server/social.ts'

export type Order =
  /** Sends commits that do not concern that server, as fast as they are taken. */
  | { readonly kind: 'flood'; readonly count: number }
  | { readonly kind: 'pace'; readonly perSecond: number; readonly seconds: number }
  /** Makes likes of a post, and one of another post at the end. They are sent by the next `burst`. */
  | { readonly kind: 'likes'; readonly subject: object; readonly last: object; readonly count: number }
  | { readonly kind: 'burst' }

const feed = 'app.bsky.feed'
/** Of the accounts whose commits do not concern that server, and of each of their repositories. */
const [others, records] = [20, 100]
/** Of likes. */
const likers = 1000
/** Likes of a commit; of every twentieth one, as many as a commit may have. */
const [usual, most] = [10, 200]
/** How often each commit of the burst is sent: it takes longer to make one than to read it. */
const repeats = 5
/** Milliseconds between the commits of the burst: faster ones would cut this server off. */
const burstGapMs = 1
/** Bytes that may wait to be sent. */
const maxWaiting = 4_000_000

const remote = await RemoteServer.start()
let socket: WebSocket | undefined
remote.onConnection = (stream) => {
  socket = stream
}
const irrelevant = await makeIrrelevant()
let likes: RemoteEvent[] = []

/** Posts, likes and follows of repositories with many records, so that the commits have the usual size. */
async function makeIrrelevant(): Promise<RemoteEvent[]> {
  const made: RemoteEvent[] = []
  const uri = `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${feed}.post/3kaaaaaaaaaa2`
  for (let n = 0; n < others; n++) {
    const account = await remote.account(`other-${n}`)
    const post = {
      text: 'A few words about nothing in particular, as people write them. '.repeat(3),
      createdAt,
    }
    const like = { subject: { uri, cid: someCid }, createdAt }
    await write(
      account,
      Array.from({ length: records }, () => ['like', like] as const),
    )
    for (const each of [
      ['post', post],
      ['like', like],
      ['repost', like],
    ] as const) {
      made.push(await write(account, [each]))
    }
  }
  return made
}

async function write(
  account: RemoteAccount,
  content: readonly (readonly [name: string, record: object])[],
): Promise<RemoteEvent> {
  const writes = content.map(([name, record]) => ({
    key: `${feed}.${name}/${remote.tid()}`,
    record: withType(`${feed}.${name}`, record),
  }))
  return commitEvent(account.did, await remote.commit(account, ...writes))
}

async function makeLikes(subject: object, last: object, count: number): Promise<void> {
  const accounts: RemoteAccount[] = []
  for (let n = 0; n < likers; n++) accounts.push(await remote.account(`liker-${n}`))
  const content = Array.from({ length: most }, () => ['like', { subject, createdAt }] as const)
  for (let n = 0, left = count / repeats; left > 0; n++) {
    const some = content.slice(0, Math.min(left, n % 20 === 0 ? most : usual))
    left -= some.length
    likes.push(await write(accounts[n % likers] as RemoteAccount, some))
    // Pings must be answered.
    await setTimeout(0)
  }
  likes = Array.from({ length: repeats }, () => likes).flat()
  likes.push(await write(await remote.account('last'), [['like', { subject: last, createdAt }]]))
}

async function send(event: RemoteEvent | undefined): Promise<void> {
  if (!event) return
  remote.seq++
  socket?.send(frameOf(event, remote.seq, new Date().toISOString()))
  while ((socket?.bufferedAmount ?? 0) > maxWaiting) await setTimeout(1)
}

async function obey(order: Order): Promise<void> {
  switch (order.kind) {
    case 'flood':
      for (let n = 0; n < order.count; n++) await send(irrelevant[n % irrelevant.length])
      break
    case 'pace': {
      const start = performance.now()
      for (let n = 0; n < order.perSecond * order.seconds; n++) {
        await setTimeout(Math.max(start + (n / order.perSecond) * 1000 - performance.now(), 0))
        await send(irrelevant[n % irrelevant.length])
      }
      break
    }
    case 'likes':
      await makeLikes(order.subject, order.last, order.count)
      break
    case 'burst':
      for (const event of likes) {
        await send(event)
        await setTimeout(burstGapMs)
      }
      likes = []
  }
}

process.on('message', (order: Order) => void obey(order).then(() => process.send?.('done')))
process.send?.(remote.url)
