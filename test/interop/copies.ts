/** `npm run interop -- copies`: a server is copied to real servers over connections that are cut, and restored from them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readContent } from '../../server/operation/replicas/catalog.ts'
import { openPlace } from '../../server/operation/replicas/places/open.ts'
import { sealedBytes } from '../../server/operation/replicas/replica-key.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { startServer } from '../../server/server.ts'
import {
  type Account,
  assertEqualContent,
  type Content,
  contentOf,
  createAccount,
  fill,
  postRecord,
  put,
  signIn,
  tid,
} from './accounts.ts'
import { type PlaceProgram, startApache, startRclone, startSwift } from './place-programs.ts'
import { poll } from './poll.ts'
import { freePort, ownServer, root } from './processes.ts'

export function copies(): void {
  for (const [name, start] of Object.entries({
    apache: startApache,
    rclone: startRclone,
    swift: startSwift,
  })) {
    test(`copies: ${name} keeps objects, and says what is wrong`, async (t) => {
      const program = await start()
      t.after(() => program.close())
      await keepsObjects(program)
    })

    test(`copies: what ${name} has is the server, although connections are cut`, async (t) => {
      const program = await start()
      t.after(() => program.close())
      await copyAndRestore(program, t)
    })
  }
}

async function keepsObjects({ address, port, credentials }: PlaceProgram): Promise<void> {
  const place = await openPlace(address(port), { credentials })
  const large = Buffer.alloc(9 * 1024 * 1024, 1)
  assert.deepEqual(await place.list(''), [])
  assert.equal(await place.get('one/none'), undefined)
  await place.put('one/two/large', large)
  await place.put('one/two/large', large)
  for (let index = 0; index < 30; index++) await place.put(`one/two/${index}`, Buffer.from(`object ${index}`))
  assert.equal(Buffer.compare((await place.get('one/two/large')) ?? Buffer.alloc(0), large), 0)
  assert.deepEqual(await place.list(''), [{ name: 'one', bytes: undefined }])
  const entries = await place.list('one/two')
  assert.equal(entries.length, 31)
  assert.equal(entries.find(({ name }) => name === 'large')?.bytes, large.length)
  await place.remove('one')
  await place.remove('one')
  assert.deepEqual(await place.list(''), [])

  const wrong = {
    ...credentials,
    ...('password' in credentials ? { password: 'x' } : { secretAccessKey: 'x' }),
  }
  const other = await openPlace(address(port), { credentials: wrong })
  await assert.rejects(other.put('one', large), { kind: 'refused' })
  const late = await openPlace(address(port), { credentials, now: () => new Date(Date.now() - 3_600_000) })
  assert.deepEqual(await late.list(''), [])
}

async function copyAndRestore(
  { address, port, credentials }: PlaceProgram,
  t: { after(f: () => void): void },
) {
  const door = await CuttingDoor.open(port)
  const folder = await mkdtemp(join(tmpdir(), 'interop-copies-'))
  t.after(async () => {
    door.close()
    await rm(folder, { recursive: true })
  })
  const url = address(door.port)
  const secrets = join(folder, 'credentials.json')
  await writeFile(secrets, JSON.stringify({ places: { [url]: credentials } }), { mode: 0o600 })
  const settings = { PDS_COPIES: url, PDS_COPIES_CREDENTIALS: secrets }
  const server = await ownServer('', '', settings)
  t.after(() => void server.remove())
  const command = async (name: string, ...args: string[]) => {
    const script = join(root, `server/operation/cli/${name}.ts`)
    const env = { ...process.env, PDS_COPIES_CREDENTIALS: secrets }
    return (await promisify(execFile)(process.execPath, ['--no-warnings', script, ...args], { env })).stdout
  }
  const copied = (limitMs: number) =>
    poll(
      async () => {
        const [, status] = JSON.parse(await command('backup', '--status', '--data-dir', server.dataDir))
        return status?.behindSeconds === 0 && status.error === null ? true : undefined
      },
      () => 'the copy is not complete',
      limitMs,
    )

  // Every connection is cut after some bytes; a few get through.
  door.bytes = 30_000
  const account = await createAccount(server.url, 'copied')
  await fill(account, { posts: 1000, pictures: 12 })
  await poll(
    () => (door.cuts >= 10 ? true : undefined),
    () => 'no connections are cut',
    120_000,
  )
  door.bytes = Number.POSITIVE_INFINITY
  await copied(400_000)
  for (let index = 0; index < 20; index++) {
    await put(account, 'app.bsky.feed.post', tid(300_000 + index), postRecord(`Later ${index}`))
  }
  await copied(120_000)
  const before = await contentOf(account)
  await server.kill()

  const sheet = join(folder, 'sheet.txt')
  await command('backup', '--sheet', sheet, '--data-dir', server.dataDir)
  // A restore that is cut goes on where it ended.
  const restored = join(folder, 'restored')
  const restore = () => command('restore', '--from', url, '--key', sheet, '--data-dir', restored)
  door.bytes = 10_000
  await assert.rejects(restore())
  door.bytes = Number.POSITIVE_INFINITY
  assert.match(await restore(), /^Restored the copy of /m)
  const there = await ownServer('', '', { PDS_DATA_DIR: restored })
  const accessJwt = await signIn(there.url, account.did, account.password)
  assertEqualContent(await contentOf({ ...account, server: there.url, accessJwt }), before)
  await there.kill()

  const later = await proveAndTidy({ ...settings, PDS_DATA_DIR: restored }, url, account)
  const again = join(folder, 'again')
  await command('restore', '--from', url, '--key', sheet, '--data-dir', again)
  const last = await ownServer('', '', { PDS_DATA_DIR: again })
  t.after(() => void last.remove())
  const session = await signIn(last.url, account.did, account.password)
  assertEqualContent(await contentOf({ ...account, server: last.url, accessJwt: session }), later)
}

/** Runs the server on three later days: its copy is proven, and older changes are joined. Returns what the account has then. */
async function proveAndTidy(env: Record<string, string>, url: string, account: Account): Promise<Content> {
  let at = Date.now()
  const config = readConfig({ args: [], env: { ...env, PDS_PORT: '0', PDS_LOG_LEVEL: 'silent' } })
  const running = await startServer(config, { now: () => new Date(at) })
  const { copies } = running.services.operation
  try {
    let author = account
    for (let day = 1; day <= 3; day++) {
      at += 24 * 60 * 60_000
      const accessJwt = await signIn(running.url, account.did, account.password)
      author = { ...account, server: running.url, accessJwt }
      for (let index = 0; index < 5; index++) {
        await put(author, 'app.bsky.feed.post', tid(400_000 + 10 * day + index), postRecord(`Day ${day}`))
        await copies.flush(120_000)
      }
    }
    const proof = await copies.prove(url)
    assert.deepEqual([proof.problem, proof.provenAt !== undefined], [undefined, true])
    const before = await countSegments(env, url)
    await copies.compact()
    const after = await countSegments(env, url)
    assert.ok(after < before, `${before} segments before the clean-up, ${after} after it`)
    assert.equal((await copies.prove(url)).problem, undefined)
    return await contentOf(author)
  } finally {
    await running.close()
  }
}

/** Counts the segments of all timelines at a place. */
async function countSegments({ PDS_COPIES_CREDENTIALS: secrets = '' }, url: string): Promise<number> {
  const { places } = JSON.parse(await readFile(secrets, 'utf8'))
  const place = await openPlace(url, { credentials: places[url] })
  return (await readContent({ place, sealer: { sealedBytes } })).segments.length
}

/** Forwards connections to a port, and cuts each after some bytes in either direction. */
class CuttingDoor {
  bytes = Number.POSITIVE_INFINITY
  cuts = 0
  readonly port: number
  readonly #server

  private constructor(port: number, target: number) {
    this.port = port
    this.#server = createServer((near) => this.#forward(near, connect(target, '127.0.0.1'))).listen(
      port,
      '127.0.0.1',
    )
  }

  static async open(target: number): Promise<CuttingDoor> {
    return new CuttingDoor(await freePort(), target)
  }

  close(): void {
    this.#server.close()
  }

  #forward(near: Socket, far: Socket): void {
    let left = this.bytes
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk) => {
        to.write(chunk)
        left -= chunk.length
        if (left > 0 || near.destroyed) return
        this.cuts++
        near.destroy()
        far.destroy()
      })
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  }
}
