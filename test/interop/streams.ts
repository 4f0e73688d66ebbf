/** The event stream of this server: beside the reference server's for the same actions, and read by the network's own library. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { type Commit, verifyCommitSig } from '@atproto/repo'
import { type Account, createAccount, picture, postRecord, put, tid, upload } from './accounts.ts'
import { assertInvertible, blocksOf, type Frame, Frames } from './frames.ts'
import { identityOf, migrate, published } from './migration.ts'
import { poll } from './poll.ts'
import { adminPassword } from './processes.ts'
import type { World } from './world.ts'
import { all, post } from './xrpc.ts'

const admin = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`

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
  { name: 'the handle changes', events: 1, run: changeHandle },
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
    // The fourth is #sync there, and #identity here, when the directory has the account.
    const first = await Promise.all(streams.map((stream) => stream.take(4)))
    const [theirFirst = [], ourFirst = []] = first.map((frames) => frames.slice(0, 3))
    assert.deepEqual(await described(ourFirst), await described(theirFirst), 'an account is created')
    assert.deepEqual(
      first.map((frames) => frames.slice(3).map(({ type }) => type)),
      [['#sync'], ['#identity']],
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

  test('the consumer library follows and verifies the stream across a crash of the server', async (t) => {
    const { ours, directory, reference } = world
    const consumer = new Consumer(reference, ours.url, directory.url)
    t.after(() => consumer.close())
    const account = await createAccount(ours.url, 'followed')
    await published(directory.url, account.did)
    await apply(account, many('create', 0, 150))
    await consumer.reaches(account)
    await ours.kill()
    await ours.start()
    await apply(account, many('delete', 0, 20))
    await putProfile(account, 'After the crash')
    await consumer.reaches(account)
    assert.deepEqual(consumer.errors(account.did), [])
    const numbers = consumer.numbers()
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
    )
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

/** The frames of an account that come before those of another one. */
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

function create(account: Account, n: number) {
  const { server, did, accessJwt: auth } = account
  const input = { repo: did, collection: 'app.bsky.feed.post', rkey: tid(n), record: postRecord(`Post ${n}`) }
  return post(server, 'com.atproto.repo.createRecord', { auth, input })
}

function putProfile(account: Account, displayName: string) {
  return put(account, 'app.bsky.actor.profile', 'self', { $type: 'app.bsky.actor.profile', displayName })
}

function remove({ server, did, accessJwt: auth }: Account, rkey: string) {
  const input = { repo: did, collection: 'app.bsky.feed.post', rkey }
  return post(server, 'com.atproto.repo.deleteRecord', { auth, input })
}

function apply({ server, did, accessJwt: auth }: Account, writes: readonly unknown[]) {
  return post(server, 'com.atproto.repo.applyWrites', { auth, input: { repo: did, writes } })
}

function write(action: 'create' | 'update' | 'delete', n: number) {
  const value = action === 'delete' ? {} : { value: postRecord(`Post ${n} by ${action}`) }
  return {
    $type: `com.atproto.repo.applyWrites#${action}`,
    collection: 'app.bsky.feed.post',
    rkey: tid(n),
    ...value,
  }
}

function many(action: 'create' | 'delete', from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => write(action, from + index))
}

const mixed = [
  write('create', 300),
  write('update', 110),
  write('delete', 111),
  write('create', 301),
  write('delete', 199),
]

async function createPicture(account: Account) {
  const image = await upload(account.server, account.accessJwt, picture(7))
  const embed = { $type: 'app.bsky.embed.images', images: [{ alt: '', image }] }
  return put(account, 'app.bsky.feed.post', tid(400), { ...postRecord('A picture'), embed })
}

function changeHandle({ server, accessJwt: auth }: Account) {
  return post(server, 'com.atproto.identity.updateHandle', { auth, input: { handle: 'renamed.test' } })
}

function setActive({ server, accessJwt: auth }: Account, active: boolean) {
  return active
    ? post(server, 'com.atproto.server.activateAccount', { auth })
    : post(server, 'com.atproto.server.deactivateAccount', { auth, input: {} })
}

function takedown({ server, did }: Account, applied: boolean) {
  const subject = { $type: 'com.atproto.admin.defs#repoRef', did }
  return post(server, 'com.atproto.admin.updateSubjectStatus', {
    auth: admin,
    input: { subject, takedown: { applied } },
  })
}

function deleteAccount({ server, did }: Account) {
  return post(server, 'com.atproto.admin.deleteAccount', { auth: admin, input: { did } })
}

interface Line {
  readonly event: string
  readonly seq: number
  readonly did: string
  readonly path?: string
  readonly cid?: string
  readonly message?: string
}

/** A process with the consumer library. */
class Consumer {
  readonly #child: ChildProcess
  readonly #lines: Line[] = []

  constructor(reference: string, server: string, directory: string) {
    this.#child = spawn(process.execPath, ['follow.js', server, directory], {
      cwd: reference,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const { stdout } = this.#child
    assert.ok(stdout)
    createInterface(stdout).on('line', (line) => this.#lines.push(JSON.parse(line)))
  }

  /** Resolves when what the consumer has seen of an account is what the server lists. */
  async reaches({ server, did }: Account): Promise<void> {
    const expected = new Map<string, string>()
    for (const collection of ['app.bsky.feed.post', 'app.bsky.actor.profile']) {
      const params = { repo: did, collection, limit: '100' }
      const records = await all<{ uri: string; cid: string }>(
        server,
        'com.atproto.repo.listRecords',
        'records',
        { params },
      )
      for (const { uri, cid } of records) expected.set(uri.slice(`at://${did}/`.length), cid)
    }
    const hasAll = () => equal(this.#records(did), expected) || undefined
    const failure = () => `${this.#records(did).size} of ${expected.size} records; ${this.errors(did)}`
    await poll(hasAll, failure)
  }

  /** What did not verify of an account. */
  errors(did: string): (string | undefined)[] {
    const errors = this.#lines.filter((line) => line.event === 'error' && line.did === did)
    return errors.map(({ message }) => message)
  }

  numbers(): number[] {
    return this.#lines.flatMap(({ seq }) => seq ?? [])
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }

  #records(did: string): Map<string, string> {
    const records = new Map<string, string>()
    for (const line of this.#lines) {
      if (line.did !== did || line.path === undefined) continue
      if (line.event === 'delete') records.delete(line.path)
      else records.set(line.path, line.cid ?? '')
    }
    return records
  }
}

function equal(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, cid]) => b.get(path) === cid)
}
