/** Table `mail_tokens`: one token per account and purpose. */
import type { Reader, Writer } from '../database.ts'

export interface MailToken {
  readonly did: string
  readonly tokenHash: Uint8Array
  readonly expiresAt: string
  readonly wrongAttempts: number
}

const select =
  'SELECT did, token_hash AS tokenHash, expires_at AS expiresAt, wrong_attempts AS wrongAttempts FROM mail_tokens'

export function find(db: Reader, did: string, purpose: string): MailToken | undefined {
  return db.get<MailToken>(`${select} WHERE did = ? AND purpose = ?`, [did, purpose])
}

export function findByHash(db: Reader, purpose: string, hash: Uint8Array): MailToken | undefined {
  return db.get<MailToken>(`${select} WHERE token_hash = ? AND purpose = ?`, [hash, purpose])
}

/** Replaces the existing token. */
export function put(tx: Writer, did: string, purpose: string, hash: Uint8Array, expiresAt: string): void {
  tx.run(
    `INSERT INTO mail_tokens (did, purpose, token_hash, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (did, purpose) DO UPDATE
     SET token_hash = excluded.token_hash, expires_at = excluded.expires_at, wrong_attempts = 0`,
    [did, purpose, hash, expiresAt],
  )
}

export function countWrongAttempt(tx: Writer, did: string, purpose: string): void {
  tx.run('UPDATE mail_tokens SET wrong_attempts = wrong_attempts + 1 WHERE did = ? AND purpose = ?', [
    did,
    purpose,
  ])
}

export function remove(tx: Writer, did: string, purpose: string): void {
  tx.run('DELETE FROM mail_tokens WHERE did = ? AND purpose = ?', [did, purpose])
}

export function removeOfAccount(tx: Writer, did: string): void {
  tx.run('DELETE FROM mail_tokens WHERE did = ?', [did])
}

export function removeExpired(tx: Writer, before: string): void {
  tx.run('DELETE FROM mail_tokens WHERE expires_at <= ?', [before])
}
