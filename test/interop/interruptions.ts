/** Moves whose connection is cut, and whose server is killed at any point: nothing that was answered is lost, nothing half is left. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { type Account, assertEqualContent, contentOf, createAccount, fill, picture } from './accounts.ts'
import { assertMoved, importRepository, migrate, openAccount } from './migration.ts'
import type { Program } from './processes.ts'
import type { World } from './world.ts'
import { get, post } from './xrpc.ts'

export function interruptions({ theirs, ours, directory, readCode }: World): void {
  const restart = async () => {
    await ours.kill()
    await ours.start()
  }

  for (const [index, [way, source, target]] of (
    [
      ['to this server', theirs, ours],
      ['from this server', ours, theirs],
    ] as const
  ).entries()) {
    test(`an account moves ${way} while it is killed after each answer`, async () => {
      const from = await createAccount(source.url, `killed${index}`)
      await fill(from)
      const before = await contentOf(from)
      const to = await migrate(
        from,
        { server: target.url, password: 'password after the move' },
        readCode,
        restart,
      )
      await assertMoved(directory.url, from, to)
      assertEqualContent(await contentOf(to), before)
    })
  }

  test('an import that is cut changes nothing and can be sent again', async (t) => {
    const { from, to } = await opened(theirs, ours, 'cut')
    for (const share of [0.01, 0.5, 0.99]) {
      const archive = await get(from.server, 'com.atproto.sync.getRepo', { params: { did: from.did } })
      const door = await CutDoor.open(ours.port, Math.floor(archive.bytes.length * share))
      t.after(() => door.close())
      await assert.rejects(
        post(door.url, 'com.atproto.repo.importRepo', {
          auth: to.accessJwt,
          body: archive.bytes,
          type: 'application/vnd.ipld.car',
        }),
      )
      assert.equal(await indexedRecords(to), 0)
    }
    await importRepository(from, to)
    assert.equal(await indexedRecords(to), await indexedRecords(from))
  })

  test('an upload that is cut leaves no blob', async (t) => {
    const { from, to } = await opened(theirs, ours, 'cutblob')
    await importRepository(from, to)
    const door = await CutDoor.open(ours.port, 30_000)
    t.after(() => door.close())
    const blob = { auth: to.accessJwt, body: picture(0), type: 'image/png' }
    await assert.rejects(post(door.url, 'com.atproto.repo.uploadBlob', blob))
    const { body } = await get(to.server, 'com.atproto.server.checkAccountStatus', { auth: to.accessJwt })
    assert.equal(body.importedBlobs, 0)
    assert.equal(body.expectedBlobs, 5)
  })

  test('an import during which the server is killed is whole or has not happened', async () => {
    const { from, to } = await opened(theirs, ours, 'killedimport', 3000)
    const whole = await indexedRecords(from)
    const seen = new Set<number>()
    for (const ms of [0, 5, 10, 20, 40, 80, 160, 320, 640, 1280]) {
      const importing = importRepository(from, to).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, ms))
      await restart()
      await importing
      const records = await indexedRecords(to)
      assert.ok(records === 0 || records === whole, `${records} records of ${whole}`)
      seen.add(records)
    }
    await importRepository(from, to)
    assert.equal(await indexedRecords(to), whole)
    assert.ok(seen.has(0), 'some kill came early enough')
  })
}

/** An account with content at one server, and its deactivated counterpart at the other. */
async function opened(source: Program, target: Program, name: string, posts = 250) {
  const from = await createAccount(source.url, name)
  await fill(from, { posts })
  const to = await openAccount(from, { server: target.url, password: 'password after the move' })
  return { from, to }
}

async function indexedRecords({ server, accessJwt: auth }: Account): Promise<number> {
  return (await get(server, 'com.atproto.server.checkAccountStatus', { auth })).body.indexedRecords
}

/** Forwards connections to a port and cuts each after some bytes from the client. */
class CutDoor {
  readonly #server = createServer((client) => this.#forward(client))
  readonly #port: number
  readonly #bytes: number

  private constructor(port: number, bytes: number) {
    this.#port = port
    this.#bytes = bytes
  }

  static async open(port: number, bytes: number): Promise<CutDoor> {
    const door = new CutDoor(port, bytes)
    door.#server.listen(0, 'localhost')
    await once(door.#server, 'listening')
    return door
  }

  get url(): string {
    const address = this.#server.address()
    return `http://localhost:${address && typeof address === 'object' ? address.port : 0}`
  }

  close(): void {
    this.#server.close()
  }

  #forward(client: Socket): void {
    const server = connect(this.#port, 'localhost')
    let left = this.#bytes
    client.on('data', (chunk) => {
      server.write(chunk.subarray(0, left))
      left -= chunk.length
      if (left > 0) return
      server.end()
      client.destroy()
    })
    server.pipe(client)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  }
}
