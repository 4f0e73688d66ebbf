/** Writes while an account moves: they arrive at the new server, are refused, or stop the move. */
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { find as findMove } from '../../../../server/repository/tables/moves.ts'
import {
  directory,
  filledAccount,
  moveIn,
  moveOut,
  other,
  password,
  proceed,
  proxy,
  records,
  repeated,
  server,
  settled,
  setupMoving,
  succeed,
  whileAnswering,
} from '../../../support/accounts/moving.ts'
import { importRepo } from '../../../support/accounts/moving-account.ts'
import { png, upload } from '../../../support/records/blobs.ts'
import {
  type Account,
  type Answer,
  adminAuth,
  refusal,
  type TestServer,
} from '../../../support/server/server.ts'

setupMoving()

const unavailable = (res: ServerResponse) => res.writeHead(503).end()

const write = (at: TestServer, account: Account, value = 'late') =>
  at.post(
    'com.core.repo.createRecord',
    { repo: account.did, collection: 'com.example.note', record: { value } },
    account,
  )

/** Calls every method that changes data that a move copies. */
async function writesOf(account: Account): Promise<Record<string, Answer>> {
  const { did } = account
  const [{ uri, value }] = await records(server, did)
  const place = { repo: did, collection: 'com.example.note', rkey: uri.split('/').at(-1) }
  const call = (nsid: string, input: unknown) => server.post(nsid, input, account)
  return {
    createRecord: await write(server, account),
    putRecord: await call('com.core.repo.putRecord', { ...place, record: { ...value, changed: true } }),
    deleteRecord: await call('com.core.repo.deleteRecord', place),
    applyWrites: await call('com.core.repo.applyWrites', {
      repo: did,
      writes: [{ $type: 'com.core.repo.applyWrites#create', collection: 'com.example.note', value: {} }],
    }),
    uploadBlob: await upload(server, account, new Uint8Array(png('late'))),
    putPreferences: await call('app.bsky.actor.putPreferences', { preferences: [] }),
    updateHandle: await call('com.core.identity.updateHandle', { handle: 'renamed.here.test' }),
    addRecoveryKey: await call('com.core.identity.addRecoveryKey', { key: 'did:key:any', password }),
    removeRecoveryKey: await call('com.core.identity.removeRecoveryKey', { key: 'did:key:any', password }),
    updateAccountHandle: await server.post(
      'com.core.admin.updateAccountHandle',
      { did, handle: 'renamed.here.test' },
      adminAuth,
    ),
  }
}

const isMoving = {
  status: 400,
  body: { error: 'InvalidRequest', message: expect.stringContaining('This account is moving to localhost:') },
}

test('move out: from the last copy on every write is refused, also after a restart, and nothing is lost', async () => {
  const account = await filledAccount(server, 'writer')
  await moveOut(account)
  await repeated(server, account)
  await succeed(write(server, account, 'before the code'))
  const code = { code: await server.codeTo(account.email) }
  const move = await whileAnswering('com.atproto.server.activateAccount', unavailable, async () => {
    await succeed(proceed(server, account, code))
    return settled(server, account)
  })
  expect(move).toMatchObject({ step: 'activation', error: expect.any(String), writesStopped: true })
  for (const [method, answer] of Object.entries(await writesOf(account))) {
    expect(answer, method).toMatchObject(isMoving)
  }
  await whileAnswering('com.atproto.server.activateAccount', unavailable, async () => {
    await server.running.close()
    await server.open()
    await server.running.services.background.idle()
    expect(await write(server, account)).toMatchObject(isMoving)
  })
  const acknowledged = await records(server, account.did)
  expect(acknowledged).toHaveLength(44)

  expect(await repeated(server, account)).toMatchObject({ step: 'done', writesStopped: false })
  expect(await records(other, account.did)).toEqual(acknowledged)
  expect(await write(server, account)).toMatchObject(refusal(401, 'AccountDeactivated'))
  await succeed(server.post('com.core.server.deactivateAccount', {}, account))
  const archive = await fetch(`${other.url}/xrpc/com.core.sync.getRepo?did=${account.did}`)
  expect(await importRepo(server, account, await archive.arrayBuffer())).toMatchObject({ status: 200 })
})

test('move out: a deactivated account imports nothing after the last copy', async () => {
  const account = await filledAccount(server, 'paused')
  const archive = await (
    await fetch(`${server.url}/xrpc/com.core.sync.getRepo?did=${account.did}`)
  ).arrayBuffer()
  await moveOut(account)
  await repeated(server, account)
  const code = { code: await server.codeTo(account.email) }
  await whileAnswering('com.atproto.server.activateAccount', unavailable, async () => {
    await succeed(proceed(server, account, code))
    await settled(server, account)
    await succeed(server.post('com.core.server.deactivateAccount', {}, account))
    expect(await importRepo(server, account, archive)).toMatchObject(isMoving)
  })
  expect(await repeated(server, account)).toMatchObject({ step: 'done' })
})

