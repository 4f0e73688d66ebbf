/** Logs of did:plc identities, made by an independent implementation (`test/support/accounts/plc.ts`). */
import { createHash } from 'node:crypto'
import { Secp256k1Keypair } from '@atproto/crypto'
import { encode } from '@atproto/lex-cbor'
import { describe, expect, test } from 'vitest'
import { handleOf, pdsEndpointOf, signingKeyOf } from '../../../../server/identity/did/did-document.ts'
import { documentOfLog, preferredLog, verifyLog } from '../../../../server/identity/did/plc-log.ts'
import {
  base32,
  cidOf,
  createPlcIdentity,
  nextOperation,
  type PlcOperation,
} from '../../../support/accounts/plc.ts'

const identity = await createPlcIdentity('alice.example')
const { did, genesis, rotationKey } = identity
const renamed = await nextOperation(rotationKey, genesis, { alsoKnownAs: ['at://alicia.example'] })
const again = await nextOperation(rotationKey, renamed, { alsoKnownAs: ['at://ally.example'] })
const other = await createPlcIdentity('mallory.example')
const long = await verifyLog(did, [genesis, renamed, again])
const short = await verifyLog(did, [genesis, renamed])

const handleIn = async (log: unknown, of = did) => {
  const document = documentOfLog(of, await verifyLog(of, log))
  return document && handleOf(document)
}

describe('verifyLog', () => {
  test('accepts a chain; the document is the one after its last operation', async () => {
    expect(await handleIn([genesis])).toBe('alice.example')
    const document = documentOfLog(did, await verifyLog(did, [genesis, renamed, again]))
    expect(document && handleOf(document)).toBe('ally.example')
    expect(document && signingKeyOf(document)).toBe(identity.key.did())
    expect(document && pdsEndpointOf(document)).toBe('https://old.example')
  })

  test('refuses the log of another DID', async () => {
    await expect(verifyLog(did, [other.genesis])).rejects.toThrow('another DID')
    await expect(verifyLog(did, [renamed, again])).rejects.toThrow('another DID')
  })

  test('refuses operations that are missing, exchanged or repeated', async () => {
    for (const log of [
      [genesis, again],
      [genesis, again, renamed],
      [genesis, genesis],
    ]) {
      await expect(verifyLog(did, log)).rejects.toThrow('do not follow')
    }
  })

  test('refuses an operation that no rotation key of the one before has signed', async () => {
    const forged = await nextOperation(other.rotationKey, genesis, {
      rotationKeys: [other.rotationKey.did()],
    })
    await expect(verifyLog(did, [genesis, forged])).rejects.toThrow('not signed')
    const changed = { ...renamed, alsoKnownAs: ['at://mallory.example'] }
    await expect(verifyLog(did, [genesis, changed])).rejects.toThrow('not signed')
    const unsigned = { ...genesis, sig: renamed.sig }
    await expect(verifyLog(didOf(unsigned), [unsigned])).rejects.toThrow('not signed')
  })

  test('refuses malformed logs and operations', async () => {
    const more = { ...genesis, more: true }
    for (const log of [undefined, {}, [], [null], [{}], [more], [[genesis]], 'log'] as const) {
      await expect(verifyLog(did, log)).rejects.toThrow(/no operations|malformed/)
    }
    await expect(verifyLog(did, Array(101).fill(genesis))).rejects.toThrow('too many')
  })

  test('accepts the first operations of old identities, and refuses a changed one', async () => {
    const signing = await Secp256k1Keypair.create()
    const recovery = await Secp256k1Keypair.create()
    const legacy = await signed(signing, {
      type: 'create',
      signingKey: signing.did(),
      recoveryKey: recovery.did(),
      handle: 'old.example',
      service: 'https://pds.example',
      prev: null,
    })
    const legacyDid = didOf(legacy)
    const document = documentOfLog(legacyDid, await verifyLog(legacyDid, [legacy]))
    expect(document && [handleOf(document), signingKeyOf(document), pdsEndpointOf(document)]).toEqual([
      'old.example',
      signing.did(),
      'https://pds.example',
    ])
    const next = await nextOperation(recovery, legacy as unknown as PlcOperation, {})
    const { type, rotationKeys, verificationMethods, alsoKnownAs, services } = genesis
    const members = { type, rotationKeys, verificationMethods, alsoKnownAs, services, prev: next.prev }
    const update = await signed(recovery, members)
    expect(await handleIn([legacy, update], legacyDid)).toBe('alice.example')
    await expect(verifyLog(legacyDid, [{ ...legacy, handle: 'other.example' }])).rejects.toThrow(
      'another DID',
    )
  })

  test('accepts a rotation key twice, and an identity without one: nothing follows it', async () => {
    const twice = await nextOperation(rotationKey, genesis, {
      rotationKeys: [rotationKey.did(), rotationKey.did()],
    })
    const fixed = await nextOperation(rotationKey, twice, { rotationKeys: [] })
    expect(await handleIn([genesis, twice, fixed])).toBe('alice.example')
    const after = await nextOperation(rotationKey, fixed, {})
    await expect(verifyLog(did, [genesis, twice, fixed, after])).rejects.toThrow('not signed')
  })

  test('an identity that has ended has no document, and nothing follows its end', async () => {
    const tombstone = await signed(rotationKey, { type: 'plc_tombstone', prev: cidOf(genesis) })
    expect(await handleIn([genesis, tombstone])).toBeUndefined()
    const after = await nextOperation(rotationKey, genesis, {})
    const later = await signed(rotationKey, { ...withoutSig(after), prev: cidOf(tombstone as never) })
    await expect(verifyLog(did, [genesis, tombstone, later])).rejects.toThrow('not signed')
  })
})

