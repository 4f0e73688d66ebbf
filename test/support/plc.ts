/** did:plc as its specification has it, apart from the server's own code: DIDs that somebody else made. */
import { createHash } from 'node:crypto'
import { type Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { encode } from '@ipld/dag-cbor'
import { base32 } from 'multiformats/bases/base32'
import { CID } from 'multiformats/cid'
import * as digest from 'multiformats/hashes/digest'

export interface PlcIdentity {
  readonly did: string
  readonly handle: string
  /** Signs for the account. */
  readonly key: Keypair
  /** Signs operations. */
  readonly rotationKey: Keypair
  readonly genesis: PlcOperation
}

export type PlcOperation = Record<string, unknown> & { sig: string }

export async function createPlcIdentity(handle: string): Promise<PlcIdentity> {
  const key = await Secp256k1Keypair.create()
  const rotationKey = await Secp256k1Keypair.create()
  const state = { key, handle, endpoint: 'https://old.example', prev: null }
  const genesis = await signOperation(rotationKey, state)
  const did = `did:plc:${base32.baseEncode(sha256(genesis)).slice(0, 24)}`
  return { did, handle, key, rotationKey, genesis }
}

/** The operation that moves an identity to another server. */
export function moveOperation(
  { key, handle, rotationKey, genesis }: PlcIdentity,
  endpoint: string,
): Promise<PlcOperation> {
  const prev = CID.createV1(0x71, digest.create(0x12, sha256(genesis))).toString()
  return signOperation(rotationKey, { key, handle, endpoint, prev })
}

async function signOperation(
  signer: Keypair,
  state: { key: Keypair; handle: string; endpoint: string; prev: string | null },
): Promise<PlcOperation> {
  const unsigned = {
    type: 'plc_operation',
    rotationKeys: [signer.did()],
    verificationMethods: { atproto: state.key.did() },
    alsoKnownAs: [`at://${state.handle}`],
    services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: state.endpoint } },
    prev: state.prev,
  }
  const signature = await signer.sign(encode(unsigned))
  return { ...unsigned, sig: Buffer.from(signature).toString('base64url') }
}

function sha256(operation: PlcOperation): Uint8Array {
  return createHash('sha256').update(encode(operation)).digest()
}
