/** The event stream of this server, beside the reference server's for the same actions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Commit, verifyCommitSig } from '@atproto/repo'
import { type Account, createAccount, tid } from './accounts.ts'
import { assertInvertible, blocksOf, type Frame, Frames } from './frames.ts'
import { identityOf, migrate } from './migration.ts'
import type { World } from './world.ts'
import {
  apply,
  changeHandle,
  create,
  createPicture,
  deleteAccount,
  many,
  mixed,
  putProfile,
  remove,
  setActive,
  takedown,
} from './writes.ts'

interface Action {
  readonly name: string
  run(account: Account): Promise<unknown>
  /** How many events the reference server sends. */
  readonly events: number
}

const actions: readonly Action[] = [
  { name: 'a record is created', events: 1, run: (account) => create(account, 1) },
  { name: 'a profile is put', events: 1, run: (account) => putProfile(account, 'A') },
  { name: 'the same profile is put', events: 0, run: (account) => putProfile(account, 'A') },
  { name: 'the profile changes', events: 1, run: (account) => putProfile(account, 'B') },
  {
    name: 'a hundred records are created',
    events: 1,
    run: (account) => apply(account, many('create', 100, 200)),
  },
  { name: 'records are created, changed and deleted', events: 1, run: (account) => apply(account, mixed) },
  { name: 'a record with a blob is created', events: 1, run: createPicture },
  { name: 'a record is deleted', events: 1, run: (account) => remove(account, tid(1)) },
  { name: 'an absent record is deleted', events: 0, run: (account) => remove(account, tid(1)) },
  { name: 'many records are deleted', events: 1, run: (account) => apply(account, many('delete', 120, 180)) },
  { name: 'the handle changes', events: 1, run: (account) => changeHandle(account, 'renamed.test') },
  { name: 'the account is deactivated', events: 1, run: (account) => setActive(account, false) },
  { name: 'the account is activated', events: 3, run: (account) => setActive(account, true) },
  { name: 'the account is taken down', events: 1, run: (account) => takedown(account, true) },
  { name: 'the takedown is lifted', events: 1, run: (account) => takedown(account, false) },
  { name: 'the account is deleted', events: 1, run: deleteAccount },
]

export function streams(world: World): void {
  test('the same actions send the same frames as the reference server', async (t) => {
    const servers = [world.theirs, world.ours]
    const streams = await Promise.all(servers.map(({ url }) => Frames.open(url)))
    t.after(() => streams.forEach((stream) => void stream.close()))
    const accounts = await Promise.all(servers.map(({ url }) => createAccount(url, 'streamer')))
    // There a #sync follows the commit.
    const first = await Promise.all(streams.map((stream, index) => stream.take(index === 0 ? 4 : 3)))
    const [theirFirst = [], ourFirst = []] = first.map((frames) => frames.slice(0, 3))
    assert.deepEqual(await described(ourFirst), await described(theirFirst), 'an account is created')
    assert.deepEqual(
      first.map((frames) => frames.slice(3).map(({ type }) => type)),
      [['#sync'], []],
    )

    for (const [index, { name, events, run }] of actions.entries()) {
      await t.test(name, async () => {
        await Promise.all(accounts.map(run))
        // A marker shows that nothing was sent in between.
        const markers = await Promise.all(servers.map(({ url }) => createAccount(url, `marker${index}`)))
        const sent = await Promise.all(
          streams.map((stream, index) => takeUntil(stream, accounts[index]?.did, markers[index]?.did)),
        )
        const [theirs = [], ours = []] = sent
        assert.equal(theirs.length, events)
        assert.deepEqual(await described(ours), await described(theirs))
        for (const frame of ours.filter(({ type }) => type === '#commit')) await assertInvertible(frame)
      })
    }
  })

  test('an account that moves here is announced by a commit of its new key, which later ones follow', async (t) => {
    const { theirs, ours, directory, readCode } = world
    const from = await createAccount(theirs.url, 'announced')
    await apply(from, many('create', 0, 50))
    const stream = await Frames.open(ours.url)
    t.after(() => stream.close())
    const to = await migrate(from, { server: ours.url, password: 'password after the move' }, readCode)
    await putProfile(to, 'Moved')
    const frames = await stream.take(5)
    assert.deepEqual(
      frames.map(({ type }) => type),
      ['#identity', '#account', '#identity', '#sync', '#commit'],
    )
    const [sync, commit] = frames.slice(3)
    await assertSigned(sync, directory.url, to.did)
    await assertSigned(commit, directory.url, to.did)
    assert.equal(commit?.body.since, sync?.body.rev)
    assert.ok(sync && commit)
    assert.equal(String(commit.body.prevData), String((await blocksOf(sync)).commit.data))
    await assertInvertible(commit)
  })
}

/** Asserts that the commit of a frame is signed with the key that the directory names. */
async function assertSigned(frame: Frame | undefined, directory: string, did: string): Promise<void> {
  assert.ok(frame)
  const { commit } = await blocksOf(frame)
  const { verificationMethods } = await identityOf(directory, did)
  assert.equal(commit.did, did)
  assert.equal(commit.rev, frame.body.rev)
  assert.equal(await verifyCommitSig(commit as unknown as Commit, verificationMethods.atproto), true)
}

/** The frames of an account before the first frame of another one. */
async function takeUntil(stream: Frames, did?: string, marker?: string): Promise<Frame[]> {
  const frames: Frame[] = []
  const accountOf = ({ body }: Frame) => body.did ?? body.repo
  for (;;) {
    const next = await stream.take(1)
    frames.push(...next)
    if (frames.some((frame) => accountOf(frame) === marker)) break
  }
  return frames.filter((frame) => accountOf(frame) === did)
}

/** What consumers see of frames, with the values replaced that differ between any two servers. */
async function described(frames: readonly Frame[]) {
  return Promise.all(
    frames.map(async (frame) => {
      const body: Record<string, unknown> = { ...frame.body }
      for (const name of ['seq', 'time', 'rev', 'did', 'repo'])
        if (name in body) body[name] = typeof body[name]
      if (body.since !== null && 'since' in body) body.since = typeof body.since
      if ('commit' in body) body.commit = 'cid'
      if ('prevData' in body) body.prevData = String(body.prevData)
      if (frame.body.ops) {
        // This server deletes first.
        const ops = frame.body.ops.toSorted((a, b) => (a.path < b.path ? -1 : 1))
        body.ops = ops.map((op) => ({
          ...op,
          cid: String(op.cid),
          ...('prev' in op && { prev: String(op.prev) }),
        }))
      }
      if (frame.body.blocks) {
        const { commit, others } = await blocksOf(frame)
        body.blocks = others
        body.signed = Object.fromEntries(
          Object.entries(commit).map(([name, value]) => [
            name,
            name === 'data' ? String(value) : value === null ? null : typeof value,
          ]),
        )
      }
      return { header: frame.header, body }
    }),
  )
}
