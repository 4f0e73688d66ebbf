/** Recovery of an account on another server by the recovery key of its identity, over the wire, in a network with its directory. */
import { P256Keypair, Secp256k1Keypair } from '@atproto/crypto'
import type { LexMap } from '@atproto/lex-data'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toMultibase } from '../../../../renderer/api/multibase.ts'
import { type RotationKey, readRotationKey } from '../../../../renderer/api/rotation-key.ts'
import { type Network, startNetwork } from '../../../../server/testing/network.ts'
import { nextOperation, type PlcOperation } from '../../../support/accounts/plc.ts'

let network: Network
const prefixes = { p256: [0x86, 0x26], secp256k1: [0x81, 0x26] }

beforeAll(async () => {
  network = await startNetwork({ servers: 3, config: { allowPrivateTargets: true } })
})
beforeEach(() => network.reset())
afterAll(() => network.stop())

type Answer = { status: number; body: Record<string, never> & { [name: string]: unknown } }

async function call(server: number, nsid: string, input?: unknown, token?: string): Promise<Answer> {
  const isBytes = input instanceof Uint8Array
  const type = isBytes ? 'application/vnd.ipld.car' : 'application/json'
  const answer = await fetch(`${network.servers[server]?.url}/xrpc/com.atproto.${nsid}`, {
    method: 'POST',
    headers: {
      ...(input !== undefined && { 'content-type': type }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(input !== undefined && { body: isBytes ? new Uint8Array(input) : JSON.stringify(input) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}

const prepare = async (server: number, identifier: string, key: string): Promise<Answer> => {
  const answer = await fetch(`${network.servers[server]?.url}/xrpc/com.core.move.prepareRecovery`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier, key }),
  })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

/** The key as a recovery kit has it, in groups. */
async function newKey(kind: keyof typeof prefixes = 'p256'): Promise<RotationKey & { secret: string }> {
  const create = kind === 'p256' ? P256Keypair : Secp256k1Keypair
  const pair = await create.create({ exportable: true })
  const text = toMultibase([...(prefixes[kind] ?? []), ...(await pair.export())])
  const secret = text.match(/.{1,4}/g)?.join(' ') ?? ''
  const key = readRotationKey(secret)
  expect(key?.publicKey).toBe(pair.did())
  return { ...(key as RotationKey), secret }
}

const password = 'a new password'
const keypairOf = async () => P256Keypair.create({ exportable: true })

/** An account on the first server with a recovery key. */
async function holder(name = 'alice', key?: RotationKey & { secret: string }) {
  const recovery = key ?? (await newKey())
  const input = { handle: `${name}.${network.servers[0]?.domain}`, password, recoveryKey: recovery.publicKey }
  const { status, body } = await call(0, 'server.createAccount', input)
  expect(status).toBe(200)
  await network.idle()
  return { did: String(body.did), handle: input.handle, token: String(body.accessJwt), recovery }
}

type Holder = Awaited<ReturnType<typeof holder>>

const logOf = async (did: string): Promise<PlcOperation[]> =>
  (await fetch(`${network.plc.url}/${did}/log`)).json() as Promise<PlcOperation[]>
const submit = async (did: string, operation: unknown) => {
  const answer = await fetch(`${network.plc.url}/${did}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(operation),
  })
  return answer.status
}

const handleAt = (server: number, name = 'alice') => `${name}.${network.servers[server]?.domain}`

/** The signed operation that moves the identity to a server. */
async function signed(server: number, { did, recovery }: Pick<Holder, 'did' | 'recovery'>, name = 'alice') {
  const { status, body } = await prepare(server, did, recovery.publicKey)
  expect(body).toMatchObject({ did })
  expect(status).toBe(200)
  const operation = body.operation as unknown as LexMap & { alsoKnownAs: string[] }
  const alsoKnownAs = [`at://${handleAt(server, name)}`, ...operation.alsoKnownAs]
  return recovery.sign({ ...operation, alsoKnownAs })
}

const create = (server: number, did: string, plcOp: unknown, name = 'alice') =>
  call(server, 'server.createAccount', { did, handle: handleAt(server, name), password, plcOp })
const activate = (server: number, { body }: Answer) =>
  call(server, 'server.activateAccount', undefined, String(body.accessJwt))

/** As the operation of an attacker with the key of the first server: removes the recovery key. */
async function seized({ did }: Holder, changes: Partial<PlcOperation>, signer: P256Keypair) {
  const last = (await logOf(did)).at(-1) as PlcOperation
  expect(await submit(did, await nextOperation(signer, last, changes))).toBe(200)
}

describe('the server of the account is lost', () => {
  test('its identity, with its records from an archive, goes on at another server', async () => {
    const alice = await holder()
    const record = { repo: alice.did, collection: 'com.example.note', record: { text: 'kept' } }
    expect((await call(0, 'repo.createRecord', record, alice.token)).status).toBe(200)
    const car = await fetch(`${network.url}/xrpc/com.atproto.sync.getRepo?did=${alice.did}`)
    const archive = new Uint8Array(await car.arrayBuffer())
    network.servers[0]?.kill()

    const found = await prepare(1, alice.did, alice.recovery.publicKey)
    expect(found.body).toMatchObject({ strongerKeys: 0, weakerKeys: 1, replaces: 0 })
    expect(found.body.alsoKnownAs).toEqual([`at://${alice.handle}`])
    const opened = await create(1, alice.did, await signed(1, alice))
    expect(opened).toMatchObject({ status: 200, body: { did: alice.did, handle: handleAt(1) } })
    expect((await logOf(alice.did)).length).toBe(1)
    expect((await call(1, 'repo.importRepo', archive, String(opened.body.accessJwt))).status).toBe(200)
    expect((await activate(1, opened)).status).toBe(200)

    const last = (await logOf(alice.did)).at(-1)
    expect(last?.rotationKeys[0]).toBe(alice.recovery.publicKey)
    expect(last?.rotationKeys.length).toBe(2)
    const query = new URLSearchParams({ repo: alice.did, collection: 'com.example.note' })
    const notes = await fetch(`${network.servers[1]?.url}/xrpc/com.atproto.repo.listRecords?${query}`)
    expect(await notes.json()).toMatchObject({ records: [{ value: { text: 'kept' } }] })
    const again = await prepare(1, alice.did, alice.recovery.publicKey)
    expect(again).toMatchObject({ status: 400, body: { error: 'AlreadyExists' } })
  })

  test('without an archive the account starts empty, and the same key recovers it again', async () => {
    const alice = await holder('alice', await newKey('secp256k1'))
    for (const server of [1, 2]) {
      const opened = await create(server, alice.did, await signed(server, alice))
      expect((await activate(server, opened)).status).toBe(200)
      const document = await (await fetch(`${network.plc.url}/${alice.did}`)).json()
      expect(document).toMatchObject({ alsoKnownAs: [`at://${handleAt(server)}`] })
    }
  })
})

describe('a key that cannot recover the identity', () => {
  test('of another account', async () => {
    const [alice, mallory] = [await holder(), await holder('mallory')]
    const answer = await prepare(1, alice.did, mallory.recovery.publicKey)
    expect(answer).toMatchObject({ status: 400, body: { error: 'KeyNotFound' } })
    const honest = await signed(1, alice)
    const { sig: _, ...unsigned } = honest
    const forged = await create(1, alice.did, mallory.recovery.sign(unsigned as LexMap))
    expect(forged).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    const foreign = await create(1, alice.did, await signed(1, mallory, 'alice'))
    expect(foreign.status).toBeGreaterThanOrEqual(400)
  })

  test('of an identity that the directory does not have, or while it does not answer', async () => {
    const { publicKey } = await newKey()
    const unknown = await prepare(1, 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', publicKey)
    expect(unknown).toMatchObject({ status: 400, body: { error: 'IdentityNotFound' } })
  })

  test('removed by a stronger key, or by a weaker one more than 72 hours ago', async () => {
    const [strong, weak] = [await keypairOf(), await newKey()]
    const alice = await holder()
    const { recovery } = alice
    const last = (await logOf(alice.did)).at(-1) as PlcOperation
    const { sig: _, ...state } = last
    const rotationKeys = [strong.did(), recovery.publicKey, weak.publicKey]
    const added = recovery.sign({ ...state, rotationKeys, prev: (await signed(1, alice)).prev } as LexMap)
    expect(await submit(alice.did, added)).toBe(200)

    await seized(alice, { rotationKeys: [strong.did()] }, strong)
    const overruled = await prepare(1, alice.did, recovery.publicKey)
    expect(overruled).toMatchObject({ status: 400, body: { error: 'KeyOverruled' } })
  })

  test('of an identity that has ended', async () => {
    const alice = await holder()
    const { prev } = await signed(1, alice)
    expect(await submit(alice.did, alice.recovery.sign({ type: 'plc_tombstone', prev: prev ?? null }))).toBe(
      200,
    )
    const answer = await prepare(1, alice.did, alice.recovery.publicKey)
    expect(answer).toMatchObject({ status: 400, body: { error: 'IdentityEnded' } })
  })
})

describe('a hostile server has changed the identity', () => {
  /** An account with a recovery key, and the weaker rotation key of a server. */
  async function withServer() {
    const [recovery, server] = [await newKey(), await keypairOf()]
    const alice = await holder('alice', recovery)
    const last = (await logOf(alice.did)).at(-1) as PlcOperation
    const { sig: _, ...state } = last
    const rotationKeys = [recovery.publicKey, server.did()]
    const prev = (await signed(1, alice)).prev ?? null
    expect(await submit(alice.did, recovery.sign({ ...state, rotationKeys, prev } as LexMap))).toBe(200)
    return { alice, server }
  }

  const longService = (id: string) => [id, { type: 'Other', endpoint: `https://${'x'.repeat(380)}.example` }]

  async function hostile() {
    const { alice, server } = await withServer()
    await seized(alice, { rotationKeys: [server.did()] }, server)
    return alice
  }

  test('within 72 hours, its operation is undone', async () => {
    const alice = await hostile()
    await network.clock.advance('71h')
    const { body } = await prepare(1, alice.did, alice.recovery.publicKey)
    expect(body).toMatchObject({ replaces: 1, strongerKeys: 0, until: expect.any(String) })
    const opened = await create(1, alice.did, await signed(1, alice))
    expect((await activate(1, opened)).status).toBe(200)
    expect((await logOf(alice.did)).at(-1)?.rotationKeys).toContain(alice.recovery.publicKey)
  })

  test('later it is final', async () => {
    const alice = await hostile()
    await network.clock.advance('73h')
    const late = await prepare(1, alice.did, alice.recovery.publicKey)
    expect(late).toMatchObject({ status: 400, body: { error: 'RecoveryTooLate' } })
  })

  test.each([1, 2])('a key that it put below its own, in %i steps, is the strongest again', async (steps) => {
    const { alice, server } = await withServer()
    await seized(alice, { rotationKeys: [server.did(), alice.recovery.publicKey] }, server)
    if (steps === 2) await seized(alice, { rotationKeys: [server.did()] }, server)
    const taken = (await logOf(alice.did)).at(-1) as PlcOperation
    const { body } = await prepare(1, alice.did, alice.recovery.publicKey)
    expect(body).toMatchObject({ replaces: steps, strongerKeys: 0, until: expect.any(String) })
    const opened = await create(1, alice.did, await signed(1, alice))
    expect((await activate(1, opened)).status).toBe(200)
    expect((await logOf(alice.did)).at(-1)?.rotationKeys).not.toContain(server.did())
    const undone = await nextOperation(server, taken, { rotationKeys: [server.did()] })
    expect(await submit(alice.did, undone)).toBe(400)
  })

  test('a key that it put below its own more than 72 hours ago recovers, and reports the stronger one', async () => {
    const { alice, server } = await withServer()
    await seized(alice, { rotationKeys: [server.did(), alice.recovery.publicKey] }, server)
    await network.clock.advance('73h')
    const { body } = await prepare(1, alice.did, alice.recovery.publicKey)
    expect(body).toMatchObject({ replaces: 0, strongerKeys: 1, weakerKeys: 0 })
    expect((await create(1, alice.did, await signed(1, alice))).status).toBe(200)
  })

  test('as many operations and keys as a directory accepts in three days do not prevent it', async () => {
    const { alice, server } = await withServer()
    const others = await Promise.all(Array.from({ length: 9 }, keypairOf))
    const rotationKeys = [...others.map((key) => key.did()), server.did()]
    for (let count = 0; count < 90; count++) await seized(alice, { rotationKeys }, server)
    const { body } = await prepare(1, alice.did, alice.recovery.publicKey)
    expect(body).toMatchObject({ replaces: 90, strongerKeys: 0 })
    expect((await create(1, alice.did, await signed(1, alice))).status).toBe(200)
  })

  test.each([
    ['names', { alsoKnownAs: Array.from({ length: 10 }, (_, n) => `https://${n}.example`) }],
    ['long addresses', { services: Object.fromEntries(Array.from('12345678', longService)) }],
  ])('an identity that it filled with %s has room for the handle', async (_, changes) => {
    const { alice, server } = await withServer()
    await seized(alice, changes, server)
    const opened = await create(1, alice.did, await signed(1, alice))
    expect(opened.body).toMatchObject({ did: alice.did })
    expect((await activate(1, opened)).status).toBe(200)
  })
})

describe('a signed operation', () => {
  test('is of use to one server alone, and once', async () => {
    const alice = await holder()
    const operation = await signed(1, alice)
    // The second server has reserved a key of its own.
    await signed(2, alice)
    expect(await create(2, alice.did, operation)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('must') },
    })
    const opened = await create(1, alice.did, operation)
    expect((await activate(1, opened)).status).toBe(200)
    const again = await create(1, alice.did, operation)
    expect(again.status).toBeGreaterThanOrEqual(400)
    expect(again.body).not.toHaveProperty('accessJwt')
  })

  test('is refused after the identity has changed', async () => {
    const alice = await holder()
    const operation = await signed(1, alice)
    const elsewhere = await create(2, alice.did, await signed(2, alice))
    expect((await activate(2, elsewhere)).status).toBe(200)
    const stale = await create(1, alice.did, operation)
    expect(stale).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    expect(stale.body.message).toContain('has changed since')
  })

  test('must name this server, its key and the handle', async () => {
    const alice = await holder()
    const { sig: _, ...operation } = await signed(1, alice)
    for (const changes of [
      { alsoKnownAs: [`at://${handleAt(1, 'mallory')}`] },
      { services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://other.example' } } },
      { verificationMethods: { atproto: alice.recovery.publicKey } },
      { rotationKeys: [alice.recovery.publicKey] },
    ]) {
      const answer = await create(1, alice.did, alice.recovery.sign({ ...operation, ...changes } as LexMap))
      expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
    }
    const unproved = await create(1, alice.did, undefined)
    expect(unproved).toMatchObject({ status: 401, body: { error: 'AuthenticationRequired' } })
  })
})

test('the secret key is in no request', async () => {
  const alice = await holder()
  const opened = await create(1, alice.did, await signed(1, alice))
  await activate(1, opened)
  const secret = alice.recovery.secret.replaceAll(' ', '')
  expect(JSON.stringify(network.requests())).not.toContain(secret)
})

test('texts that are no secret keys', async () => {
  const { secret, publicKey } = await newKey()
  expect(readRotationKey(secret.slice(0, -1))).toBeUndefined()
  for (const text of ['', 'z', publicKey, publicKey.slice(8), 'z'.repeat(200), 'AGE-SECRET-KEY-1'])
    expect(readRotationKey(text)).toBeUndefined()
})