test('move out: until the operation is submitted the move can be cancelled, and writes are accepted again', async () => {
  const account = await filledAccount(server, 'undecided')
  await moveOut(account)
  await repeated(server, account)
  await succeed(write(server, account))
  const code = { code: await server.codeTo(account.email) }
  await whileAnswering('com.atproto.repo.importRepo', unavailable, async () => {
    await succeed(proceed(server, account, code))
    expect(await settled(server, account)).toMatchObject({ step: 'repository', canCancel: true })
  })
  expect(await write(server, account)).toMatchObject(isMoving)
  await succeed(server.post('com.core.move.cancelMove', undefined, account))
  await succeed(write(server, account))
  expect(directory.log(account.did)).toHaveLength(1)
})

test('move out: an operation that comes too late ends the refusal of writes, and a new code is needed', async () => {
  const account = await filledAccount(server, 'late')
  await moveOut(account)
  await repeated(server, account)
  const reject = (res: ServerResponse) =>
    res.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"InvalidRequest"}')
  const code = { code: await server.codeTo(account.email) }
  const move = await whileAnswering('com.atproto.identity.submitPlcOperation', reject, async () => {
    await succeed(proceed(server, account, code))
    return settled(server, account)
  })
  expect(move).toMatchObject({ step: 'identity', canCancel: true, writesStopped: false })
  await succeed(write(server, account))
  await succeed(proceed(server, account))
  expect(await settled(server, account)).toMatchObject({ need: 'code' })
})

test('move in: an old server that is written to during each copy stops the move before the identity', async () => {
  const account = await filledAccount(other, 'busy')
  const { body: here } = await moveIn(account)
  expect(await settled(server, here)).toMatchObject({ need: 'code' })
  const code = { code: await other.codeTo(account.email) }
  const latest = 'com.atproto.sync.getLatestCommit'
  let written = 0
  const writeAfterwards = async (res: ServerResponse) => {
    const { body } = await other.get('com.core.sync.getLatestCommit', { did: account.did })
    await succeed(write(other, account, `meanwhile ${++written}`))
    res.end(JSON.stringify(body))
  }
  const move = await whileAnswering(
    latest,
    (res) => void writeAfterwards(res),
    async () => {
      await succeed(proceed(server, here, code))
      return settled(server, here)
    },
  )
  expect(move).toMatchObject({ step: 'identity', need: 'copy' })
  expect(directory.log(account.did)).toHaveLength(1)
  await succeed(proceed(server, here))
  expect(await settled(server, here)).toMatchObject({ step: 'done' })
  expect(await records(server, account.did)).toHaveLength(43 + written)
})

/** Moves an account in, except for the deactivation, while a record is written at the old server. */
async function movedWithLaterRecord(name: string) {
  const account = await filledAccount(other, name)
  const { body: here } = await moveIn(account)
  await settled(server, here)
  const code = { code: await other.codeTo(account.email) }
  await whileAnswering('com.atproto.server.deactivateAccount', unavailable, async () => {
    await succeed(proceed(server, here, code))
    expect(await settled(server, here)).toMatchObject({ step: 'deactivation', error: expect.any(String) })
  })
  await succeed(write(other, account))
  await succeed(proceed(server, here))
  expect(await settled(server, here)).toMatchObject({ step: 'deactivation', need: 'copy' })
  expect((await other.signIn(account)).body).toMatchObject({ active: true })
  const { body: session } = await server.signIn({ handle: `${name}.here.test`, password })
  expect(session).toMatchObject({ active: true })
  return { account, here: { ...account, ...session } }
}

test('move in: what was written at the old server before its deactivation is reported and copied again', async () => {
  const { account, here } = await movedWithLaterRecord('tardy')
  await succeed(proceed(server, here))
  expect(await settled(server, here)).toMatchObject({ step: 'done' })
  expect(await records(server, account.did)).toHaveLength(44)
  expect((await server.signIn({ handle: 'tardy.here.test', password })).body).toMatchObject({ active: true })
  expect((await other.signIn(account)).body).toMatchObject({ status: 'deactivated' })
})

test('move in: another copy deletes nothing that was written here; the owner can leave later records behind', async () => {
  const { account, here } = await movedWithLaterRecord('both')
  await succeed(write(server, here, 'written here'))
  await succeed(proceed(server, here))
  expect(await settled(server, here)).toMatchObject({
    ...{ step: 'deactivation', need: 'copy' },
    error: expect.stringContaining('Another copy would delete them'),
  })
  await succeed(proceed(server, here, { withoutLaterRecords: true }))
  expect(await settled(server, here)).toMatchObject({ step: 'done' })
  const values = (await records(server, account.did)).map(({ value }: { value: object }) => value)
  expect(values).toContainEqual({ $type: 'com.example.note', value: 'written here' })
  expect(values).toHaveLength(44)
})

test('a move that has ended is stored before the session at the other server is closed', async () => {
  const account = await filledAccount(other, 'closing')
  const { body: here } = await moveIn(account)
  await settled(server, here)
  const code = { code: await other.codeTo(account.email) }
  const silence = () => {}
  await whileAnswering('com.atproto.server.deleteSession', silence, async () => {
    const called = proxy.called('com.atproto.server.deleteSession')
    await succeed(proceed(server, here, code))
    await called
    expect(findMove(server.running.services.store, account.did)).toMatchObject({
      ...{ step: 'done', refreshJwt: null },
    })
    await server.running.close()
    await server.open()
  })
})
