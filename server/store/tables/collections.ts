/** Table `collections`: names under which collections are stored. */
import type { Reader, Writer } from '../database.ts'

/** Selects the id of a collection by name. */
export const collectionId = '(SELECT id FROM collections WHERE nsid = ?)'

export function idOf(db: Reader, nsid: string): number | undefined {
  return db.get<{ id: number }>('SELECT id FROM collections WHERE nsid = ?', [nsid])?.id
}

/** Returns the id of a collection, which is inserted if it is new. */
export function ensure(tx: Writer, nsid: string): number {
  return (
    idOf(tx, nsid) ??
    tx.get<{ id: number }>('INSERT INTO collections (nsid) VALUES (?) RETURNING id', [nsid])?.id ??
    0
  )
}
