/** Writes to the repository of the account, and the events that the server sends of them. */

import { collection, newRecord, type Writer, type Written, writerOf } from './account.ts'
import { outputOf } from './answers.ts'
import { type Message, openEvents } from './events.ts'
import { shared, type Target } from './target.ts'
import { Failed, Skipped } from './verdict.ts'

interface Op {
  readonly action: 'create' | 'update' | 'delete'
  readonly path: string
  /** CID of the record; null if it was deleted. */
  readonly cid: string | null
  /** CID of the record before. */
  readonly prev?: string
}

export interface Observed {
  readonly did: string
  /** What each write did, in their order. */
  readonly writes: readonly (readonly Op[])[]
  /** The `#commit` of each write. */
  readonly commits: readonly Message[]
  /** All messages from the first write to the last. */
  readonly messages: readonly Message[]
}

const pathOf = (rkey: string) => `${collection}/${rkey}`

/** The holder may use the account meanwhile. */
const attempts = 3

/** @throws Skipped without an account, or if another client writes with it all the time */
export const observedOf = shared(async (target): Promise<Observed> => {
  const writer = await writerOf(target)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const observed = await observe(target, writer)
    if (!observed.commits.some(isForeign)) return observed
  }
  throw new Skipped('the account writes to other collections at the same time')
})

const isForeign = ({ body }: Message) =>
  Array.isArray(body.ops) &&
  body.ops.length > 0 &&
  body.ops.every(({ path }: Partial<Op>) => !path?.startsWith(`${collection}/`))

async function observe(target: Target, writer: Writer): Promise<Observed> {
  const { did } = writer.account
  const events = await openEvents(target)
  try {
    if (events.ended) throw new Failed(`the event stream does not open: ${events.ended.message}`)
    const writes = await write(writer)
    const commits = () => events.messages.filter(({ type, body }) => type === '#commit' && body.repo === did)
    const own = () => commits().filter((message) => !isForeign(message))
    await events.until(() => own().length >= writes.length)
    const { length } = own()
    if (length < writes.length) throw new Failed(`${length} commits arrived for ${writes.length} writes`)
    return { did, writes, commits: commits(), messages: [...events.messages] }
  } finally {
    events.close()
  }
}

/** Creates, updates and deletes records, alone and in one call. */
async function write(writer: Writer): Promise<Op[][]> {
  const one = await writer.create()
  const two = await writer.create()
  const changed = await writer.update(one.rkey)
  const three = newRecord()
  const type = (name: string) => `com.atproto.repo.applyWrites#${name}`
  const writes = [
    { $type: type('create'), collection, value: three },
    { $type: type('update'), collection, rkey: two.rkey, value: newRecord() },
    { $type: type('delete'), collection, rkey: one.rkey },
  ]
  const { account } = writer
  const input = { repo: account.did, writes }
  const { results } = outputOf(await account.call('com.atproto.repo.applyWrites', { input }))
  const [created, updated] = (results ?? []) as { uri: string; cid: string }[]
  if (!created || !updated) throw new Failed('applyWrites has no results')
  await writer.remove(two.rkey)
  const thirdRkey = created.uri.split('/').at(-1) ?? ''
  return [
    [createOf(one)],
    [createOf(two)],
    [{ action: 'update', path: pathOf(one.rkey), cid: changed.cid, prev: one.cid }],
    [
      { action: 'create', path: pathOf(thirdRkey), cid: created.cid },
      { action: 'update', path: pathOf(two.rkey), cid: updated.cid, prev: two.cid },
      { action: 'delete', path: pathOf(one.rkey), cid: null, prev: changed.cid },
    ],
    [{ action: 'delete', path: pathOf(two.rkey), cid: null, prev: updated.cid }],
  ]
}

function createOf({ rkey, cid }: Written): Op {
  return { action: 'create', path: pathOf(rkey), cid }
}
