/** The event stream of the repositories (Sync 1.1). */

import { encode } from '@atproto/lex-cbor'
import { ifCid } from '@atproto/lex-data'
import { isValidTid } from '@atproto/syntax'
import { applyChanges, TreeNode } from '../../../repository/records/tree.ts'
import { cidBytes, cidText } from '../../../util/cid.ts'
import { isSignedBy } from '../../../util/keys.ts'
import { instant } from '../../../util/time.ts'
import { writerOf } from '../account.ts'
import { expectError, expectStatus } from '../answers.ts'
import { type Events, type Message, openEvents, subscription } from '../events.ts'
import { observedOf } from '../observed.ts'
import { blockOf, openCar, repositoryOf, treeOf } from '../repository.ts'
import {
  expect,
  expectSame,
  Failed,
  info,
  must,
  type Requirement,
  Skipped,
  should,
  shown,
} from '../requirement.ts'
import { lexicon, reference, spec } from '../sources.ts'
import { shared, type Target } from '../target.ts'

const framing = spec('event-stream', 'Framing')
const numbers = spec('event-stream', 'Sequence Numbers')
const connection = spec('event-stream', 'Connection')
const commitEvents = spec('sync', '`#commit` Events')

/** Messages of the replay that are checked. */
const maxReplayed = 200
/** Milliseconds to wait for the rest of a replay. */
const replayMs = 2000

async function withEvents<T>(target: Target, query: string, use: (events: Events) => Promise<T>): Promise<T> {
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
    await events.until(() => events.messages.length >= maxReplayed, replayMs)
    expect(events.messages.length > 0 || !events.ended, `the stream does not open: ${events.ended?.message}`)
    return events.messages.slice(0, maxReplayed)
  })
  if (messages.length === 0) throw new Skipped('the server has kept no events')
  return messages
})

const commitsIn = (messages: readonly Message[]) => messages.filter(({ type }) => type === '#commit')

/** The commits of the own writes, otherwise those of the replay. */
async function commitsOf(target: Target): Promise<readonly Message[]> {
  const found = target.account ? (await observedOf(target)).commits : commitsIn(await replayOf(target))
  if (found.length === 0) throw new Skipped('no commit was sent')
  return found
}

/** Returns the CAR file of a commit. @throws Failed */
async function carOf({ body }: Message) {
  expect(body.blocks instanceof Uint8Array, 'a commit has no blocks')
  return openCar(body.blocks)
}

