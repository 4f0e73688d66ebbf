/** Moves of accounts between two servers, in both directions, over a connection that fails. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { P256Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { expect, test } from 'vitest'
import { find as findMove } from '../../../../server/repository/tables/moves.ts'
import { ServerProcess } from '../../../crash/process.ts'
import { didDocument, startDidHost } from '../../../support/accounts/did-host.ts'
import { signServiceJwt } from '../../../support/accounts/jwt.ts'
import {
  directory,
  filesOf,
  filledAccount,
  moveIn,
  moveOut,
  other,
  password,
  preferences,
  proceed,
  proxy,
  records,
  repeated,
  server,
  settled,
  setupMoving,
  succeed,
} from '../../../support/accounts/moving.ts'
import { FaultyProxy } from '../../../support/network/faulty-proxy.ts'
import { minute } from '../../../support/server/clock.ts'
import { type Account, refusal, type TestServer } from '../../../support/server/server.ts'

setupMoving()

test('move in: records, files and preferences arrive, though each call fails once', async () => {
  const account = await filledAccount(other, 'alice')
  const before = { records: await records(other, account.did), files: await filesOf(other, account.did) }
  proxy.faults.set('com.atproto.server.createSession', 'before')
  expect(await moveIn(account)).toMatchObject(refusal(400, 'MoveRefused'))
  proxy.faults.set('com.atproto.server.getServiceAuth', 'midway')
  expect(await moveIn(account)).toMatchObject(refusal(400, 'MoveRefused'))

  for (const nsid of ['sync.getRepo', 'sync.getBlob']) proxy.faults.set(`com.atproto.${nsid}`, 'midway')
  proxy.faults.set('app.bsky.actor.getPreferences', 'midway')
  proxy.faults.set('com.atproto.identity.requestPlcOperationSignature', 'after')
  const { status, body: here } = await moveIn(account)
  expect({ status, ...here }).toMatchObject({ status: 200, did: account.did, handle: 'alice.here.test' })
  expect(await repeated(server, here)).toMatchObject({
    ...{ step: 'identity', need: 'code', canCancel: true },
    ...{ blobsExpected: 3, blobsCopied: 3, blobsMissing: 0 },
  })
  expect(await proceed(server, here, { code: 'AAAAA-AAAAA' })).toMatchObject(refusal(400, 'MoveRefused'))
  proxy.faults.set('com.atproto.server.deactivateAccount', 'after')
  await succeed(proceed(server, here, { code: await other.codeTo(account.email) }))
  expect(await repeated(server, here)).toMatchObject({ step: 'done', endedAt: expect.any(String) })
  expect([...proxy.faults]).toEqual([])

  expect(await records(server, account.did)).toEqual(before.records)
  expect(await filesOf(server, account.did)).toEqual(before.files)
  expect((await succeed(server.get('app.bsky.actor.getPreferences', {}, here))).preferences).toEqual(
    preferences,
  )
  const { body: session } = await server.signIn({ handle: 'alice.here.test', password })
  expect(session).toMatchObject({ active: true })
  const { body: old } = await other.signIn(account)
  expect(old).toMatchObject({ active: false, status: 'deactivated' })
  // The session of the move has ended; the first and the last are this test's.
  expect((await succeed(other.get('com.core.server.listSessions', {}, old))).sessions).toHaveLength(2)
  expect(directory.last(account.did)).toMatchObject({
    alsoKnownAs: ['at://alice.here.test'],
    services: { atproto_pds: { endpoint: server.running.services.origin } },
  })
})

test('move out: the account arrives with what was written meanwhile, though calls fail', async () => {
  const account = await filledAccount(server, 'oliver')
  const recovery = await Secp256k1Keypair.create()
  const recoveryKey = { key: recovery.did(), password: account.password }
  await succeed(server.post('com.core.identity.addRecoveryKey', recoveryKey, account))
  proxy.faults.set('com.atproto.server.createAccount', 'after')
  expect(await moveOut(account)).toMatchObject(refusal(400, 'MoveRefused'))
  for (const nsid of ['repo.importRepo', 'repo.uploadBlob', 'server.activateAccount']) {
    proxy.faults.set(`com.atproto.${nsid}`, 'after')
  }
  expect(await moveOut(account)).toMatchObject({ status: 200, body: { handle: 'oliver.other.test' } })
  expect(await repeated(server, account)).toMatchObject({ need: 'code', blobsCopied: 3 })
  const late = { repo: account.did, collection: 'com.example.note', record: { written: 'late' } }
  await succeed(server.post('com.core.repo.createRecord', late, account))
  const before = { records: await records(server, account.did), files: await filesOf(server, account.did) }

  proxy.faults.set('com.atproto.identity.submitPlcOperation', 'after')
  await succeed(proceed(server, account, { code: await server.codeTo(account.email) }))
  expect(await repeated(server, account)).toMatchObject({ step: 'done', canCancel: false })
  expect([...proxy.faults]).toEqual([])
  expect(await records(other, account.did)).toEqual(before.records)
  expect(await filesOf(other, account.did)).toEqual(before.files)
  const { body: there } = await other.signIn({ handle: 'oliver.other.test', password })
  expect(there).toMatchObject({ active: true })
  expect((await succeed(other.get('app.bsky.actor.getPreferences', {}, there))).preferences).toEqual(
    preferences,
  )
  expect((await server.signIn(account)).body).toMatchObject({ active: false, status: 'deactivated' })
  expect(directory.last(account.did)).toMatchObject({
    rotationKeys: [recovery.did(), other.running.services.identity.secrets.rotationKey.did],
    alsoKnownAs: ['at://oliver.other.test'],
    services: { atproto_pds: { endpoint: proxy.url } },
  })
  expect(tokensOf(account)).toEqual({ accessJwt: null, refreshJwt: null, operation: null })
})

function tokensOf({ did }: Account) {
  const { accessJwt, refreshJwt, operation } = findMove(server.running.services.store, did) ?? {}
  return { accessJwt, refreshJwt, operation }
}

test('move in: goes on after the server was killed in the middle of a step', async () => {
  const account = await filledAccount(other, 'kim')
  const front = await FaultyProxy.start()
  const dataDir = await mkdtemp(join(tmpdir(), 'pds-mover-'))
  const script = join(import.meta.dirname, 'mover.ts')
  let mover: ServerProcess | undefined
  const start = async () => {
    const started = new ServerProcess(dataDir, script, front.url, directory.url)
    mover = started
    front.target = await started.serving()
  }
  const killAt = async (call: Promise<void>) => {
    await call
    await mover?.kill()
    await start()
  }
  await start()
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  const call = async (method: string, init: RequestInit = {}): Promise<any> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${session.accessJwt}` }
    return (await fetch(`${front.target}/xrpc/com.core.move.${method}`, { headers, ...init })).json()
  }
  const post = (method: string, input: unknown) =>
    call(method, { method: 'POST', body: JSON.stringify(input) })
  let session = { accessJwt: '' }

  const until = async (isReached: (move: { need?: string; endedAt?: string }) => boolean) => {
    for (;;) {
      const { move } = await call('getMove')
      if (isReached(move)) return move
    }
  }

  const codeRequested = proxy.called('com.atproto.identity.requestPlcOperationSignature')
  const killed = killAt(proxy.called('com.atproto.sync.getBlob'))
  session = await post('moveIn', {
    ...{ identifier: account.did, password: account.password },
    ...{ handle: 'kim.here.test', newPassword: password },
  })
  await killed
  await codeRequested
  await until((move) => move.need === 'code')
  const deactivatedAgain = proxy.called('com.atproto.server.deactivateAccount', 2)
  const killedAtEnd = killAt(proxy.called('com.atproto.server.deactivateAccount'))
  await post('continueMove', { code: await other.codeTo(account.email) })
  await killedAtEnd
  await deactivatedAgain
  expect(await until((move) => move.endedAt !== undefined)).toMatchObject({
    step: 'done',
    blobsCopied: 3,
    blobsMissing: 0,
  })
  const query = new URLSearchParams({ repo: account.did, collection: 'com.example.note', limit: '100' })
  const listed = await fetch(`${front.target}/xrpc/com.core.repo.listRecords?${query}`)
  expect(((await listed.json()) as { records: unknown[] }).records).toHaveLength(43)
  expect((await other.signIn(account)).body).toMatchObject({ status: 'deactivated' })
  await mover?.kill()
  await front.close()
  await rm(dataDir, { recursive: true, force: true })
})

test('move in: the owner of a did:web changes its document', async () => {
  const web = await startDidHost()
  const { did } = web
  const key = await P256Keypair.create()
  web.documents.set(did, didDocument(did, key, 'webster.other.test', 'https://first.example'))
  const { serverDid, origin } = other.running.services
  const iat = Math.floor(other.clock.now().getTime() / 1000)
  const claims = { iss: did, aud: serverDid, lxm: 'com.atproto.server.createAccount', iat, exp: iat + 60 }
  const account = { did, handle: 'webster.other.test', email: 'webster@mail.test', password }
  const created = await succeed(
    other.post('com.core.server.createAccount', account, await signServiceJwt(key, { ...claims, jti: 'a' })),
  )
  const publish = ({ verificationMethods }: { verificationMethods: { atproto: string } }, at: TestServer) => {
    const named = { did: () => verificationMethods.atproto }
    web.documents.set(did, didDocument(did, named, 'webster.other.test', `${at.running.services.origin}/`))
    at.clock.advance(minute)
  }
  const recommended = 'com.core.identity.getRecommendedDidCredentials'
  publish(await succeed(other.get(recommended, {}, created)), other)
  await succeed(other.post('com.core.server.activateAccount', undefined, created))
  expect(origin).toBe(proxy.url)

  const { body: here } = await moveIn({ ...account, ...created })
  const move = await settled(server, here)
  expect(move).toMatchObject({ need: 'document', credentials: { services: {} } })
  expect(await repeated(server, here)).toMatchObject({ need: 'document' })
  publish(move.credentials, server)
  await succeed(proceed(server, here))
  expect(await repeated(server, here)).toMatchObject({ step: 'done' })
  expect((await server.signIn({ handle: 'webster.here.test', password })).body).toMatchObject({
    active: true,
  })
  expect((await other.signIn(account)).body).toMatchObject({ status: 'deactivated' })
  await web.close()
})

test('move out: an account without an email address gets the code for its password', async () => {
  const account = await server.account('vera', { email: undefined, handle: 'vera.here.test' })
  await succeed(moveOut(account))
  expect(await repeated(server, account)).toMatchObject({ need: 'code' })
  const input = { purpose: 'signPlcOperation', password: account.password }
  const { token } = await succeed(server.post('com.core.server.createCode', input, account))
  await succeed(proceed(server, account, { code: token }))
  expect(await repeated(server, account)).toMatchObject({ step: 'done' })
  const { body: there } = await other.signIn({ handle: 'vera.other.test', password })
  expect(there).toMatchObject({ active: true })
})
