/** Table `mail_tokens`: the codes that were mailed, several per account and purpose. */
import type { Reader, Writer } from '../../store/database.ts'

export interface MailToken {
  readonly did: string
  readonly tokenHash: Uint8Array
  readonly expiresAt: string
}

const select = 'SELECT did, token_hash AS tokenHash, expires_at AS expiresAt FROM mail_tokens'

/** All tokens of an account for a purpose, expired ones too. */
export function findAll(db: Reader, did: string, purpose: string): MailToken[] {
  return db.all<MailToken>(`${select} WHERE did = ? AND purpose = ?`, [did, purpose])
}

export function findByHash(db: Reader, purpose: string, hash: Uint8Array): MailToken | undefined {
  return db.get<MailToken>(`${select} WHERE token_hash = ? AND purpose = ?`, [hash, purpose])
}

/** Adds a token, and deletes the oldest ones of its account and purpose beyond a number. */
export function add(
  tx: Writer,
  { did, purpose, hash, expiresAt }: { did: string; purpose: string; hash: Uint8Array; expiresAt: string },
  keep: number,
): void {
  tx.run('INSERT INTO mail_tokens (token_hash, did, purpose, expires_at) VALUES (?, ?, ?, ?)', [
    hash,
    did,
    purpose,
    expiresAt,
  ])
  tx.run(
    `DELETE FROM mail_tokens WHERE rowid IN (
       SELECT rowid FROM mail_tokens WHERE did = ? AND purpose = ?
       ORDER BY expires_at DESC, rowid DESC LIMIT -1 OFFSET ?)`,
    [did, purpose, keep],
  )
}

/** Counts a wrong code against every token that it was compared with, and deletes tokens that reach the maximum. */
export function countWrongAttempt(tx: Writer, did: string, purpose: string, max: number): void {
  tx.run('UPDATE mail_tokens SET wrong_attempts = wrong_attempts + 1 WHERE did = ? AND purpose = ?', [
    did,
    purpose,
  ])
  tx.run('DELETE FROM mail_tokens WHERE did = ? AND purpose = ? AND wrong_attempts >= ?', [did, purpose, max])
}

/** Deletes all tokens of an account for a purpose. */
export function removeAll(tx: Writer, did: string, purpose: string): void {
  tx.run('DELETE FROM mail_tokens WHERE did = ? AND purpose = ?', [did, purpose])
}

export function removeOfAccount(tx: Writer, did: string): void {
  tx.run('DELETE FROM mail_tokens WHERE did = ?', [did])
}

export function removeExpired(tx: Writer, before: string): void {
  tx.run('DELETE FROM mail_tokens WHERE expires_at <= ?', [before])
}
