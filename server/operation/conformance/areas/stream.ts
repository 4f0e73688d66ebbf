/** The event stream of the repositories (Sync 1.1): its messages. */
import { encode } from '@atproto/lex-cbor'
import { ifCid } from '@atproto/lex-data'
import { isValidTid } from '@atproto/syntax'
import { applyChanges, TreeNode } from '../../../repository/records/tree.ts'
import { cidBytes, cidText } from '../../../util/cid.ts'
import { isSignedBy } from '../../../util/keys.ts'
import { instant } from '../../../util/time.ts'
import { type Events, type Message, openEvents, subscription } from '../events.ts'
import { observedOf } from '../observed.ts'
import { blockOf, openCar, repositoryOf, treeOf } from '../repository.ts'
import { must, type Requirement } from '../requirement.ts'
import { lexicon, spec } from '../sources.ts'
import { shared, type Target } from '../target.ts'
import { expect, expectSame, Failed, Skipped, shown } from '../verdict.ts'

const framing = spec('event-stream', 'Framing')
export const numbers = spec('event-stream', 'Sequence Numbers')
export const commitEvents = spec('sync', '`#commit` Events')

/** Messages of the replay that are checked. */
const maxReplayed = 200
/** Milliseconds to wait for the first message of a replay. */
export const replayMs = 2000
/** Milliseconds without a message that end a replay. */
const silenceMs = 500

export async function withEvents<T>(
  target: Target,
  query: string,
  use: (events: Events) => Promise<T>,
): Promise<T> {
  const events = await openEvents(target, query)
  try {
    return await use(events)
  } finally {
    events.close()
  }
}

/** The oldest messages that the server has kept. @throws Skipped if there are none */
const replayOf = shared(async (target: Target): Promise<readonly Message[]> => {
  // With an account there are events for certain.
  if (target.account) await observedOf(target)
  const messages = await withEvents(target, '?cursor=0', async (events) => {
    await events.until(() => events.messages.length > 0, replayMs)
    for (let count = 0; count < events.messages.length && events.messages.length < maxReplayed; ) {
      count = events.messages.length
      await events.until(() => events.messages.length >= maxReplayed, silenceMs)
    }
    expect(events.messages.length > 0 || !events.ended, `the stream does not open: ${events.ended?.message}`)
    return events.messages.slice(0, maxReplayed)
  })
  if (messages.length === 0) throw new Skipped('the server has kept no events')
  return messages
})

export const commitsIn = (messages: readonly Message[]) => messages.filter(({ type }) => type === '#commit')

/** The commits of the own writes, otherwise those of the replay. */
async function commitsOf(target: Target): Promise<readonly Message[]> {
  const found = target.account ? (await observedOf(target)).commits : commitsIn(await replayOf(target))
  if (found.length === 0) throw new Skipped('no commit was sent')
  return found
}

/** Returns the CAR file of a commit. @throws Failed */
export async function carOf({ body }: Message) {
  expect(body.blocks instanceof Uint8Array, 'a commit has no blocks')
  return openCar(body.blocks)
}

/** Undoes the operations of a commit by its own blocks. Returns the CID of the tree before. @throws Failed */
export async function invert(message: Message): Promise<string> {
  const { blocks, commit } = await carOf(message)
  const read = (cid: string) => blockOf(blocks, cidBytes(cid))
  const changes = message.body.ops.toReversed().map(({ path, cid, prev }: Record<string, unknown>) => ({
    key: String(path),
    cid: ifCid(prev)?.toString(),
    prev: ifCid(cid)?.toString(),
  }))
  try {
    return applyChanges(TreeNode.stored(read, cidText(treeOf(commit))), changes).cid
  } catch (error) {
    throw new Failed(`the operations cannot be undone: ${(error as Error).message}`)
  }
}

