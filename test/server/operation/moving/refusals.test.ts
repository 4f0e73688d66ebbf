/** Moves that cannot start or go on, and other servers that lie. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { find as findMove } from '../../../../server/repository/tables/moves.ts'
import {
  directory,
  filledAccount,
  moveIn,
  moveOut,
  names,
  other,
  password,
  proceed,
  proxy,
  records,
  server,
  settled,
  setupMoving,
  succeed,
  whileAnswering,
} from '../../../support/accounts/moving.ts'
import { filesIn } from '../../../support/records/blobs.ts'
import { hour } from '../../../support/server/clock.ts'
import { adminAuth, refusal, TestServer } from '../../../support/server/server.ts'

setupMoving()

const refused = (message: RegExp) => ({
  status: 400,
  body: { error: 'MoveRefused', message: expect.stringMatching(message) },
})

test('move in: is refused without a public address or a directory', async () => {
  const local = await TestServer.start({ publicUrl: undefined, plcUrl: directory.url })
  const input = { identifier: 'alice.example', password, handle: 'alice.test', newPassword: password }
  expect(await local.post('com.core.move.moveIn', input)).toMatchObject(refused(/public https address/))
  await local.close()
})

test('private addresses are not contacted', async () => {
  const guarded = await TestServer.start({ plcUrl: directory.url })
  const owner = await guarded.account('owner1')
  const describe = (url: string) => guarded.get('com.core.move.describeServer', { server: url }, owner)
  expect(await describe(proxy.url)).toMatchObject(refused(/only https/))
  expect(await describe('https://127.0.0.1')).toMatchObject(refused(/not a public address/))
  const input = {
    identifier: 'a.example',
    server: 'https://10.0.0.1',
    password,
    handle: 'a.test',
    newPassword: password,
  }
  expect(await guarded.post('com.core.move.moveIn', input)).toMatchObject(refused(/not a public address/))
  await guarded.close()
})

test('pages of other sites can neither move accounts here nor look them up', async () => {
  const headers = { origin: 'https://evil.example', 'content-type': 'application/json' }
  const body = JSON.stringify({ identifier: 'a.example', password, handle: 'a.test', newPassword: password })
  const moved = await server.fetch('/xrpc/com.core.move.moveIn', { method: 'POST', headers, body })
  expect(moved).toMatchObject(refusal(403, 'Forbidden'))
  const found = await server.fetch('/xrpc/com.core.move.findAccount?identifier=a.example', { headers })
  expect(found).toMatchObject(refusal(403, 'Forbidden'))
})

test('an account is found by DID or handle; others, and invalid addresses of servers, are refused', async () => {
  const { did, handle, ...account } = await other.account('found', { handle: 'found.other.test' })
  await other.running.services.identity.plc.publish(did)
  names.set(handle, did)
  const find = (identifier: string) => server.get('com.core.move.findAccount', { identifier })
  for (const identifier of [did, handle, ' @Found.Other.test']) {
    expect((await find(identifier)).body).toEqual({ did, handle, server: proxy.url })
  }
  const missing = 'missing.other.test'
  expect(await find(missing)).toMatchObject(refused(/No account with the handle missing.other.test/))
  expect(await moveIn({ ...account, did: missing, handle })).toMatchObject(refused(/address of its server/))
  for (const address of ['no address', 'https://']) {
    const answer = await moveIn({ ...account, did, handle }, { server: address })
    expect(answer).toMatchObject(refused(/Enter the address of a server/))
  }
})

test('move in: needs the main password of the old server, and its second factor', async () => {
  const account = await filledAccount(other, 'factor')
  expect(await moveIn(account, { password: 'wrong' })).toMatchObject(
    refused(/^localhost:\d+: Invalid identifier or password/),
  )
  const app = await other.appSession(account, 'privileged', true)
  expect(await moveIn(account, { password: app.password })).toMatchObject(refused(/app password/))

  await other.confirmEmail(account)
  await succeed(other.post('com.core.server.requestEmailUpdate', undefined, account))
  const token = await other.codeTo(account.email)
  await succeed(
    other.post(
      'com.core.server.updateEmail',
      { email: account.email, emailAuthFactor: true, token },
      account,
    ),
  )
  expect(await moveIn(account)).toMatchObject(refusal(401, 'AuthFactorTokenRequired'))
  const authFactorToken = await other.codeTo(account.email)
  expect(await moveIn(account, { authFactorToken, handle: 'no handle' })).toMatchObject(
    refused(/domain name/),
  )
  await moveIn(account)
  const again = await moveIn(account, { authFactorToken: await other.codeTo(account.email) })
  expect(again).toMatchObject({ status: 200, body: { handle: 'factor.here.test' } })
  expect(await settled(server, again.body)).toMatchObject({ need: 'code' })
})

test('move in: the owner signs in again when the session there has ended', async () => {
  const account = await filledAccount(other, 'expired')
  const { body: here } = await moveIn(account)
  await settled(server, here)
  const { accessJwt } = findMove(server.running.services.store, account.did) ?? {}
  await succeed(other.post('com.core.server.deleteSession', undefined, accessJwt ?? ''))
  await succeed(proceed(server, here))
  expect(await settled(server, here)).toMatchObject({ need: 'signIn' })
  expect(await proceed(server, here, { password: 'wrong' })).toMatchObject(
    refused(/Invalid identifier or password/),
  )
  await succeed(proceed(server, here, { password: account.password }))
  expect(await settled(server, here)).toMatchObject({ need: 'code' })

  const { accessJwt: second } = findMove(server.running.services.store, account.did) ?? {}
  await succeed(other.post('com.core.server.deleteSession', undefined, second ?? ''))
  other.clock.advance(3 * hour)
  server.clock.advance(3 * hour)
  const entered = await proceed(
    server,
    (await server.signIn({ handle: 'expired.here.test', password })).body,
    {
      code: 'AAAAA-AAAAA',
    },
  )
  expect(entered).toMatchObject({ status: 200, body: { need: 'signIn' } })
})

test('a session that the other server rejects is refreshed, and the call repeated', async () => {
  const account = await other.account('refreshed', { handle: 'refreshed.other.test' })
  await other.running.services.identity.plc.publish(account.did)
  const { body: here } = await moveIn(account)
  expect(await settled(server, here)).toMatchObject({ need: 'code' })
  const stored = () => {
    const { accessJwt, refreshJwt } = findMove(server.running.services.store, account.did) ?? {}
    return { accessJwt, refreshJwt }
  }
  const requestCode = 'com.atproto.identity.requestPlcOperationSignature'
  const reject = (res: ServerResponse) =>
    res.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"ExpiredToken"}')
  const fail = (res: ServerResponse) => res.writeHead(502).end()
  const requestAgain = async () => {
    await succeed(proceed(server, here))
    return settled(server, here)
  }

  const first = stored()
  const rejectFirst = (res: ServerResponse, req: IncomingMessage) =>
    req.headers.authorization === `Bearer ${first.accessJwt}` ? reject(res) : res.end('{}')
  expect(await whileAnswering(requestCode, rejectFirst, requestAgain)).toMatchObject({ need: 'code' })
  const second = stored()
  expect(second.accessJwt).not.toBe(first.accessJwt)
  expect(second.refreshJwt).not.toBe(first.refreshJwt)
  expect(await requestAgain()).toMatchObject({ need: 'code' })

  const failed = await whileAnswering(requestCode, reject, () =>
    whileAnswering('com.atproto.server.refreshSession', fail, requestAgain),
  )
  expect(failed).toMatchObject({ error: expect.stringContaining('502') })
  expect(failed).not.toHaveProperty('need')
  expect(stored()).toEqual(second)

  expect(await whileAnswering(requestCode, reject, requestAgain)).toMatchObject({ need: 'signIn' })
})

test('a server that opens no session is refused', async () => {
  const account = await other.account('tokenless', { handle: 'tokenless.other.test' })
  await other.running.services.identity.plc.publish(account.did)
  const answer = await whileAnswering(
    'com.atproto.server.createSession',
    (res) => res.end(JSON.stringify({ did: account.did, accessJwt: 'token' })),
    () => moveIn(account),
  )
  expect(answer).toMatchObject(refused(/did not open a session/))
})

test('cancel: a move in deletes the account here, a move out leaves it active', async () => {
  const account = await filledAccount(other, 'regret')
  const { body: here } = await moveIn(account)
  await settled(server, here)
  await succeed(server.post('com.core.move.cancelMove', undefined, here))
  expect(await server.signIn({ handle: 'regret.here.test', password })).toMatchObject(
    refusal(401, 'AuthenticationRequired'),
  )
  expect((await other.signIn(account)).body).toMatchObject({ active: true })

  const leaver = await filledAccount(server, 'leaver')
  await moveOut(leaver)
  await settled(server, leaver)
  await succeed(server.post('com.core.move.cancelMove', undefined, leaver))
  expect((await server.get('com.core.move.getMove', {}, leaver)).body).toEqual({})
  expect((await server.signIn(leaver)).body).toMatchObject({ active: true })
  expect(directory.log(leaver.did)).toHaveLength(1)
})

test('the administrator moves an account without a code', async () => {
  const account = await filledAccount(server, 'worker')
  const input = { did: account.did, server: proxy.url, password }
  expect(await server.post('com.core.admin.moveAccount', input, adminAuth)).toMatchObject({ status: 200 })
  await server.running.services.background.idle()
  const { move } = (await server.get('com.core.admin.getMove', { did: account.did }, adminAuth)).body
  expect(move).toMatchObject({ step: 'done', handle: 'worker.other.test', blobsCopied: 3 })
  expect((await other.signIn({ handle: 'worker.other.test', password })).body).toMatchObject({ active: true })
  expect(await records(other, account.did)).toHaveLength(43)
  expect(await server.mailsTo(account.email)).toEqual([])
})

test('a server with the identity of another one gets no token', async () => {
  const account = await filledAccount(server, 'careful')
  const lie = JSON.stringify({ did: 'did:web:victim.example', availableUserDomains: ['.victim.example'] })
  const answer = await whileAnswering(
    'com.atproto.server.describeServer',
    (res) => res.end(lie),
    () => moveOut(account),
  )
  expect(answer).toMatchObject(refused(/identity of another server/))
})

test('files with wrong bytes, and files without end, are dropped and listed as missing', async () => {
  const account = await filledAccount(other, 'wrong')
  const before = await filesIn(server.config.dataDir, 'blobs')
  const lies: ((res: ServerResponse) => void)[] = [
    (res) => res.end('other bytes'),
    (res) => res.writeHead(200, { 'content-length': 1e9 }).write('too large'),
    (res) => sendForever(res, Buffer.alloc(1_000_000)),
  ]
  const lie = (res: ServerResponse) => lies.pop()?.(res)
  const { body: here } = await whileAnswering('com.atproto.sync.getBlob', lie, async () => {
    const started = await moveIn(account)
    await settled(server, started.body)
    return started
  })
  expect(lies).toEqual([])
  const move = await settled(server, here)
  expect(move).toMatchObject({ step: 'media', need: 'media', blobsCopied: 0, blobsMissing: 3 })
  expect(move.missingMedia.map(({ reason }: { reason: string }) => reason).sort()).toEqual([
    'tooLarge',
    'tooLarge',
    'wrongBytes',
  ])
  expect(await filesIn(server.config.dataDir, 'blobs')).toEqual(before)
})

test('a repository is copied once the old server sends the right one', async () => {
  const account = await filledAccount(other, 'lied-to')
  const ofAnother = await repositoryOfAnother()
  const lies: ((res: ServerResponse) => void)[] = [
    (res) => res.writeHead(302, { location: 'http://localhost/' }).end(),
    (res) => res.writeHead(200).end('<html>'),
    (res) => res.writeHead(200, { 'content-type': 'application/vnd.ipld.car' }).end(ofAnother),
    (res) => sendForever(res, Buffer.alloc(1_000_000)),
  ]
  let here = { accessJwt: '' }
  for (const lie of lies) {
    const move = await whileAnswering('com.atproto.sync.getRepo', lie, async () => {
      if (here.accessJwt) await succeed(proceed(server, here))
      else here = (await moveIn(account)).body
      return settled(server, here)
    })
    expect(move).toMatchObject({ step: 'repository', error: expect.any(String) })
  }
  expect(await filesIn(server.config.dataDir, 'imports')).toEqual([])
  await succeed(proceed(server, here))
  expect(await settled(server, here)).toMatchObject({ need: 'code', blobsCopied: 3 })
})

test('a silent server does not delay the close, and the step is repeated after the start', async () => {
  const account = await filledAccount(other, 'silent')
  const silence = () => {}
  const { body: here } = await whileAnswering('com.atproto.sync.getRepo', silence, async () => {
    const asked = proxy.called('com.atproto.sync.getRepo')
    const started = await moveIn(account)
    await asked
    await server.running.close()
    return started
  })
  await server.open()
  expect(await settled(server, here)).toMatchObject({ need: 'code', blobsCopied: 3 })
})

/** The repository of an account that is not the one that moves. */
async function repositoryOfAnother(): Promise<Buffer> {
  const another = await other.account('another', { handle: 'another.other.test' })
  const archive = await fetch(`${other.url}/xrpc/com.core.sync.getRepo?did=${another.did}`)
  return Buffer.from(await archive.arrayBuffer())
}

function sendForever(res: ServerResponse, chunk: Buffer): void {
  const more = () => {
    while (!res.destroyed && res.write(chunk));
  }
  res.on('drain', more)
  more()
}

test('a JSON response without end is cut off', async () => {
  const owner = await server.account('curious', { handle: 'curious.here.test' })
  const answer = await whileAnswering(
    'com.atproto.server.describeServer',
    (res) => sendForever(res, Buffer.alloc(100_000, '[')),
    () => server.get('com.core.move.describeServer', { server: proxy.url }, owner),
  )
  expect(answer).toMatchObject(refused(/larger than/))
})
