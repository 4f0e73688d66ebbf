/** The did:plc directory of a test network, over HTTP. Operations are signed by another implementation than the server's. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PlcDidDocumentResolver } from '@atcute/identity-resolver'
import { type Keypair, P256Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { encode } from '@atproto/lex-cbor'
import { DidPlcMethod } from '@atproto-labs/did-resolver'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { didOf } from '../../../server/identity/did/did-plc.ts'
import { submitOperation } from '../../../server/identity/did/plc-directory.ts'
import { createDirectory, type Directory } from '../../../server/testing/directory/directory.ts'
import {
  cidOf,
  createPlcIdentity,
  nextOperation,
  type PlcIdentity,
  type PlcOperation,
} from '../../support/accounts/plc.ts'
import { hour } from '../../support/server/clock.ts'
import { TestServer } from '../../support/server/server.ts'

let time: number
let directory: Directory
let http: Server
let url: string
const published = 'http://127.0.0.1:4000'

beforeEach(async () => {
  time = Date.parse('2030-01-01T00:00:00.000Z')
  directory = createDirectory({
    now: () => new Date(time),
    endpointOf: (endpoint) => (endpoint === 'http://seed.test' ? published : endpoint),
  })
  http = createServer(async (req, res) => {
    if (!(await directory.handle(req, res))) res.writeHead(418).end()
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
})
afterEach(async () => {
  http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
})

async function post(did: string, operation: unknown) {
  const headers = { 'content-type': 'application/json' }
  const body = typeof operation === 'string' ? operation : JSON.stringify(operation)
  const answer = await fetch(`${url}/${did}`, { method: 'POST', headers, body })
  const text = await answer.text()
  return { status: answer.status, message: answer.ok ? undefined : JSON.parse(text).message }
}

async function get(path: string) {
  const answer = await fetch(`${url}/${path}`)
  const text = await answer.text()
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: answer.ok ? undefined : JSON.parse(text),
  }
}
const json = async (path: string) => JSON.parse((await get(path)).text)

async function signed(signer: Keypair, unsigned: Record<string, unknown>) {
  const signature = await signer.sign(encode(unsigned as never))
  return { ...unsigned, sig: Buffer.from(signature).toString('base64url') } as unknown as PlcOperation
}

/** Registers an identity. */
async function registered(handle = 'alice.test'): Promise<PlcIdentity> {
  const identity = await createPlcIdentity(handle)
  expect(await post(identity.did, identity.genesis)).toEqual({ status: 200 })
  return identity
}

const renamed = (name: string) => ({ alsoKnownAs: [`at://${name}`] })

