import { P256Keypair } from '@atproto/crypto'
import { expect, test } from 'vitest'
import { signServiceJwt } from '../../../support/accounts/jwt.ts'
import { png, upload } from '../../../support/records/blobs.ts'
import { adminAuth, refusal } from '../../../support/server/server.ts'
import { owner as alice, other as bob, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice', 'bob'] })

const here = 'did:web:pds.test'
const now = () => Math.floor(server.clock.now().getTime() / 1000)

async function tokenOf(params: Record<string, string> = {}, who = alice): Promise<string> {
  const query = { aud: here, lxm: 'com.atproto.repo.uploadBlob', ...params }
  const { status, body } = await server.get('com.core.server.getServiceAuth', query, who)
  expect(status).toBe(200)
  return body.token
}

const send = (token: string, seed = 'a video') =>
  upload(server, { ...alice, accessJwt: token }, new Uint8Array(png(seed)))

test('a service uploads with a token of the account, and the account can use the file', async () => {
  const { status, body } = await send(await tokenOf())
  expect(status).toBe(200)
  const input = { repo: alice.did, collection: 'org.example.thing', record: { file: body.blob } }
  expect((await server.post('com.core.repo.createRecord', input, alice)).status).toBe(200)
  const stolen = { ...input, repo: bob.did }
  expect((await server.post('com.core.repo.createRecord', stolen, bob)).status).toBe(400)
})

test('the token may name the method of this server, too', async () => {
  expect((await send(await tokenOf({ lxm: 'com.core.repo.uploadBlob' }))).status).toBe(200)
})

test('the token may name the service in the document of this server', async () => {
  expect((await send(await tokenOf({ aud: `${here}#atproto_pds` }))).status).toBe(200)
})

test('a token is valid for one request', async () => {
  const token = await tokenOf()
  expect((await send(token)).status).toBe(200)
  expect(await send(token)).toMatchObject(refusal(400, 'InvalidToken'))
  expect((await send(await tokenOf())).status).toBe(200)
})

test.each([
  ['another server', { aud: 'did:web:other.example' }],
  ['another service of this server', { aud: `${here}#atproto_labeler` }],
  ['another method', { lxm: 'app.bsky.feed.getTimeline' }],
])('a token for %s is refused', async (_, params) => {
  expect(await send(await tokenOf(params))).toMatchObject(refusal(400, 'InvalidToken'))
})

test('an expired token is refused', async () => {
  const token = await tokenOf()
  server.clock.advance(61_000)
  expect((await send(token)).body.error).toBe('ExpiredToken')
})

test.each([
  ['for an account of this server', () => alice.did],
  ['for an unknown account', () => 'did:web:unknown.example'],
])('a token that another key signed is refused: %s', async (_, iss) => {
  const claims = { iss: iss(), aud: here, lxm: 'com.atproto.repo.uploadBlob', exp: now() + 60, jti: 'forged' }
  const token = await signServiceJwt(await P256Keypair.create(), claims)
  expect(await send(token)).toMatchObject(refusal(400, 'InvalidToken'))
})

test('other methods refuse an upload token', async () => {
  const token = await tokenOf()
  expect((await server.get('com.core.server.getSession', {}, { accessJwt: token })).status).toBe(400)
})

test('a token of an account that has been taken down is refused', async () => {
  const token = await tokenOf({}, bob)
  const subject = { $type: 'com.core.admin.defs#repoRef', did: bob.did }
  const input = { subject, takedown: { applied: true } }
  expect((await server.post('com.core.admin.updateSubjectStatus', input, adminAuth)).status).toBe(200)
  expect(await send(token)).toMatchObject(refusal(400, 'ExpiredToken', 'Token has been revoked'))
})
