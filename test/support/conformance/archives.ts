/** Damages the CAR files of repositories. */
import { decode, encode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { parseCid } from '@atproto/lex-data'
import { carFile } from '../../../server/repository/format/car.ts'
import { readBlocks, rootOf } from '../../../server/repository/format/read-car.ts'
import { cborCid, cidText } from '../../../server/util/cid.ts'

export interface Archive {
  root: string
  blocks: { cid: string; bytes: Uint8Array }[]
}

/** Returns a file with changes. */
export async function changed(car: Uint8Array, change: (archive: Archive) => void): Promise<Buffer> {
  const file = Buffer.from(car)
  const blocks = [...(await readBlocks(file)).values()].map(({ cid, bytes }) => ({
    cid: cidText(cid),
    bytes,
  }))
  const archive = { root: cidText(rootOf(file)), blocks }
  change(archive)
  return Buffer.from(carFile(archive.root, archive.blocks))
}

/** Replaces members of the commit. It keeps its signature, and gets the CID of its content. */
export function changeCommit(archive: Archive, members: (commit: LexMap) => LexMap): void {
  replace(archive, archive.root, (bytes) => encode(members(decode(bytes) as LexMap)), true)
}

/** Replaces the top node of the tree, and links the commit to it. */
export function changeTree(archive: Archive, change: (node: LexMap) => LexMap): void {
  const root = archive.blocks.find(({ cid }) => cid === archive.root)
  const data = String((decode(root?.bytes ?? new Uint8Array()) as LexMap).data)
  const next = replace(archive, data, (bytes) => encode(change(decode(bytes) as LexMap)))
  changeCommit(archive, (commit) => ({ ...commit, data: parseCid(next) }))
}

/** Removes all blocks for which a function returns true. */
export function drop(archive: Archive, isDropped: (value: LexMap, cid: string) => boolean): void {
  archive.blocks = archive.blocks.filter(({ cid, bytes }) => !isDropped(decode(bytes) as LexMap, cid))
}

function replace(
  archive: Archive,
  cid: string,
  change: (bytes: Uint8Array) => Uint8Array,
  isRoot = false,
): string {
  const at = archive.blocks.findIndex((block) => block.cid === cid)
  const bytes = change(archive.blocks[at]?.bytes ?? new Uint8Array())
  const next = cborCid(bytes)
  archive.blocks[at] = { cid: next, bytes }
  if (isRoot) archive.root = next
  return next
}
