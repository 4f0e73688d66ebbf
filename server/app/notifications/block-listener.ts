/** Hides and shows notifications when records change who blocks whom, in the transaction that writes the records. */

import * as blocks from '../../federation/tables/blocks.ts'
import { collections } from '../../platform/config/nsids.ts'
import { linkPaths } from '../../repository/format/link-paths.ts'
import type { RecordEvent, RecordListener } from '../../repository/records/record-events.ts'
import type { Reader, Writer } from '../../store/database.ts'
import * as actors from '../../store/tables/actors.ts'
import { refreshBetween } from '../tables/hidden.ts'

/** Actors between which blocks may have changed: each of some with each of others. */
interface Affected {
  readonly some: readonly number[]
  readonly others: readonly number[]
}

/** Call it after the listener that stores links. */
export const blockListener: RecordListener = {
  recordCreated: refresh,
  recordUpdated(tx, event, previous) {
    refresh(tx, previous)
    return refresh(tx, event)
  },
  recordDeleted: refresh,
}

function refresh(tx: Writer, event: RecordEvent): undefined {
  const affected = affectedBy(tx, event)
  if (affected) refreshBetween(tx, affected.some, affected.others)
}

function affectedBy(db: Reader, { did, rkey, collection, links }: RecordEvent): Affected | undefined {
  const author = () => idsOf(db, did)
  const linked = (path: keyof typeof linkPaths) => links.find((link) => link.path === linkPaths[path])
  switch (collection) {
    case collections.block:
      return { some: author(), others: idsOf(db, linked('graph.block:subject')?.did) }
    case collections.list:
      return { some: blocks.usersOf(db, { did, rkey }), others: blocks.membersOf(db, { did, rkey }) }
    case collections.listblock: {
      const link = linked('graph.listblock:subject')
      return (
        link?.record && { some: author(), others: blocks.membersOf(db, { did: link.did, ...link.record }) }
      )
    }
    case collections.listitem: {
      const link = linked('graph.listitem:list')
      const member = linked('graph.listitem:subject')?.did
      // An item in a list of another account has no effect.
      if (link?.did !== did || !link.record) return undefined
      return { some: blocks.usersOf(db, { did, rkey: link.record.rkey }), others: idsOf(db, member) }
    }
    default:
      return undefined
  }
}

function idsOf(db: Reader, did: string | undefined): number[] {
  const id = did === undefined ? undefined : actors.idOf(db, did)
  return id === undefined ? [] : [id]
}
