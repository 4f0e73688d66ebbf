/** Tables `invite_codes` and `invite_code_uses`. */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import type { DatetimeString } from '../../util/time.ts'

export interface InviteCode {
  readonly code: string
  /** Uses left. */
  readonly available: number
  readonly disabled: number
  /** A DID, or `admin`. */
  readonly forAccount: string
  readonly createdBy: string
  readonly createdAt: DatetimeString
  /** Whom it is for. */
  readonly note: string | null
  readonly expiresAt: DatetimeString | null
}

type NewInviteCode = Omit<InviteCode, 'note' | 'expiresAt'> & Partial<InviteCode>

export interface InviteCodeUse {
  readonly code: string
  readonly usedBy: DidString
  readonly usedAt: DatetimeString
}

const columns =
  'code, available, disabled, for_account AS forAccount, created_by AS createdBy, created_at AS createdAt, note, expires_at AS expiresAt'

export function find(db: Reader, code: string): InviteCode | undefined {
  return db.get<InviteCode>(`SELECT ${columns} FROM invite_codes WHERE code = ?`, [code])
}

/** Returns the codes of an account, newest first. */
export function ofAccount(db: Reader, did: string): InviteCode[] {
  return db.all<InviteCode>(
    `SELECT ${columns} FROM invite_codes WHERE for_account = ? ORDER BY created_at DESC, code`,
    [did],
  )
}

/** Returns codes, newest first, after the key of another one. */
export function newest(
  db: Reader,
  after: { createdAt: string; code: string } | undefined,
  limit: number,
): InviteCode[] {
  // Text that sorts after each datetime.
  const { createdAt, code } = after ?? { createdAt: '~', code: '' }
  return db.all<InviteCode>(
    `SELECT ${columns} FROM invite_codes WHERE (created_at, code) < (?, ?) ORDER BY created_at DESC, code DESC LIMIT ?`,
    [createdAt, code, limit],
  )
}

/** Returns codes, most uses first, after the key of another one. */
export function mostUsed(
  db: Reader,
  after: { uses: number; code: string } | undefined,
  limit: number,
): (InviteCode & { uses: number })[] {
  const { uses, code } = after ?? { uses: Number.MAX_SAFE_INTEGER, code: '' }
  return db.all(
    `SELECT * FROM (
       SELECT ${columns}, (SELECT count(*) FROM invite_code_uses u WHERE u.code = c.code) AS uses FROM invite_codes c
     ) WHERE (uses, code) < (?, ?) ORDER BY uses DESC, code DESC LIMIT ?`,
    [uses, code, limit],
  )
}

/** Returns the uses of codes, oldest first. */
export function usesOf(db: Reader, codes: readonly string[]): InviteCodeUse[] {
  return db.all<InviteCodeUse>(
    `SELECT code, used_by AS usedBy, used_at AS usedAt FROM invite_code_uses
     WHERE code IN (SELECT value FROM json_each(?)) ORDER BY used_at`,
    [JSON.stringify(codes)],
  )
}

/** Counts the codes that the account has earned, and the ones that can still be used. */
export function earned(db: Reader, did: string): { total: number; open: number } {
  const row = db.get<{ total: number; open: number }>(
    `SELECT count(*) AS total, coalesce(sum(available > 0 AND disabled = 0), 0) AS open
     FROM invite_codes WHERE for_account = ? AND earned = 1`,
    [did],
  )
  return row ?? { total: 0, open: 0 }
}

export function insert(tx: Writer, code: NewInviteCode, isEarned: boolean): void {
  tx.run(
    `INSERT INTO invite_codes (code, available, disabled, for_account, created_by, earned, created_at, note, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      code.code,
      code.available,
      code.disabled,
      code.forAccount,
      code.createdBy,
      isEarned ? 1 : 0,
      code.createdAt,
      code.note ?? null,
      code.expiresAt ?? null,
    ],
  )
}

export function isUsedBy(db: Reader, code: string, did: string): boolean {
  return db.get('SELECT 1 FROM invite_code_uses WHERE code = ? AND used_by = ?', [code, did]) !== undefined
}

/** Takes one use. The CHECK constraint fails when none is left. */
export function use(tx: Writer, code: string, usedBy: string, usedAt: string): void {
  tx.run('UPDATE invite_codes SET available = available - 1 WHERE code = ?', [code])
  tx.run('INSERT INTO invite_code_uses (code, used_by, used_at) VALUES (?, ?, ?)', [code, usedBy, usedAt])
}

export function disable(tx: Writer, code: string): void {
  tx.run('UPDATE invite_codes SET disabled = 1 WHERE code = ?', [code])
}

export function disableOfAccount(tx: Writer, did: string): void {
  tx.run('UPDATE invite_codes SET disabled = 1 WHERE for_account = ?', [did])
}

/** Deletes the codes of an account. Codes that it created for others become the administrator's. */
export function removeOfAccount(tx: Writer, did: string): void {
  tx.run('DELETE FROM invite_codes WHERE for_account = ?', [did])
  tx.run("UPDATE invite_codes SET created_by = 'admin' WHERE created_by = ?", [did])
}
