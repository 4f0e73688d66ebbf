/** The event stream: what writes send, cursors and replays, connections. */
import { ifCid } from '@atproto/lex-data'
import { cidText } from '../../../util/cid.ts'
import { writerOf } from '../account.ts'
import { expectError, expectStatus } from '../answers.ts'
import { type Message, subscription } from '../events.ts'
import { observedOf } from '../observed.ts'
import { treeOf } from '../repository.ts'
import { info, must, type Requirement, should } from '../requirement.ts'
import { lexicon, reference, spec } from '../sources.ts'
import { expect, expectSame, Skipped, shown } from '../verdict.ts'
import { carOf, commitEvents, commitsIn, numbers, replayMs, withEvents } from './stream.ts'

const connection = spec('event-stream', 'Connection')

const opsOf = ({ body }: Message) =>
  body.ops.map(({ action, path, cid, prev }: Record<string, unknown>) => ({
    action,
    path,
    cid: ifCid(cid)?.toString() ?? null,
    ...(ifCid(prev) && { prev: String(prev) }),
  }))

const byPath = (ops: readonly { path: unknown }[]) =>
  ops.toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1))

export const streamPosition: readonly Requirement[] = [
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
    'Each commit has the revision and the tree of the commit before',
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
      await withEvents(target, '', async ({ ended }) => {
        if (ended) throw new Skipped(`the stream does not open: ${ended.message}`)
      })
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
      const { rkey, value, commit } = await writer.create()
      if (!commit) throw new Skipped('the server reports no commit of a write')
      const again = await writer.update(rkey, value)
      expect(!again.commit, `the put has the commit ${again.commit?.rev}`)
    },
  ),
]