export const stream: readonly Requirement[] = [
  must('stream.open', 'The stream opens without credentials', lexicon(subscription), (target) =>
    withEvents(target, '', async ({ ended }) =>
      expect(!ended, `the stream does not open: ${ended?.message}`),
    ),
  ),
  must(
    'stream.frames',
    'Each message is a header with op and t, and a payload without $type',
    framing,
    async (target) => {
      for (const { op, type, body } of await replayOf(target)) {
        expect(op === 1 && type?.startsWith('#'), `a header has op ${op} and t ${type}`)
        expect(!('$type' in body), `a payload has the $type ${body.$type}`)
      }
    },
  ),
  must('stream.seq', 'Sequence numbers are positive integers that increase', numbers, async (target) => {
    let last = 0
    for (const { type, body } of await replayOf(target)) {
      if (type === '#info') continue
      expect(Number.isSafeInteger(body.seq) && body.seq > last, `the number ${body.seq} follows ${last}`)
      last = body.seq
    }
  }),
  must(
    'stream.common',
    'Each event has its account and a datetime',
    spec('sync', 'Repository Event Stream'),
    async (target) => {
      for (const { type, body } of await replayOf(target)) {
        if (type === '#info') continue
        const did = type === '#commit' ? body.repo : body.did
        expect(/^did:/.test(did ?? ''), `${type} has the account ${shown(did)}`)
        expect(instant(String(body.time)), `${type} has the time ${shown(body.time)}`)
      }
    },
  ),
  must(
    'stream.account',
    '#account says whether the account is active',
    spec('sync', '`#account` Events'),
    async (target) => {
      const found = (await replayOf(target)).filter(({ type }) => type === '#account')
      if (found.length === 0) throw new Skipped('no #account was sent')
      for (const { body } of found)
        expect(typeof body.active === 'boolean', `active is ${shown(body.active)}`)
    },
  ),
  must('stream.commit.fields', '#commit has all required members', commitEvents, async (target) => {
    for (const { body } of await commitsOf(target)) {
      expect(isValidTid(body.rev), `rev is ${shown(body.rev)}`)
      expect(body.since === null || isValidTid(body.since), `since is ${shown(body.since)}`)
      expect(ifCid(body.commit), `commit is ${shown(body.commit)}`)
      expect(Array.isArray(body.ops) && Array.isArray(body.blobs), 'ops or blobs is not an array')
      expectSame(body.tooBig, false, 'tooBig')
    }
  }),
  must(
    'stream.commit.root',
    'The blocks of #commit have the commit as their root',
    commitEvents,
    async (target) => {
      for (const message of await commitsOf(target)) {
        const { root, commit } = await carOf(message)
        expectSame(cidText(root), String(message.body.commit), 'the root')
        expectSame([commit.rev, commit.did], [message.body.rev, message.body.repo], 'rev and did')
      }
    },
  ),
  must(
    'stream.commit.signature',
    '#commit is signed by the key of the account',
    commitEvents,
    async (target) => {
      const { did, signingKey } = await repositoryOf(target)
      const own = (await commitsOf(target)).filter(({ body }) => body.repo === did)
      // Earlier ones may be of an earlier key.
      const last = own.at(-1)
      if (!last) throw new Skipped('no commit of the repository was sent')
      const { sig, ...unsigned } = (await carOf(last)).commit
      expect(
        sig instanceof Uint8Array && (await isSignedBy(signingKey, encode(unsigned), sig)),
        'the signature is wrong',
      )
    },
  ),
  must(
    'stream.commit.records',
    'The blocks of #commit have the new records',
    spec('repository', 'Repository Diffs'),
    async (target) => {
      for (const message of await commitsOf(target)) {
        const { blocks } = await carOf(message)
        for (const { action, cid } of message.body.ops)
          if (action !== 'delete') blockOf(blocks, ifCid(cid)?.bytes ?? new Uint8Array())
      }
    },
  ),
  must(
    'stream.commit.prev-data',
    '#commit names the tree before, to which its undone operations lead',
    spec('sync', 'Reliable Repository Synchronization'),
    async (target) => {
      for (const message of await commitsOf(target)) {
        const { prevData, since } = message.body
        if (since === null) continue
        expect(ifCid(prevData), `prevData is ${shown(prevData)}`)
        expectSame(await invert(message), String(prevData), 'the tree before')
      }
    },
  ),
  must(
    'stream.commit.limits',
    '#commit has at most 200 operations and 2 MB of blocks',
    commitEvents,
    async (target) => {
      for (const { body, bytes } of await commitsOf(target)) {
        expect(body.ops.length <= 200, `a commit has ${body.ops.length} operations`)
        expect(body.blocks.length <= 2_000_000, `a commit has ${body.blocks.length} bytes of blocks`)
        expect(bytes.length <= 5_000_000, `a message has ${bytes.length} bytes`)
      }
    },
  ),
]
