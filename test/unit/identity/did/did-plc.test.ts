import { createHash } from 'node:crypto'
import { Secp256k1Keypair } from '@atproto/crypto'
import { encode } from '@atproto/lex-cbor'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cidOf,
  createGenesis,
  createUpdate,
  type PlcOperation,
  parseOperation,
  verifyOperation,
} from '../../../../server/identity/did/did-plc.ts'
import {
  createSigningKey,
  type DidKey,
  isSignedBy,
  type SigningKey,
  sign,
} from '../../../../server/util/keys.ts'
import { highS } from './support.ts'

// Two consecutive operations published by the method's authors as test data, signed with secp256k1 keys.
const PUBLISHED_DID = 'did:plc:ana7n2ppeqk57pay7azhjs24'
const PUBLISHED_GENESIS = {
  sig: 'IypAT0szH_8Ygl7QrnXZrxemIcg_RkW_GyYbjih_9BEe5DRGgLxmQGeWsvB0TfDqm50c0xB8mGraOf25IA25qA',
  prev: null,
  type: 'plc_operation',
  services: {},
  alsoKnownAs: ['at://op0'],
  rotationKeys: [
    'did:key:zQ3shhiASLv8GN7ob3iWqsAxP7nE95LUPWsNEb2jTfW7e2yCt',
    'did:key:zQ3shsnWCW7HC7bYVnRcY5XxQpKArfafpB5S39DoqTkexuiTu',
  ],
  verificationMethods: {},
}
const PUBLISHED_UPDATE = {
  sig: 'eabKT5-1i2MW8Z7iWXHp2tlEYn1y6HmbuHexP-fgOzQq6RuNBGlWWOjMygxl8BK98FCNU8wvX9eWkM-soBrfow',
  prev: 'bafyreiadih3ot3zecxp3yghygj2mwxh3szrrifwer2z4iodazbrtuvmmgm',
  type: 'plc_operation',
  services: {},
  alsoKnownAs: ['at://op1'],
  rotationKeys: [
    'did:key:zQ3shXPgp1NrzoXSpa7YTn9ZFUVco39X8ygph16Bj6Ku4NJd2',
    'did:key:zQ3shd4eC3ykuq1GfpuyosoBLSX3JASu9qFXggqWGWwH9MXg6',
  ],
  verificationMethods: {},
}

test('verifyOperation: a published genesis operation is valid for its DID and for no other', async () => {
  await expect(verifyOperation(PUBLISHED_GENESIS, PUBLISHED_DID)).resolves.toEqual(PUBLISHED_GENESIS)
  await expect(verifyOperation(PUBLISHED_GENESIS, `${PUBLISHED_DID.slice(0, -1)}5`)).rejects.toThrow(
    'another DID',
  )
})

test('verifyOperation: an update that replaces every rotation key is refused', async () => {
  await expect(verifyOperation(PUBLISHED_UPDATE, PUBLISHED_DID)).rejects.toThrow('not signed')
})

test('cidOf: the CID of a published operation is the prev of the next one', () => {
  expect(cidOf(PUBLISHED_GENESIS as PlcOperation)).toBe(PUBLISHED_UPDATE.prev)
})

test('createUpdate: follows the previous operation, keeps its state and is signed', async () => {
  const { operation, server, did } = await createIdentity()
  const changes = { alsoKnownAs: ['at://alicia.test'] }
  const update = createUpdate(operation, changes, server)
  const { sig: _, ...state } = operation
  expect(update).toEqual({ ...state, ...changes, prev: cidOf(operation), sig: expect.any(String) })
  expect(await verifyOperation(update, did)).toEqual(update)
})

test('parseOperation: returns undefined for other values', () => {
  expect(parseOperation(PUBLISHED_GENESIS)).toBe(PUBLISHED_GENESIS)
  for (const value of [undefined, null, [], 'operation', { ...PUBLISHED_GENESIS, type: 'plc_tombstone' }]) {
    expect(parseOperation(value)).toBeUndefined()
  }
})

test('createGenesis: the DID is the hash of the operation, recomputed by independent code', async () => {
  const handles = fc.stringMatching(/^[a-z0-9]{3,18}\.test$/)
  await fc.assert(
    fc.asyncProperty(handles, fc.webUrl(), fc.boolean(), async (handle, origin, withRecovery) => {
      const [account, server] = [await createSigningKey(), await createSigningKey()]
      const recovery = withRecovery ? [(await Secp256k1Keypair.create()).did() as DidKey] : []
      const rotationKeys = [...recovery, server.did]
      const identity = { handle, origin, signingKey: account.did, rotationKeys, signer: server }
      const { did, operation } = await createGenesis(identity)

      const { sig, ...unsigned } = operation
      expect(unsigned).toEqual({
        type: 'plc_operation',
        rotationKeys,
        verificationMethods: { atproto: account.did },
        alsoKnownAs: [`at://${handle}`],
        services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: origin } },
        prev: null,
      })
      expect(did).toBe(`did:plc:${base32(sha256(cbor(operation))).slice(0, 24)}`)
      expect(await isSignedBy(server.did, cbor(unsigned), Buffer.from(sig, 'base64url'))).toBe(true)
      expect(await verifyOperation(JSON.parse(JSON.stringify(operation)), did)).toEqual(operation)
    }),
    { numRuns: 15 },
  )
})

test('createGenesis: lists a repeated key once, and requires the signer to be a rotation key', async () => {
  const { account, server, identity } = await createIdentity()
  const { operation } = await createGenesis({ ...identity, rotationKeys: [server.did, server.did] })
  expect(operation.rotationKeys).toEqual([server.did])
  await expect(createGenesis({ ...identity, signer: account })).rejects.toThrow('rotation keys')
})

