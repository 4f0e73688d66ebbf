import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Network, startNetwork } from '../../../server/testing/network.ts'

let network: Network
beforeAll(async () => {
  network = await startNetwork({ servers: 2 })
})
beforeEach(() => network.reset())
afterAll(() => network.stop())

async function post(service: string, method: string, input: object) {
  const response = await fetch(`${service}/xrpc/com.atproto.server.${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

const signIn = (service: string, input: object) => post(service, 'createSession', input)

test('a password that a client changes is that of the account, until an earlier state is restored', async () => {
  const { service, email, did } = await network.accounts.create({ handle: 'alice' })
  const before = await network.snapshot()
  await post(service, 'requestPasswordReset', { email })
  const token = await network.mail.code('alice')
  const password = 'another-password'
  expect((await post(service, 'resetPassword', { token, password })).status).toBe(200)
  const alice = await network.accounts.get('alice')
  expect(alice).toMatchObject({ did, password, login: { password } })
  expect(network.accounts.list()).toMatchObject([{ did, password }])
  expect((await signIn(service, alice.login)).status).toBe(200)
  const after = await network.snapshot()
  await network.restore(before)
  expect((await network.accounts.get('alice')).password).toBe('alice-password')
  await network.restore(after)
  expect((await network.accounts.get('alice')).password).toBe(password)
})

test('an account that a client creates has its password', async () => {
  const input = { handle: 'carol.test', email: 'carol@mail.test', password: 'password-of-carol' }
  expect((await post(network.url, 'createAccount', input)).status).toBe(200)
  expect(await network.accounts.get('carol')).toMatchObject({ password: input.password, email: input.email })
})

test('an account is found by its handle, also in capitals as it was created', async () => {
  const { did } = await network.accounts.create({ handle: 'Dora' })
  for (const name of ['Dora', 'dora', 'DORA.TEST', did])
    expect(await network.accounts.get(name), name).toMatchObject({ did, handle: 'dora.test' })
})

test('requireMailedCode: the password alone is refused, and the mailed code signs in', async () => {
  const alice = await network.accounts.create({ handle: 'alice' })
  await network.accounts.requireMailedCode('alice')
  expect(await signIn(alice.service, alice.login)).toMatchObject({
    status: 401,
    body: { error: 'AuthFactorTokenRequired' },
  })
  const authFactorToken = await network.mail.code('alice')
  expect((await signIn(alice.service, { ...alice.login, authFactorToken })).status).toBe(200)
})

test('requireMailedCode: the network signs in with the code, and moves the account', async () => {
  const { did } = await network.accounts.create({ handle: 'alice' })
  await network.accounts.requireMailedCode('alice')
  const { appPassword, get } = network.accounts
  expect((await get('alice')).did).toBe(did)
  expect((await get('alice')).did).toBe(did)
  expect(await appPassword('alice')).toMatch(/^[a-z0-9]{4}-/)
  expect(await network.accounts.move('alice', 1)).toMatchObject({ did, server: 1 })
})

test('move: the account is on the other server, with its records and its DID', async () => {
  const alice = await network.accounts.create({ handle: 'alice' })
  const record = { text: 'Hello', createdAt: network.clock.now().toISOString() }
  const post = await fetch(`${alice.service}/xrpc/com.atproto.repo.createRecord`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.session.accessJwt}` },
    body: JSON.stringify({ repo: alice.did, collection: 'app.bsky.feed.post', record }),
  })
  expect(post.status).toBe(200)
  const moved = await network.accounts.move('alice', 1)
  const url = network.servers[1]?.url
  expect(moved).toMatchObject({ did: alice.did, handle: 'alice.two.test', server: 1, service: url })
  expect(network.accounts.list().find(({ did }) => did === alice.did)).toMatchObject({
    ...{ handle: 'alice.two.test', server: 1, service: url },
  })
  const query = new URLSearchParams({ repo: alice.did, collection: 'app.bsky.feed.post' })
  const list = await fetch(`${url}/xrpc/com.atproto.repo.listRecords?${query}`)
  expect(await list.json()).toMatchObject({ records: [{ value: record }] })
  const document = await fetch(`${network.plc.url}/${alice.did}`)
  expect(await document.json()).toMatchObject({ service: [{ serviceEndpoint: url }] })
})

test('move: what servers ask each other has no faults, uses none up, and is not among the requests', async () => {
  await network.accounts.create({ handle: 'alice' })
  const fault = network.faults.add({ status: 500 })
  expect(await network.accounts.move('alice', 1)).toMatchObject({ server: 1 })
  await network.servers[1]?.restart()
  await network.idle()
  expect(network.faults.list()).toMatchObject([{ id: fault.id, count: 0 }])
  expect(network.requests()).toEqual([])
})

test('move: a server that the network lacks is named', async () => {
  await network.accounts.create({ handle: 'alice' })
  await expect(network.accounts.move('alice', 2)).rejects.toThrow('no server 2, only 2')
})
