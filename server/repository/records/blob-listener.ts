/** Checks the blobs that written records name, and deletes blobs that no record names any more. */

import type { Writer } from '../../store/database.ts'
import { type BlobRef, blobRefsIn, checkReference } from '../blobs/references.ts'
import * as blobs from '../tables/blobs.ts'
import type { AfterCommit, RecordEvent, RecordListener } from './record-events.ts'

/** @param release deletes blobs, unless other records of the account name them. Called after the commit */
export function createBlobListener(release: (did: string, cids: readonly string[]) => void): RecordListener {
  const refer = (tx: Writer, event: RecordEvent, before: ReadonlyMap<string, BlobRef>) => {
    for (const ref of refsOf(event).values()) {
      const { mimeType, size } = before.get(ref.cid) ?? {}
      // A blob that the record named before may be missing, or differ from the uploaded one.
      if (mimeType !== ref.mimeType || size !== ref.size) checkReference(tx, event.did, event.id, ref)
      blobs.refer(tx, event.did, ref.cid)
    }
  }
  const releaseAll = ({ did }: RecordEvent, cids: readonly string[]): AfterCommit | undefined =>
    cids.length === 0 ? undefined : () => release(did, cids)

  return {
    recordCreated(tx, event) {
      refer(tx, event, new Map())
      return undefined
    },
    recordUpdated(tx, event, previous) {
      const before = refsOf(previous)
      refer(tx, event, before)
      const after = refsOf(event)
      return releaseAll(
        event,
        [...before.keys()].filter((cid) => !after.has(cid)),
      )
    },
    recordDeleted: (_tx, event) => releaseAll(event, [...refsOf(event).keys()]),
  }
}

function refsOf({ record }: RecordEvent): ReadonlyMap<string, BlobRef> {
  return new Map(Array.from(blobRefsIn(record), (ref) => [ref.cid, ref]))
}