describe('a registered identity', () => {
  test('has a document, which libraries of the network resolve', async () => {
    const { did, key } = await registered()
    const { status, headers, text } = await get(did)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/did+ld+json; charset=utf-8'])
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(JSON.parse(text)).toEqual({
      '@context': [
        'https://www.w3.org/ns/did/v1',
        'https://w3id.org/security/multikey/v1',
        'https://w3id.org/security/suites/secp256k1-2019/v1',
      ],
      id: did,
      alsoKnownAs: ['at://alice.test'],
      verificationMethod: [
        {
          id: `${did}#atproto`,
          type: 'Multikey',
          controller: did,
          publicKeyMultibase: key.did().slice('did:key:'.length),
        },
      ],
      service: [
        { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: 'https://old.example' },
      ],
    })
    expect(directory.resolve(did)).toEqual(JSON.parse(text))
    const reference = await new DidPlcMethod({ plcDirectoryUrl: url }).resolve(did as 'did:plc:x')
    expect(reference).toMatchObject({ id: did, alsoKnownAs: ['at://alice.test'] })
    const other = await new PlcDidDocumentResolver({ apiUrl: url }).resolve(did as 'did:plc:x')
    expect(other).toMatchObject({ id: did, alsoKnownAs: ['at://alice.test'] })
  })

  test('has its state, its log, its last operation and its audit log', async () => {
    const { did, genesis, rotationKey } = await registered()
    time += hour
    const update = await nextOperation(rotationKey, genesis, renamed('alicia.test'))
    await post(did, update)
    const { type: _, prev: __, sig: ___, ...state } = update
    expect(await json(`${did}/data`)).toEqual({ did, ...state })
    expect(await json(`${did}/log`)).toEqual([genesis, update])
    expect(await json(`${encodeURIComponent(did)}/log/last`)).toEqual(update)
    expect(await json(`${did}/log/audit`)).toEqual([
      entry(did, genesis, '2030-01-01T00:00:00.000Z'),
      entry(did, update, '2030-01-01T01:00:00.000Z'),
    ])
  })

  test('has the mapped endpoint in its document and state, and the signed one in its log', async () => {
    const { did, genesis } = await createPlcIdentity('bob.test', { origin: 'http://seed.test' })
    await directory.submit(did, genesis)
    expect((await json(did)).service[0].serviceEndpoint).toBe(published)
    expect((await json(`${did}/data`)).services.atproto_pds.endpoint).toBe(published)
    expect((await json(`${did}/log/last`)).services.atproto_pds.endpoint).toBe('http://seed.test')
  })

  test('ends with a tombstone: 410, and its log stays', async () => {
    const { did, genesis, rotationKey } = await registered()
    const tombstone = await signed(rotationKey, { type: 'plc_tombstone', prev: cidOf(genesis) })
    expect(await post(did, tombstone)).toEqual({ status: 200 })
    for (const path of [did, `${did}/data`])
      expect(await get(path)).toMatchObject({ status: 410, body: { message: `DID not available: ${did}` } })
    expect(await json(`${did}/log`)).toEqual([genesis, tombstone])
    expect(directory.resolve(did)).toBeUndefined()
    const after = await nextOperation(rotationKey, genesis, {})
    const { sig: _, ...unsigned } = { ...after, prev: cidOf(tombstone) }
    expect(await post(did, await signed(rotationKey, unsigned))).toMatchObject({ status: 400 })
  })

  test('may begin with an operation of the old form', async () => {
    const [signing, recovery] = await Promise.all([Secp256k1Keypair.create(), P256Keypair.create()])
    const legacy = await signed(signing, {
      type: 'create',
      ...{ signingKey: signing.did(), recoveryKey: recovery.did() },
      ...{ handle: 'old.test', service: 'pds.example', prev: null },
    })
    const did = didOf(legacy as never)
    expect(await post(did, legacy)).toEqual({ status: 200 })
    const state = {
      verificationMethods: { atproto: signing.did() },
      rotationKeys: [recovery.did(), signing.did()],
      alsoKnownAs: ['at://old.test'],
      services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://pds.example' } },
    }
    expect(await json(`${did}/data`)).toEqual({ did, ...state })
    const update = await signed(recovery, { type: 'plc_operation', ...state, prev: cidOf(legacy) })
    expect(await post(did, update)).toEqual({ status: 200 })
  })
})

describe('an operation is refused with 400', () => {
  const refused = (reason: string) => ({ status: 400, message: expect.stringContaining(reason) })

  test('if it is not signed by a rotation key, follows another one, or is of another DID', async () => {
    const { did, genesis, rotationKey, key } = await registered()
    const update = await nextOperation(rotationKey, genesis, renamed('next.test'))
    expect(await post(did, await nextOperation(key, genesis, {}))).toEqual(refused('Invalid signature'))
    expect(await post(did, { ...update, alsoKnownAs: [] })).toEqual(refused('Invalid signature'))
    expect(await post(did, genesis)).toEqual(refused('not correctly ordered'))
    await post(did, update)
    // A second operation after the same one would have to be of a stronger key.
    expect(await post(did, update)).toEqual(refused('Invalid signature'))
    const stray = await nextOperation(rotationKey, { ...update, alsoKnownAs: [] }, {})
    expect(await post(did, stray)).toEqual(refused('not correctly ordered'))
    const other = await createPlcIdentity('other.test')
    expect(await post('did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', other.genesis)).toEqual(refused('does not match'))
    expect(await post(other.did, update)).toEqual(refused('not correctly ordered'))
    expect(await json(`${did}/log`)).toEqual([genesis, update])
  })

  test('if it is malformed', async () => {
    const { did, genesis, rotationKey } = await createPlcIdentity('alice.test')
    const { sig: _, ...unsigned } = genesis
    for (const value of [
      '{',
      'null',
      [],
      {},
      unsigned,
      { ...genesis, more: true },
      { ...genesis, prev: 1.5 },
    ])
      expect(await post(did, value)).toEqual(refused(''))
    const changed = async (changes: object) => {
      const operation = await signed(rotationKey, { ...unsigned, ...changes })
      return post(didOf(operation as never), operation)
    }
    expect(await changed({})).toEqual({ status: 200 })
    const names = Array.from({ length: 11 }, (_, n) => `at://name${n}.test`)
    const service = { type: 'A', endpoint: 'https://a.example' }
    for (const changes of [
      { alsoKnownAs: names },
      { alsoKnownAs: ['at://a.test', 'at://a.test'] },
      { alsoKnownAs: [`at://${'a'.repeat(300)}.test`] },
      { rotationKeys: Array(11).fill(rotationKey.did()) },
      { rotationKeys: ['did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'] },
      { verificationMethods: { atproto: 'zNoKey' } },
      { services: { ['x'.repeat(33)]: service } },
      { services: { a: { ...service, type: 'A'.repeat(257) } } },
      { services: { a: { ...service, endpoint: `https://a.example/${'a'.repeat(512)}` } } },
      { services: { a: { ...service, more: true } } },
      { type: 'plc_other' },
    ])
      expect([changes, await changed(changes)]).toEqual([changes, refused('')])
  })

  test('if it is too large', async () => {
    const { did, genesis } = await createPlcIdentity('alice.test')
    const large = { ...genesis, verificationMethods: { a: `did:key:z${'a'.repeat(4000)}` } }
    expect(await post(did, large)).toEqual(refused('too large'))
    expect(await post(did, JSON.stringify({ text: 'a'.repeat(200_000) }))).toEqual(refused(''))
  })
})

