import { expect, test } from 'vitest'
import {
  type DidDocument,
  documentFor,
  handleOf,
  parseDidDocument,
  pdsEndpointOf,
  serviceEndpointOf,
  signingKeyOf,
} from '../../../../server/identity/did/did-document.ts'
import { createSigningKey } from '../../../../server/util/keys.ts'

const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'

test('the document of a local account names its handle, its key and this server', async () => {
  const { did: signingKey } = await createSigningKey()
  const document = documentFor({ did, handle: 'alice.test', origin: 'http://localhost:2583', signingKey })
  expect(document).toEqual({
    '@context': [
      'https://www.w3.org/ns/did/v1',
      'https://w3id.org/security/multikey/v1',
      'https://w3id.org/security/suites/ecdsa-2019/v1',
    ],
    id: did,
    alsoKnownAs: ['at://alice.test'],
    verificationMethod: [
      {
        id: `${did}#atproto`,
        type: 'Multikey',
        controller: did,
        publicKeyMultibase: signingKey.replace('did:key:', ''),
      },
    ],
    service: [
      {
        id: '#atproto_pds',
        type: 'AtprotoPersonalDataServer',
        serviceEndpoint: 'http://localhost:2583',
      },
    ],
  })
  expect(signingKeyOf(document)).toBe(signingKey)
  expect(handleOf(document)).toBe('alice.test')
  expect(pdsEndpointOf(document)).toBe('http://localhost:2583')
  expect(parseDidDocument(JSON.parse(JSON.stringify(document)), did)).toEqual(document)
})

// Published interoperability vectors: the same keys in the multikey form and in the older, unprefixed one.
test.each([
  ['Multikey', 'zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo'],
  ['EcdsaSecp256r1VerificationKey2019', 'zxdM8dSstjrpZaRUwBmDvjGXweKuEMVN95A9oJBFjkWMh'],
])('a P-256 key is read from %s', (type, publicKeyMultibase) => {
  const document = { id: did, verificationMethod: [{ id: '#atproto', type, publicKeyMultibase }] }
  expect(signingKeyOf(document)).toBe('did:key:zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo')
})

test.each([
  ['Multikey', 'zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc'],
  ['EcdsaSecp256k1VerificationKey2019', 'z25z9DTpsiYYJKGsWmSPJK2NFN8PcJtZig12K59UgW7q5t'],
])('a secp256k1 key is read from %s', (type, publicKeyMultibase) => {
  const document = { id: did, verificationMethod: [{ id: `${did}#atproto`, type, publicKeyMultibase }] }
  expect(signingKeyOf(document)).toBe('did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc')
})

test('signing key: keys of another name, account or kind are ignored', () => {
  const key = { type: 'Multikey', publicKeyMultibase: 'zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo' }
  const keyOf = (entry: object) =>
    signingKeyOf(parse({ verificationMethod: [{ id: '#atproto', ...key, ...entry }] }))
  expect(keyOf({})).toBeDefined()
  expect(keyOf({ id: '#atproto_label' })).toBeUndefined()
  expect(keyOf({ id: 'did:plc:someoneelse#atproto' })).toBeUndefined()
  expect(keyOf({ type: 'JsonWebKey2020' })).toBeUndefined()
  expect(keyOf({ publicKeyMultibase: 'zNotAKey' })).toBeUndefined()
  expect(keyOf({ publicKeyMultibase: undefined })).toBeUndefined()
  expect(keyOf({ type: 'EcdsaSecp256r1VerificationKey2019', publicKeyMultibase: 'z0' })).toBeUndefined()
  expect(signingKeyOf({ id: did })).toBeUndefined()
})

// Decoding base58 is quadratic: this would take many seconds.
test.each(['Multikey', 'EcdsaSecp256r1VerificationKey2019'])(
  'a %s of 400,000 characters is rejected without decoding',
  (type) => {
    const method = { id: '#atproto', type, publicKeyMultibase: `z${'2'.repeat(400_000)}` }
    expect(signingKeyOf({ id: did, verificationMethod: [method] })).toBeUndefined()
  },
)

test('service: found by its name', () => {
  const document = parse({
    service: [
      { id: `${did}#first`, type: 'Thing', serviceEndpoint: 'https://first.example' },
      { id: '#notif', type: 'Notifications', serviceEndpoint: 'https://notif.example/path' },
      { id: '#files', type: 'Files', serviceEndpoint: 'file:///etc/passwd' },
      { id: '#atproto_pds', type: 'SomethingElse', serviceEndpoint: 'https://pds.example' },
    ],
  })
  expect(serviceEndpointOf(document, '#first')).toBe('https://first.example')
  expect(serviceEndpointOf(document, '#notif')).toBe('https://notif.example/path')
  expect(serviceEndpointOf(document, '#files')).toBeUndefined()
  expect(serviceEndpointOf(document, '#none')).toBeUndefined()
  expect(pdsEndpointOf(document)).toBeUndefined()
})

test('handle: the first at:// name, if it is valid', () => {
  const handle = (...alsoKnownAs: unknown[]) => handleOf(parse({ alsoKnownAs }))
  expect(handle('https://alice.example', 'at://Alice.Test', 'at://other.test')).toBe('alice.test')
  expect(handle('at://not a handle')).toBeUndefined()
  expect(handle()).toBeUndefined()
})

test('parsing: requires the DID as id, and drops malformed entries', () => {
  for (const other of [null, [], 'text', 7, {}, { id: 'did:plc:someoneelse' }, { id: [did] }]) {
    expect(parseDidDocument(other, did)).toBeUndefined()
  }
  const good = { id: '#ok', type: 'Thing', serviceEndpoint: 'https://ok.example' }
  const document = parse({
    alsoKnownAs: [7, 'at://a.test', null],
    verificationMethod: 'none',
    service: [null, 'x', {}, { ...good, id: 7 }, { ...good, serviceEndpoint: ['https://a'] }, good],
  })
  expect(document).toMatchObject({ alsoKnownAs: ['at://a.test'], verificationMethod: [], service: [good] })
})

function parse(members: object): DidDocument {
  const document = parseDidDocument({ id: did, ...members }, did)
  if (!document) throw new Error('not a document')
  return document
}
