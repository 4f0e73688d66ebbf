/** Invite codes: their form, their permitted users, and codes that accounts earn over time. */

import { isValidDid } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { randomGroups } from '../../util/random.ts'
import { instant, iso } from '../../util/time.ts'
import * as inviteCodes from '../tables/invite-codes.ts'

/** Generates a code: `<host-with-dashes>-xxxxx-xxxxx`. */
export function newCode(origin: string): string {
  return `${new URL(origin).hostname.replaceAll('.', '-')}-${randomGroups(2, 5)}`
}

/**
 * Takes one use of a code for the account that is being created. A DID that has used the code before (its account was deleted
 * since) does not take another use.
 * @returns false when the code is not valid for the account
 */
export function takeInvite(tx: Writer, code: string, newDid: string, now: Date): boolean {
  if (!isInviteValid(tx, code, newDid, now)) return false
  if (!inviteCodes.isUsedBy(tx, code, newDid)) inviteCodes.use(tx, code, newDid, iso(now))
  return true
}

/** Whether `takeInvite` would accept a code. @param newDid any text for an account whose DID is made here */
export function isInviteValid(db: Reader, code: string, newDid: string, now: Date): boolean {
  const row = inviteCodes.find(db, code)
  if (!row || row.disabled || !isFor(db, row, newDid)) return false
  if (row.expiresAt !== null && row.expiresAt <= iso(now)) return false
  return row.available > 0 || inviteCodes.isUsedBy(db, code, newDid)
}

/** Whether a DID may use a code. Codes of taken-down accounts are void; a code for a DID to be imported is for that DID only. */
function isFor(db: Reader, { forAccount }: inviteCodes.InviteCode, newDid: string): boolean {
  if (forAccount === 'admin') return true
  const holder = accounts.findByDid(db, forAccount)
  return holder ? holder.takenDownAt === null : forAccount === newDid
}

const maxOpenEarned = 5

/** How many codes an account earns now: one for each interval since its sign-up, at most five of them unused. */
export function earnedCodes(
  { createdAt }: { createdAt: string },
  earned: { total: number; open: number },
  intervalMs: number | undefined,
  now: Date,
): number {
  if (intervalMs === undefined) return 0
  const due = Math.floor((now.getTime() - Date.parse(createdAt)) / intervalMs) - earned.total
  return Math.max(0, Math.min(due, maxOpenEarned - earned.open))
}

/** Renders codes with their uses. */
export function inviteCodeViews(db: Reader, codes: readonly inviteCodes.InviteCode[]) {
  const uses = inviteCodes.usesOf(
    db,
    codes.map(({ code }) => code),
  )
  const byCode = Map.groupBy(uses, ({ code }) => code)
  return codes.map((code) => ({
    ...code,
    disabled: code.disabled === 1,
    note: code.note ?? undefined,
    expiresAt: code.expiresAt ?? undefined,
    uses: byCode.get(code.code) ?? [],
  }))
}

const maxLifetimeMs = 365 * 24 * 60 * 60_000

interface InviteTerms {
  readonly note?: string | undefined
  readonly expiresAt?: string | undefined
}

/** Reads whom new codes are for, and when they expire. Undefined if that is past, or more than a year away. */
export function inviteTerms(input: InviteTerms, now: Date) {
  const note = input.note?.trim() || null
  if (input.expiresAt === undefined) return { note, expiresAt: null }
  const at = instant(input.expiresAt)
  const leftMs = at ? at.getTime() - now.getTime() : 0
  return at && leftMs > 0 && leftMs <= maxLifetimeMs ? { note, expiresAt: iso(at) } : undefined
}

/** Parses the holder of a code: a DID, or `admin` for codes without a holder. Undefined if invalid. */
export function inviteHolder(name: string): string | undefined {
  return name === 'admin' || isValidDid(name) ? name : undefined
}
