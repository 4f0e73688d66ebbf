/** A repository of the server: that of the account, otherwise the first active one that it lists. */
import { hash } from 'node:crypto'
import { decode } from '@atproto/lex-cbor'
import { decodeCid, ifCid, isPlainObject, type LexMap } from '@atproto/lex-data'
import { type DidDocument, parseDidDocument, signingKeyOf } from '../../identity/did/did-document.ts'
import {
  type CarBlock,
  InvalidCar,
  isIntact,
  maxBlockBytes,
  readBlocks,
  rootOf,
} from '../../repository/format/read-car.ts'
import { encodeNode, layerOf, parseNode } from '../../repository/format/tree-node.ts'
import { cidKey, cidText } from '../../util/cid.ts'
import { accountOf, writerOf } from './account.ts'
import { expectStatus, outputOf } from './answers.ts'
import { publicDirectory, shared, type Target } from './target.ts'
import { expect, Failed, Skipped } from './verdict.ts'

export interface Repository {
  readonly did: string
  readonly handle: string
  /** The DID document in describeRepo, if it has one. */
  readonly described: DidDocument | undefined
  /** That one if it has a key, or the one in the directory. */
  readonly document: DidDocument
  /** did:key of its DID document. */
  readonly signingKey: string
}

/** @throws Skipped if there is none */
export const repositoryOf = shared(async (target: Target): Promise<Repository> => {
  const did = await didOf(target)
  const query = { repo: did }
  const { handle, didDoc } = outputOf(await target.call('com.atproto.repo.describeRepo', { query }))
  const described = parseDidDocument(didDoc, did)
  const isComplete = described !== undefined && signingKeyOf(described) !== undefined
  const document = isComplete ? described : await resolveDocument(target, did)
  const signingKey = signingKeyOf(document)
  if (!signingKey) throw new Failed('the DID document has no signing key')
  return { did, handle, described, document, signingKey }
})

/** Resolves a DID at its directory or domain. @throws Skipped if the document cannot be had there */
export async function resolveDocument(target: Target, did: string): Promise<DidDocument> {
  const [, method, id = ''] = did.split(':', 3)
  if (method !== 'plc' && method !== 'web') throw new Skipped(`${did} is of an unknown method`)
  const address =
    method === 'plc'
      ? `${target.plcUrl ?? publicDirectory}/${did}`
      : `https://${decodeURIComponent(id)}/.well-known/did.json`
  const answer = await target.send(address).catch((error: unknown) => {
    // The server that is measured may work offline.
    if (method === 'plc' && error instanceof Failed)
      throw new Skipped(`${error.message}: --plc names the directory`)
    throw error
  })
  if (answer.status === 404) throw new Skipped(`${address} does not have it: --plc names the directory`)
  expectStatus(answer, 200)
  const document = parseDidDocument(JSON.parse(answer.bytes.toString()), did)
  expect(document, `${address} is not the document of ${did}`)
  return document
}

async function didOf(target: Target): Promise<string> {
  if (target.account) return (await accountOf(target)).did
  const { repos } = outputOf(await target.call('com.atproto.sync.listRepos', { query: { limit: '100' } }))
  const active = repos.find((repo: { active?: boolean }) => repo.active !== false)
  if (!active) throw new Skipped('the server lists no active repository')
  return active.did
}

/** The parts of a CAR file. */
export interface Car {
  readonly root: Uint8Array
  readonly blocks: ReadonlyMap<string, CarBlock>
  /** The commit, which is the root. */
  readonly commit: LexMap
}

/** @throws Failed if it is not a CAR file with a commit as its root */
export async function openCar(bytes: Uint8Array): Promise<Car> {
  const car = Buffer.from(bytes)
  try {
    const root = rootOf(car)
    const blocks = await readBlocks(car)
    return { root, blocks, commit: mapOf(blocks, root) }
  } catch (error) {
    if (error instanceof InvalidCar && /too many/.test(error.message))
      throw new Skipped('the repository has too many blocks to be read here')
    if (error instanceof InvalidCar) throw new Failed(`the CAR file cannot be read: ${error.message}`)
    throw error
  }
}

