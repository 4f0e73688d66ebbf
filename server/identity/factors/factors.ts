/**
 * Second factors of sign-in with the main password: a code by email, authenticator apps, passkeys, and recovery codes for those who
 * lost them. Clients of the network know one field for all of them, `authFactorToken`.
 *
 * Authenticator apps are in `totp.ts`, passkeys in `passkeys.ts`, recovery codes in `recovery-codes.ts`; codes by email are mail tokens
 * of `server/identity/accounts/`.
 */
import type { DidString } from '@atproto/syntax'
import type { Reader, Writer } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { iso } from '../../util/time.ts'
import { spendToken, type Verdict } from '../accounts/mail-tokens.ts'
import type { Secrets } from '../did/server-secrets.ts'
import * as rows from '../tables/second-factors.ts'
import { spendRecoveryCode } from './recovery-codes.ts'
import { periodOf } from './totp.ts'

/** Limit for one account. */
export const maxFactors = 20
export const tooManyFactors = `An account can have ${maxFactors} second factors. Remove one first.`

/** From so many wrong codes of an authenticator app on, one in fifteen minutes is compared: it takes years to guess one. */
const freeWrongCodes = 10
const waitMs = 15 * 60_000

/** Whether sign-in with the main password asks for more. */
export function needsFactor(db: Reader, account: { did: string; emailAuthFactor: number }): boolean {
  return account.emailAuthFactor === 1 || rows.exist(db, account.did)
}

interface Attempt {
  readonly did: DidString
  /** A code of any kind. */
  readonly token: string
  readonly now: Date
}

/** Checks a code of any kind, which counts once. `tooMany`: no code of an authenticator app is compared for some minutes. */
export function spendFactor(tx: Writer, secrets: Secrets, { did, token, now }: Attempt): Verdict | 'tooMany' {
  const code = token.replaceAll(/\s/g, '')
  if (/^\d{6}$/.test(code)) {
    const verdict = spendTotp(tx, { did, token: code, now })
    if (verdict !== undefined) return verdict
  }
  if (spendRecoveryCode(tx, secrets, did, code)) return 'good'
  return spendToken(tx, secrets, { did, purpose: 'authFactor', token: code, now })
}

/** Returns undefined if the account has no authenticator app. */
function spendTotp(
  tx: Writer,
  { did, token, now }: Attempt,
): 'good' | 'InvalidToken' | 'tooMany' | undefined {
  const apps = rows.ofAccount(tx, did).filter(({ kind }) => kind === 'totp')
  if (apps.length === 0) return undefined
  if (apps.some((app) => isWaiting(app, now))) return 'tooMany'
  for (const app of apps) {
    const period = periodOf(token, app, now)
    if (period === undefined) continue
    rows.markUsed(tx, app.id, period, iso(now))
    return 'good'
  }
  rows.countWrongCode(tx, did, iso(now))
  return 'InvalidToken'
}

/** A clock that was set back ends the wait. */
function isWaiting({ wrongCodes, wrongCodeAt }: rows.SecondFactor, now: Date): boolean {
  if (wrongCodes < freeWrongCodes || wrongCodeAt === null) return false
  const elapsed = now.getTime() - Date.parse(wrongCodeAt)
  return elapsed >= 0 && elapsed < waitMs
}

/** Makes the main password enough again. */
export function removeAllFactors(tx: Writer, did: string): void {
  rows.removeAll(tx, did)
  accounts.setEmailAuthFactor(tx, did, false)
}

/** Returns a name without surrounding spaces; undefined if it is empty or has more than 64 characters. */
export function factorName(input: string): string | undefined {
  const name = input.trim()
  return name === '' || [...name].length > 64 ? undefined : name
}