describe('recovery', () => {
  /** An identity with a weak key, which has changed it at the present time. */
  async function stolen() {
    const [strong, weak] = await Promise.all([Secp256k1Keypair.create(), P256Keypair.create()])
    const { genesis: first } = await createPlcIdentity('alice.test')
    const { sig: _, ...unsigned } = first
    const genesis = await signed(weak, { ...unsigned, rotationKeys: [strong.did(), weak.did()] })
    const did = didOf(genesis as never)
    await post(did, genesis)
    time += hour
    const theft = await nextOperation(weak, genesis, { ...renamed('thief.test'), rotationKeys: [weak.did()] })
    await post(did, theft)
    const after = await nextOperation(weak, theft, renamed('thief2.test'))
    await post(did, after)
    return { did, genesis, theft, after, strong, weak }
  }

  test('a stronger key replaces operations of a weaker one within 72 hours', async () => {
    const { did, genesis, theft, after, strong } = await stolen()
    time += 72 * hour - 10
    const recovery = await nextOperation(strong, genesis, renamed('back.test'))
    expect(await post(did, recovery)).toEqual({ status: 200 })
    expect(await json(`${did}/log`)).toEqual([genesis, recovery])
    expect((await json(did)).alsoKnownAs).toEqual(['at://back.test'])
    const audit = await json(`${did}/log/audit`)
    expect(
      audit.map(({ operation, nullified }: { operation: unknown; nullified: boolean }) => [
        operation,
        nullified,
      ]),
    ).toEqual([
      [genesis, false],
      [theft, true],
      [after, true],
      [recovery, false],
    ])
    const late = await nextOperation(strong, after, {})
    expect(await post(did, late)).toMatchObject({ status: 400 })
  })

  test('not later, and not by the same or a weaker key', async () => {
    const { did, genesis, strong, weak, theft } = await stolen()
    const again = await nextOperation(weak, genesis, renamed('back.test'))
    expect(await post(did, again)).toMatchObject({ status: 400, message: 'Invalid signature on op' })
    time += 72 * hour + 1
    const recovery = await nextOperation(strong, genesis, renamed('back.test'))
    expect(await post(did, recovery)).toMatchObject({
      status: 400,
      message: expect.stringContaining('72 hr'),
    })
    expect((await json(`${did}/log`))[1]).toEqual(theft)
  })
})