test('verifyOperation: every change to a signed operation is refused', async () => {
  const { account, operation, did } = await createIdentity()
  const changes: Record<string, unknown> = {
    type: 'plc_tombstone',
    rotationKeys: [account.did],
    verificationMethods: { atproto: operation.rotationKeys[0] },
    alsoKnownAs: ['at://mallory.test'],
    services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://mallory.example' } },
    prev: PUBLISHED_UPDATE.prev,
    sig: Buffer.alloc(64, 1).toString('base64url'),
  }
  expect(Object.keys(changes)).toEqual(expect.arrayContaining(Object.keys(operation)))
  for (const [member, value] of Object.entries(changes)) {
    await expect(verifyOperation({ ...operation, [member]: value }, did), member).rejects.toThrow()
    const { [member as keyof PlcOperation]: _, ...without } = operation
    await expect(verifyOperation(without, did), `without ${member}`).rejects.toThrow(
      'Not a did:plc operation',
    )
  }
  await expect(verifyOperation({ ...operation, extra: 1 }, did)).rejects.toThrow('Not a did:plc operation')
})

test('verifyOperation: a signature has one valid encoding', async () => {
  const { operation, server } = await createIdentity()
  const bytes = Buffer.from(operation.sig, 'base64url')
  for (const sig of [
    `${operation.sig}==`,
    ` ${operation.sig}`,
    bytes.toString('hex'),
    highS(bytes, 'ES256').toString('base64url'),
  ]) {
    // Re-hashed, so that the signature alone decides.
    const respelled = { ...operation, sig }
    await expect(verifyOperation(respelled, didOf(respelled)), sig).rejects.toThrow()
  }
  expect(server.did).toBe(operation.rotationKeys[0])
})

test('verifyOperation: a genesis operation signed by another key is refused', async () => {
  const { operation } = await createIdentity()
  const other = await createSigningKey()
  const forged = await resign(operation, other)
  await expect(verifyOperation(forged, didOf(forged))).rejects.toThrow('not signed')
})

test('verifyOperation: a later operation signed by one of its own rotation keys is accepted', async () => {
  const { operation, server, did } = await createIdentity()
  const moved = await resign({ ...operation, prev: PUBLISHED_UPDATE.prev }, server)
  await expect(verifyOperation(moved, did)).resolves.toEqual(moved)
})

test('verifyOperation: operations beyond the limits of a directory are refused', async () => {
  const { operation, server } = await createIdentity()
  const keys = await Promise.all(Array.from({ length: 10 }, async () => (await createSigningKey()).did))
  const service = operation.services.atproto_pds
  const bad: Record<string, Record<string, unknown>> = {
    'no rotation key': { rotationKeys: [] },
    'a rotation key twice': { rotationKeys: [server.did, server.did] },
    'eleven rotation keys': { rotationKeys: [server.did, ...keys] },
    'a rotation key of another kind': {
      rotationKeys: [server.did, 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'],
    },
    'a signing key that is none': { verificationMethods: { atproto: 'key' } },
    'signing keys in a list': { verificationMethods: [server.did] },
    'a name that is no string': { alsoKnownAs: [7] },
    'eleven names': { alsoKnownAs: Array.from({ length: 11 }, (_, n) => `at://a${n}.test`) },
    'a service without endpoint': { services: { atproto_pds: { type: 'X' } } },
    'a service with more': { services: { atproto_pds: { ...service, more: '' } } },
    'a prev that is no CID': { prev: 'bafy' },
    'another type': { type: 'create' },
    'too many bytes': { alsoKnownAs: [`at://${'a'.repeat(4000)}.test`] },
  }
  for (const [what, members] of Object.entries(bad)) {
    const signed = await resign({ ...operation, ...members } as PlcOperation, server)
    await expect(verifyOperation(signed, didOf(signed)), what).rejects.toThrow(/Not a did:plc|too large/)
  }
})

test('verifyOperation: any other value is refused with InvalidPlcOperation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything(), async (value) => {
      await expect(verifyOperation(value, PUBLISHED_DID)).rejects.toMatchObject({
        name: 'InvalidPlcOperation',
      })
    }),
  )
})

async function createIdentity() {
  const [account, server] = [await createSigningKey(), await createSigningKey()]
  const identity = {
    handle: 'alice.test',
    origin: 'https://pds.example',
    signingKey: account.did,
    rotationKeys: [server.did],
    signer: server,
  }
  return { account, server, identity, ...(await createGenesis(identity)) }
}

async function resign({ sig: _, ...unsigned }: PlcOperation, key: SigningKey): Promise<PlcOperation> {
  const signature = await sign(key.privateKey, encode(unsigned))
  return { ...unsigned, sig: Buffer.from(signature).toString('base64url') }
}

function didOf(operation: object): string {
  return `did:plc:${base32(sha256(encode(operation))).slice(0, 24)}`
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

// RFC 4648 base32, lower case, bit by bit.
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five, 2)])
    .join('')
}

// DAG-CBOR of null, strings, lists and maps: shortest lengths, keys ordered by length and then by bytes.
function cbor(value: unknown): Buffer {
  if (value === null) return Buffer.of(0xf6)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  const entries = Object.entries(value as object).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))
  return Buffer.concat([
    head(5, entries.length),
    ...entries.flatMap(([key, entry]) => [cbor(key), cbor(entry)]),
  ])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.of((major << 5) | length)
  return length < 256
    ? Buffer.of((major << 5) | 24, length)
    : Buffer.of((major << 5) | 25, length >> 8, length & 255)
}