describe('preferredLog', () => {
  test('a continuation counts, a prefix does not', async () => {
    expect(await preferredLog(short, long)).toBe(long)
    expect(await preferredLog(long, short)).toBe(long)
    expect(await preferredLog(long, [...long])).toBe(long)
  })

  test('where two logs differ, the stronger key counts, whatever the length', async () => {
    const strong = await Secp256k1Keypair.create()
    const weak = await Secp256k1Keypair.create()
    const first = await signed(strong, {
      ...withoutSig(genesis),
      rotationKeys: [strong.did(), weak.did()],
    })
    const stolen = await nextOperation(weak, first as PlcOperation, { rotationKeys: [weak.did()] })
    const more = await nextOperation(weak, stolen, { alsoKnownAs: [] })
    const recovered = await nextOperation(strong, first as PlcOperation, { rotationKeys: [strong.did()] })
    const bad = await verifyLog(didOf(first), [first, stolen, more])
    const good = await verifyLog(didOf(first), [first, recovered])
    expect(await preferredLog(bad, good)).toBe(good)
    expect(await preferredLog(good, bad)).toBe(good)
  })

  test('between operations of one key the longer log counts', async () => {
    const fork = await nextOperation(rotationKey, genesis, { alsoKnownAs: ['at://fork.example'] })
    const forked = await verifyLog(did, [genesis, fork])
    expect(await preferredLog(short, forked)).toBe(short)
    expect(await preferredLog(forked, long)).toBe(long)
  })
})

async function signed<Unsigned extends object>(
  key: Secp256k1Keypair | typeof rotationKey,
  unsigned: Unsigned,
) {
  const signature = await key.sign(encode(unsigned as never))
  return { ...unsigned, sig: Buffer.from(signature).toString('base64url') }
}

function withoutSig({ sig: _, ...operation }: PlcOperation) {
  return operation
}

function didOf(operation: object): string {
  const hash = createHash('sha256')
    .update(encode(operation as never))
    .digest()
  return `did:plc:${base32(hash).slice(0, 24)}`
}
