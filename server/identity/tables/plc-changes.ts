/** Table `plc_changes`: operations that were sent to the directory, until it is known whether it has them. One per account. */
import type { DidString, HandleString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'

export interface PlcChange {
  /** JSON. */
  readonly operation: string
  /** The handle that the account gets once the directory has the operation. It is reserved until then. */
  readonly handle: HandleString | null
}

export function find(db: Reader, did: string): PlcChange | undefined {
  return db.get<PlcChange>('SELECT operation, handle FROM plc_changes WHERE did = ?', [did])
}

/** Returns the account for which a handle is reserved. */
export function holderOf(db: Reader, handle: string): DidString | undefined {
  return db.get<{ did: DidString }>('SELECT did FROM plc_changes WHERE handle = ?', [handle])?.did
}

export function dids(db: Reader): DidString[] {
  return db.all<{ did: DidString }>('SELECT did FROM plc_changes').map(({ did }) => did)
}

export function insert(tx: Writer, did: string, { operation, handle }: PlcChange): void {
  tx.run('INSERT INTO plc_changes (did, operation, handle) VALUES (?, ?, ?)', [did, operation, handle])
}

export function remove(tx: Writer, did: string): void {
  tx.run('DELETE FROM plc_changes WHERE did = ?', [did])
}