describe('the export', () => {
  test('has all operations in pages, by number and by time', async () => {
    const identities = [await registered('a.test'), await registered('b.test'), await registered('c.test')]
    const lines = async (query: string) => {
      const { text, headers } = await get(`export${query}`)
      expect(headers.get('content-type')).toMatch('application/jsonlines')
      return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line))
    }
    const dids = identities.map(({ did }) => did)
    const all = await lines('?after=0')
    expect(all.map(({ did, seq }) => [did, seq])).toEqual(dids.map((did, index) => [did, index + 1]))
    const [first] = identities
    const { nullified: _, ...numbered } = entry(
      first?.did ?? '',
      first?.genesis as PlcOperation,
      all[0].createdAt,
    )
    expect(all[0]).toEqual({ type: 'sequenced_op', seq: 1, ...numbered })
    expect(await lines('?after=1&count=1')).toEqual([all[1]])
    expect(await lines('?after=3')).toEqual([])
    const dated = await lines('')
    expect(dated[0]).toEqual({ ...numbered, nullified: false })
    // The clock stands still, but no two have the same time.
    expect(await lines(`?after=${dated[0].createdAt}&count=1`)).toEqual([dated[1]])
    for (const query of ['?count=0', '?count=x', '?after=yesterday'])
      expect(await get(`export${query}`)).toMatchObject({ status: 400 })
  })
})

test('other paths: an unregistered DID is 404, the rest is left to the caller', async () => {
  const unknown = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  for (const part of ['', '/data', '/log', '/log/last', '/log/audit'])
    expect(await get(unknown + part)).toMatchObject({
      status: 404,
      body: { message: `DID not registered: ${unknown}` },
    })
  expect(await json('_health')).toHaveProperty('version')
  for (const path of ['', '/dev/accounts', '/subscribe', `/${unknown}/other`])
    expect((await fetch(url + path)).status).toBe(418)
  const preflight = await fetch(`${url}/${unknown}`, {
    method: 'OPTIONS',
    headers: { 'access-control-request-headers': 'content-type' },
  })
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    204,
    'content-type',
  ])
  const head = await fetch(`${url}/${(await registered()).did}`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test('a snapshot stays as it is, and a restore goes back to it', async () => {
  const { did, genesis, rotationKey } = await registered()
  const before = directory.snapshot()
  const update = await nextOperation(rotationKey, genesis, renamed('next.test'))
  await post(did, update)
  const other = await registered('other.test')
  const after = directory.snapshot()
  directory.restore(before)
  expect(await json(`${did}/log`)).toEqual([genesis])
  expect(await get(other.did)).toMatchObject({ status: 404 })
  // The same calls have the same result.
  await post(did, update)
  await post(other.did, other.genesis)
  expect(directory.snapshot()).toEqual(after)
})

test('an operation that is under way at a restore is refused, and is not in the state after it', async () => {
  const before = directory.snapshot()
  const { did, genesis } = await createPlcIdentity('late.test')
  const submitted = directory.submit(did, genesis)
  directory.restore(before)
  await expect(submitted).rejects.toThrow('The directory was reset meanwhile')
  expect(directory.snapshot()).toEqual(before)
})

test('a server publishes accounts, changes handles and rotates keys here', async () => {
  const server = await TestServer.start({ plcUrl: url })
  const alice = await server.account('alice')
  await server.running.services.background.idle()
  expect((await json(alice.did)).alsoKnownAs).toEqual(['at://alice.test'])
  await server.post('com.core.identity.updateHandle', { handle: 'alicia.test' }, alice)
  expect((await json(alice.did)).alsoKnownAs).toEqual(['at://alicia.test'])
  expect((await server.get('com.core.server.checkAccountStatus', {}, alice)).body).toMatchObject({
    validDid: true,
  })
  const recovery = await Secp256k1Keypair.create()
  await server.post('com.core.identity.requestPlcOperationSignature', undefined, alice)
  const { rotationKeys } = await json(`${alice.did}/data`)
  const input = {
    token: await server.codeTo(alice.email),
    rotationKeys: [recovery.did(), ...rotationKeys],
  }
  const { body } = await server.post('com.core.identity.signPlcOperation', input, alice)
  const { operation } = body
  expect((await server.post('com.core.identity.submitPlcOperation', { operation }, alice)).status).toBe(200)
  expect((await json(`${alice.did}/data`)).rotationKeys).toEqual([recovery.did(), ...rotationKeys])
  expect(await json(`${alice.did}/log`)).toHaveLength(3)
  // Submitted again after an answer was lost, it counts as accepted.
  await submitOperation(url, alice.did, operation)
  await server.close()
})

function entry(did: string, operation: PlcOperation, createdAt: string) {
  return { did, operation, cid: cidOf(operation), nullified: false, createdAt }
}
