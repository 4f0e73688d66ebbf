/** The event stream of this server, read and verified by the network's own library. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createAccount, signIn } from './accounts.ts'
import { Consumer } from './consumer.ts'
import { migrate, published } from './migration.ts'
import { type Program, root } from './processes.ts'
import type { World } from './world.ts'
import {
  apply,
  changeHandle,
  create,
  deleteAccount,
  many,
  mixed,
  putProfile,
  setActive,
  takedown,
} from './writes.ts'

/** Numbers of events skip so many after a restore. */
const skipped = 1_000_000

export function follow({ newServer, theirs, directory, reference, readCode }: World): void {
  test('the consumer library verifies each event once, across moves, a crash, a restore and deletions', async (t) => {
    const server = await newServer()
    t.after(() => server.remove())
    const consumer = new Consumer(reference, server.url, directory.url)
    t.after(() => consumer.close())
    let account = await createAccount(server.url, 'followed')
    await published(directory.url, account.did)

    await t.test('creations, edits, batches', async () => {
      await create(account, 1)
      await putProfile(account, 'A')
      await putProfile(account, 'B')
      await apply(account, many('create', 100, 250))
      await apply(account, mixed)
      await consumer.reaches(account)
    })

    await t.test('an account that moves here', async () => {
      const from = await createAccount(theirs.url, 'arriving')
      await apply(from, many('create', 0, 20))
      const target = { server: server.url, password: 'password after the move' }
      const arrived = await migrate(from, target, readCode)
      await consumer.sees(arrived.did, ({ event }) => event === 'sync')
      await putProfile(arrived, 'Arrived')
      await consumer.sees(arrived.did, ({ path }) => path === 'app.bsky.actor.profile/self')
      assert.deepEqual(consumer.errors(arrived.did), [])
    })

    await t.test('a handle change, a takedown and a deactivation', async () => {
      await changeHandle(account, 'followed-on.test')
      await takedown(account, true)
      await consumer.sees(account.did, ({ status }) => status === 'takendown')
      await takedown(account, false)
      // The takedown has ended the session.
      account = { ...account, accessJwt: await signIn(server.url, account.did, account.password) }
      await setActive(account, false)
      await consumer.sees(account.did, ({ status }) => status === 'deactivated')
      await setActive(account, true)
      await create(account, 2)
      await consumer.reaches(account)
    })

    await t.test('a crash', async () => {
      await server.kill()
      await server.start()
      await apply(account, many('delete', 120, 140))
      await consumer.reaches(account)
    })

    await t.test('a restore from a backup', async () => {
      const [file = ''] = (await run('backup', server)).split(' (')
      await create(account, 3)
      await consumer.reaches(account)
      const last = consumer.lastNumber()
      await server.kill()
      await run('restore', server, file)
      await server.start()
      await consumer.sees(account.did, ({ event, seq }) => event === 'sync' && seq > last + skipped / 2)
      await create(account, 4)
      await consumer.sees(account.did, ({ seq, path }) => seq > last + skipped / 2 && path !== undefined)
    })

    await t.test('a deletion', async () => {
      await deleteAccount(account)
      await consumer.sees(account.did, ({ status }) => status === 'deleted')
    })

    assert.deepEqual(consumer.errors(account.did), [])
    consumer.assertInOrder()
  })
}

/** Runs a command of this program on the data of a server. Returns what it prints. */
async function run(name: 'backup' | 'restore', { dataDir }: Program, ...args: string[]): Promise<string> {
  const file = join(root, `server/operation/cli/${name}.ts`)
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args, '--data-dir', dataDir])
  return stdout
}