/** Undoes the operations of a commit by its own blocks. Returns the CID of the tree before. @throws Failed */
async function invert(message: Message): Promise<string> {
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

const opsOf = ({ body }: Message) =>
  body.ops.map(({ action, path, cid, prev }: Record<string, unknown>) => ({
    action,
    path,
    cid: ifCid(cid)?.toString() ?? null,
    ...(ifCid(prev) && { prev: String(prev) }),
  }))

const byPath = (ops: readonly { path: unknown }[]) =>
  ops.toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1))

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
  must(
    'stream.write.ops',
    'Each write sends one #commit with its operations',
    commitEvents,
    async (target) => {
      const { writes, commits } = await observedOf(target)
      expectSame(commits.length, writes.length, 'the number of commits')
      for (const [index, ops] of writes.entries())
        expectSame(byPath(opsOf(commits[index] as Message)), byPath(ops), `ops of write ${index + 1}`)
    },
  ),
  must(
    'stream.write.chain',
    'since and prevData continue the commit before',
    spec('sync', 'Reliable Repository Synchronization'),
    async (target) => {
      const { commits } = await observedOf(target)
      for (const [index, { body }] of commits.entries()) {
        const before = commits[index - 1]
        if (!before) continue
        expectSame(body.since, before.body.rev, 'since')
        expectSame(String(body.prevData), cidText(treeOf((await carOf(before)).commit)), 'prevData')
      }
    },
  ),
  must('stream.replay.same', 'A replay has the same messages', numbers, async (target) => {
    const { commits } = await observedOf(target)
    const numbersOf = (messages: readonly Message[]) => messages.map(({ body }) => body.seq)
    const [first, ...rest] = commits as [Message, ...Message[]]
    await withEvents(target, `?cursor=${first.body.seq}`, async (events) => {
      const own = () => events.messages.filter(({ body }) => rest.some((sent) => sent.body.seq === body.seq))
      await events.until(() => own().length >= rest.length)
      expectSame(numbersOf(own()), numbersOf(rest), 'the replayed numbers')
      for (const [index, { bytes }] of rest.entries())
        expect(own()[index]?.bytes.equals(bytes), `the message ${rest[index]?.body.seq} is another one`)
    })
  }),
  must(
    'stream.replay.live',
    'A replay goes on with new events, without a gap or a repetition',
    connection,
    async (target) => {
      const { commits, did } = await observedOf(target)
      const writer = await writerOf(target)
      await withEvents(target, `?cursor=${commits[0]?.body.seq}`, async (events) => {
        const { commit, uri } = await writer.create()
        const isNew = ({ body }: Message) =>
          body.repo === did && (body.ops ?? []).some(({ path }: { path: string }) => uri.endsWith(path))
        await events.until(() => events.messages.some(isNew))
        expect(events.messages.some(isNew), `the commit ${commit?.rev ?? uri} did not arrive`)
        const seen = commitsIn(events.messages).filter(({ body }) => body.repo === did)
        const revs = seen.map(({ body }) => body.rev)
        expectSame(revs, [...new Set(revs)], 'the revisions')
        for (const { body } of commits.slice(1)) expect(revs.includes(body.rev), `${body.rev} is missing`)
      })
    },
  ),
  must('stream.cursor.none', 'Without a cursor no earlier event is sent', numbers, async (target) => {
    const { messages } = await observedOf(target)
    const earlier = messages.at(-1)?.body.seq
    await withEvents(target, '', async (events) => {
      const { uri } = await (await writerOf(target)).create()
      await events.until(() =>
        events.messages.some(({ body }) =>
          body.ops?.some(({ path }: { path: string }) => uri.endsWith(path)),
        ),
      )
      const old = events.messages.find(({ body }) => body.seq <= earlier)
      expect(!old, `the event ${old?.body.seq} was sent again`)
    })
  }),
  must(
    'stream.cursor.future',
    'A cursor in the future is the error FutureCursor and ends the connection',
    numbers,
    async (target) => {
      await withEvents(target, `?cursor=${2 ** 52}`, async (events) => {
        await events.until(() => events.ended !== undefined)
        const [message] = events.messages
        expect(
          message?.op === -1,
          `the first message is ${shown(message?.type ?? events.ended?.message ?? 'absent')}`,
        )
        expectSame(message.body.error, 'FutureCursor', 'the error')
        expect(events.ended, 'the connection stays open')
      })
    },
  ),
  should(
    'stream.cursor.malformed',
    'A cursor that is no number is refused',
    lexicon(subscription),
    async (target) => {
      await withEvents(target, '?cursor=first', async (events) => {
        await events.until(() => events.ended !== undefined)
        expect(events.ended, 'the connection stays open')
        expect(
          events.messages.every(({ op }) => op === -1),
          'events were sent',
        )
      })
    },
  ),
  must(
    'stream.cursor.outdated',
    'The first message for an outdated cursor is the info OutdatedCursor',
    numbers,
    async (target) => {
      await withEvents(target, '?cursor=1', async (events) => {
        await events.until(() => events.messages.length > 0, replayMs)
        const [first] = events.messages
        if (first?.type !== '#info')
          throw new Skipped('no event is older than the time that the server keeps them')
        expectSame(first.body.name, 'OutdatedCursor', 'the name')
      })
    },
  ),
  should('stream.http.upgrade', 'A request without Upgrade is answered 426', connection, async (target) => {
    expectStatus(await target.send(`/xrpc/${subscription}`), 426)
  }),
  should('stream.http.verb', 'A POST to the stream is answered 405', connection, async (target) => {
    expectError(await target.send(`/xrpc/${subscription}`, { method: 'POST' }), [405])
  }),
  info(
    'stream.write.repeated',
    'A put of the same record sends no event',
    reference('com.atproto.repo.putRecord'),
    async (target) => {
      const writer = await writerOf(target)
      const { rkey, value } = await writer.create()
      const again = await writer.update(rkey, value)
      expect(!again.commit, `the put has the commit ${again.commit?.rev}`)
    },
  ),
]
