/** Repositories as CAR files (version 1). */

import { setImmediate } from 'node:timers/promises'
import { parseCid } from '@atproto/lex-data'
import { type CarBlock, writeCarStream } from '@atproto/repo'
import type { DidString } from '@atproto/syntax'
import type { Database, Reader } from '../store/database.ts'
import { nodeFiles, saveAs } from '../store/files.ts'
import * as records from '../store/tables/records.ts'
import * as repos from '../store/tables/repos.ts'
import type { Repositories } from './repositories.ts'

interface Deps {
  readonly store: Database
  readonly repositories: Repositories
}

/** Blocks that are read before the event loop continues. */
const pageSize = 200
const chunkBytes = 64 * 1024

/** Exports that are being sent, by DID. Responses share them, because a copy for each slow client would fill the memory. */
const shared = new Map<string, { readonly commit: string; readonly chunks: WeakRef<Uint8Array[]> }>()

/**
 * Returns the whole repository as chunks of a CAR file, commit first; undefined if there is none. It is read between writes,
 * so that it belongs to one commit, and completely before it is sent, so that a slow client does not delay writes.
 */
export async function exportRepo(
  { store, repositories }: Deps,
  did: DidString,
): Promise<Uint8Array[] | undefined> {
  return repositories.serialize(did, async () => {
    for (;;) {
      const head = repos.findHead(store, did)
      if (!head) return undefined
      const last = shared.get(did)
      const same = last?.commit === head.commit ? last.chunks.deref() : undefined
      if (same) return same
      const file = writeCarStream(parseCid(head.commit), blocksOf(store, did, head.commit))
      const chunks = await inChunks(file)
      // The account may have been deleted and imported again in the meantime.
      if (repos.findHead(store, did)?.commit !== head.commit) continue
      shared.set(did, { commit: head.commit, chunks: new WeakRef(chunks) })
      return chunks
    }
  })
}

/**
 * Writes a repository to a CAR file. An existing file is replaced once the new one is on disk.
 * @returns false if there is no such repository
 */
export async function saveRepo(services: Deps, did: DidString, file: string): Promise<boolean> {
  const chunks = await exportRepo(services, did)
  if (chunks) await saveAs(nodeFiles, file, ...chunks)
  return chunks !== undefined
}

async function inChunks(file: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  let parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of file) {
    parts.push(part)
    bytes += part.length
    if (bytes < chunkBytes) continue
    chunks.push(Buffer.concat(parts))
    parts = []
    bytes = 0
  }
  return [...chunks, Buffer.concat(parts)]
}

/** Yields the commit, the nodes of its tree, the records. Duplicate blocks are allowed in a CAR file. */
async function* blocksOf(db: Reader, did: string, commit: string): AsyncIterable<CarBlock> {
  const first = repos.findBlock(db, did, commit)
  if (first) yield { cid: parseCid(commit), bytes: first }
  for await (const { cid, bytes } of paged<repos.Block>((last) =>
    repos.blockPage(db, did, last?.cid, pageSize),
  )) {
    if (cid !== commit) yield { cid: parseCid(cid), bytes }
  }
  for await (const { cid, bytes } of paged<records.StoredRecord>((last) =>
    records.pageOfRepo(db, did, last, pageSize),
  )) {
    yield { cid: parseCid(cid), bytes }
  }
}

/** Yields the items of all pages, and lets the event loop continue after each page. */
async function* paged<T>(read: (last: T | undefined) => T[]): AsyncIterable<T> {
  let page = read(undefined)
  while (page.length > 0) {
    yield* page
    await setImmediate()
    page = read(page.at(-1))
  }
}
