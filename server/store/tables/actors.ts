/**
 * Table `actors`: everyone that a record or an account refers to. Accounts are the actors that live here, under the same id.
 * Triggers delete an actor with the last reference to it.
 */
import type { Reader, Writer } from '../database.ts'

/** Selects the id of an actor by DID. */
export const actorId = '(SELECT id FROM actors WHERE did = ?)'

export function idOf(db: Reader, did: string): number | undefined {
  return db.get<{ id: number }>('SELECT id FROM actors WHERE did = ?', [did])?.id
}

/** Returns the id of an actor, which is inserted if it is new. Insert a row that refers to it in the same transaction. */
export function ensure(tx: Writer, did: string): number {
  return (
    idOf(tx, did) ??
    tx.get<{ id: number }>('INSERT INTO actors (did) VALUES (?) RETURNING id', [did])?.id ??
    0
  )
}
