/** An account that moves to the server: this measurement plays the server that it leaves. Its identity is in the directory. */
import { encode } from '@atproto/lex-cbor'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import { createGenesis, createUpdate, type PlcOperation } from '../../identity/did/did-plc.ts'
import { directoryUrl } from '../../identity/did/plc-directory.ts'
import { createServiceJwt } from '../../identity/did/service-jwt.ts'
import { carFile } from '../../repository/format/car.ts'
import { createTidClock } from '../../repository/format/tid.ts'
import { signCommit } from '../../repository/records/commit.ts'
import { changeTree, emptyTree } from '../../repository/records/tree.ts'
import { cborCid } from '../../util/cid.ts'
import { createSigningKey, type SigningKey, signerOf } from '../../util/keys.ts'
import { randomBytes, randomGroups } from '../../util/random.ts'
import { systemTime } from '../../util/timers.ts'
import { collection, newRecord } from './account.ts'
import { expectStatus, outputOf } from './answers.ts'
import { requireCreation } from './guest.ts'
import { rawCid } from './repository.ts'
import { isPublicDirectory, publicDirectory, type Target } from './target.ts'
import { Skipped } from './verdict.ts'

export interface Newcomer {
  readonly did: string
  readonly signing: SigningKey
  readonly rotation: SigningKey
  readonly genesis: PlcOperation
}

/** Publishes an identity in the directory. @throws Skipped */
export async function newNewcomer(target: Target): Promise<Newcomer> {
  requireCreation(target)
  const { plcUrl = publicDirectory } = target
  if (isPublicDirectory(plcUrl)) throw new Skipped('it needs a directory for tests: --plc')
  const [signing, rotation] = [await createSigningKey(), await createSigningKey()]
  const { did, operation } = await createGenesis({
    ...{ handle: `check-${randomGroups(1, 8)}.example.com`, origin: 'https://old.example.com' },
    ...{ signingKey: signing.did, rotationKeys: [rotation.did], signer: rotation },
  })
  expectStatus(await target.send(directoryUrl(plcUrl, did), { input: operation }), 200)
  return { did, signing, rotation, genesis: operation }
}

/** Returns a token by which the account proves to the server that it comes. @param key that signs it */
export async function proofOfMove(
  target: Target,
  { did, signing }: Newcomer,
  key = signing,
): Promise<string> {
  const { did: aud } = outputOf(await target.call('com.atproto.server.describeServer'))
  const iat = Math.floor(systemTime().getTime() / 1000)
  const jti = randomBytes(16).toString('hex')
  const lxm = 'com.atproto.server.createAccount'
  return createServiceJwt({ iss: did, aud, lxm, iat, exp: iat + 60, jti, privateKey: key.privateKey })
}

export interface Baggage {
  readonly car: Uint8Array
  /** CID of the tree. */
  readonly tree: string
  readonly file: Buffer
  readonly fileCid: string
}

/** The repository of the account: some records, of which one has a file. */
export function packed({ did, signing }: Newcomer): Baggage {
  const nextTid = createTidClock(systemTime)
  const file = Buffer.from(`conformance ${randomBytes(16).toString('hex')}`)
  const fileCid = rawCid(file)
  const blob = { $type: 'blob', ref: { $link: fileCid }, mimeType: 'text/plain', size: file.length }
  const records = [newRecord(), newRecord(), newRecord({ file: blob })].map((value) => {
    const bytes = encode(jsonToLex(value as unknown as JsonValue))
    return { key: `${collection}/${nextTid()}`, bytes, cid: cborCid(bytes) }
  })
  const changes = records.map(({ key, cid }) => ({ key, cid, prev: undefined }))
  const { tree, added } = changeTree(emptyTree(), changes)
  const { head, block } = signCommit({ did, rev: nextTid(), tree: tree.cid }, signerOf(signing.privateKey))
  return { car: carFile(head.commit, [block, ...added, ...records]), tree: tree.cid, file, fileCid }
}

/** Returns the operation by which the identity names the new server. @param recommended by it */
export function moveOperation({ genesis, rotation }: Newcomer, recommended: object): PlcOperation {
  return createUpdate(genesis, recommended, rotation)
}
