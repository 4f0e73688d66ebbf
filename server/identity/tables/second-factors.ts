/** Tables `second_factors` and `recovery_codes`: what sign-in with the main password asks for besides it. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface SecondFactor {
  readonly id: string
  readonly did: DidString
  readonly kind: 'totp' | 'passkey'
  readonly name: string
  /** The key that an authenticator app shares, or the public key of a passkey (COSE). */
  readonly key: Uint8Array<ArrayBuffer>
  /** The last period of an authenticator app of which a code was used, or the signature counter of a passkey. */
  readonly counter: number
  /** Identifier of a passkey, in base64url; null: an authenticator app. */
  readonly credentialId: string | null
  /** Host name of the pages on which a passkey works. */
  readonly host: string | null
  readonly createdAt: DatetimeString
  readonly lastUsedAt: DatetimeString | null
  /** 1 once an authenticator app has shown a right code. Until then it does not count. */
  readonly isConfirmed: number
  /** Wrong codes since the last right one, entered with the right password. */
  readonly wrongCodes: number
  readonly wrongCodeAt: DatetimeString | null
}

const columns = `id, did, kind, name, key, counter, credential_id AS credentialId, host, created_at AS createdAt,
  last_used_at AS lastUsedAt, is_confirmed AS isConfirmed, wrong_codes AS wrongCodes, wrong_code_at AS wrongCodeAt`

/** Returns the factors that count, oldest first. */
export function ofAccount(db: Reader, did: string): SecondFactor[] {
  return db.all<SecondFactor>(
    `SELECT ${columns} FROM second_factors WHERE did = ? AND is_confirmed = 1 ORDER BY created_at, id`,
    [did],
  )
}

export function exist(db: Reader, did: string): boolean {
  return db.get('SELECT 1 FROM second_factors WHERE did = ? AND is_confirmed = 1', [did]) !== undefined
}

export function find(db: Reader, did: string, id: string): SecondFactor | undefined {
  return db.get<SecondFactor>(`SELECT ${columns} FROM second_factors WHERE id = ? AND did = ?`, [id, did])
}

export function findByCredential(db: Reader, credentialId: string): SecondFactor | undefined {
  return db.get<SecondFactor>(`SELECT ${columns} FROM second_factors WHERE credential_id = ?`, [credentialId])
}

export function insert(
  tx: Writer,
  row: Omit<SecondFactor, 'lastUsedAt' | 'wrongCodes' | 'wrongCodeAt'>,
): void {
  tx.run(
    `INSERT INTO second_factors (id, did, kind, name, key, counter, credential_id, host, created_at, is_confirmed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      row.id,
      row.did,
      row.kind,
      row.name,
      row.key,
      row.counter,
      row.credentialId,
      row.host,
      row.createdAt,
      row.isConfirmed,
    ],
  )
}

export function confirm(tx: Writer, id: string, name: string, counter: number): void {
  tx.run('UPDATE second_factors SET is_confirmed = 1, name = ?, counter = ? WHERE id = ?', [
    name,
    counter,
    id,
  ])
}

/** Notes a use, and forgets wrong codes. */
export function markUsed(tx: Writer, id: string, counter: number, at: string): void {
  tx.run(
    `UPDATE second_factors SET counter = ?, last_used_at = ?, wrong_codes = 0, wrong_code_at = NULL WHERE id = ?`,
    [counter, at, id],
  )
}

/** Counts a wrong code against the authenticator apps of an account. */
export function countWrongCode(tx: Writer, did: string, at: string): void {
  tx.run(
    `UPDATE second_factors SET wrong_codes = wrong_codes + 1, wrong_code_at = ?
     WHERE did = ? AND kind = 'totp' AND is_confirmed = 1`,
    [at, did],
  )
}

export function remove(tx: Writer, id: string): void {
  tx.run('DELETE FROM second_factors WHERE id = ?', [id])
}

/** Deletes authenticator apps that never showed a right code. */
export function removeUnconfirmed(tx: Writer, did: string): void {
  tx.run('DELETE FROM second_factors WHERE did = ? AND is_confirmed = 0', [did])
}

export function removeAll(tx: Writer, did: string): void {
  tx.run('DELETE FROM second_factors WHERE did = ?', [did])
  removeRecoveryCodes(tx, did)
}

export function countRecoveryCodes(db: Reader, did: string): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM recovery_codes WHERE did = ?', [did])?.n ?? 0
}

export function addRecoveryCode(tx: Writer, did: string, hash: Uint8Array): void {
  tx.run('INSERT INTO recovery_codes (code_hash, did) VALUES (?, ?)', [hash, did])
}

/** Deletes a code. @returns whether the account had it */
export function spendRecoveryCode(tx: Writer, did: string, hash: Uint8Array): boolean {
  const isKnown =
    tx.get('SELECT 1 FROM recovery_codes WHERE code_hash = ? AND did = ?', [hash, did]) !== undefined
  if (isKnown) tx.run('DELETE FROM recovery_codes WHERE code_hash = ?', [hash])
  return isKnown
}

export function removeRecoveryCodes(tx: Writer, did: string): void {
  tx.run('DELETE FROM recovery_codes WHERE did = ?', [did])
}