/** Fetches the CAR file of a method of com.atproto.sync. @throws Failed */
export async function fetchCar(target: Target, method: string, query: Record<string, string>): Promise<Car> {
  const answer = await target.call(`com.atproto.sync.${method}`, { query })
  expectStatus(answer, 200)
  return openCar(answer.bytes)
}

/** Records that give the tree several layers. */
const someRecords = 50

/** The whole repository; that of an account has some records. */
export const archiveOf = shared(async (target: Target): Promise<Car> => {
  if (target.account) await (await writerOf(target)).fill(someRecords)
  const { did } = await repositoryOf(target)
  return fetchCar(target, 'getRepo', { did })
})

/** Returns the bytes of a block with the hash of its CID. @throws Failed */
export function blockOf(blocks: Car['blocks'], cid: Uint8Array): Uint8Array {
  const block = blocks.get(cidKey(cid))
  expect(block, `the block ${cidText(cid)} is missing`)
  expect(block.bytes.length <= maxBlockBytes, `the block ${cidText(cid)} has more than 1 MiB`)
  expect(isIntact(block), `the block ${cidText(cid)} does not have the hash of its CID`)
  return block.bytes
}

function mapOf(blocks: Car['blocks'], cid: Uint8Array): LexMap {
  const value = decodeBlock(blockOf(blocks, cid))
  expect(isPlainObject(value), `the block ${cidText(cid)} is not a map`)
  return value as LexMap
}

/** @throws Failed */
export function decodeBlock(bytes: Uint8Array): unknown {
  try {
    return decode(bytes)
  } catch (error) {
    throw new Failed(`a block is not DAG-CBOR: ${(error as Error).message}`)
  }
}

/** Returns the root of the tree of a commit. @throws Failed */
export function treeOf({ data }: LexMap): Uint8Array {
  const cid = ifCid(data)
  expect(cid, 'the commit has no link to its tree')
  return cid.bytes
}

/**
 * Walks over a whole tree and checks its form: the order, the layers and the compression of its keys, and that no node is empty.
 * @returns the CIDs of the records by their keys
 * @throws Failed
 */
export function walkTree(blocks: Car['blocks'], root: Uint8Array): Map<string, Uint8Array> {
  const records = new Map<string, Uint8Array>()
  let last = ''
  /** @param layer of the node; undefined for the root */
  function walk(cid: Uint8Array, layer: number | undefined): void {
    const bytes = blockOf(blocks, cid)
    const entries = parseNode(bytes)
    expect(entries, `the node ${cidText(cid)} is malformed`)
    expect(
      Buffer.from(encodeNode(entries)).equals(bytes),
      `the node ${cidText(cid)} is not in the only valid form`,
    )
    const first = entries.find(({ key }) => key !== undefined)?.key
    const ownLayer = layer ?? (first === undefined ? 0 : layerOf(first))
    expect(entries.length > 0 || (layer === undefined && records.size === 0), 'the tree has an empty node')
    expect(layer !== undefined || first !== undefined || entries.length === 0, 'the top node has no key')
    for (const entry of entries) {
      if (entry.key === undefined) {
        expect(ownLayer > 0, 'the lowest layer of the tree has a link to a node')
        walk(entry.node, ownLayer - 1)
        continue
      }
      expect(entry.key > last, `the key ${entry.key} follows ${last}`)
      expect(layerOf(entry.key) === ownLayer, `the key ${entry.key} is in layer ${ownLayer}`)
      last = entry.key
      records.set(entry.key, entry.record)
    }
  }
  walk(root, undefined)
  return records
}

/** Returns the CID of bytes that are no block of a repository, such as a picture. */
export function rawCid(bytes: Uint8Array): string {
  return decodeCid(
    Buffer.concat([Buffer.of(1, 0x55, 0x12, 0x20), hash('sha256', bytes, 'buffer')]),
  ).toString()
}
