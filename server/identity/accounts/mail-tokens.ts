/**
 * Mail tokens: codes `XXXXX-XXXXX` that are sent by email, valid for 15 minutes and one use. A new one leaves the earlier ones
 * valid: anyone may request a password reset, which must not void the code that the owner is about to enter. The store has only
 * their keyed hash.
 */

import { timingSafeEqual } from 'node:crypto'
import { CODE_LIFETIME_MINUTES, type MailPurpose, mailFor } from '../../platform/mail/templates.ts'
import type { Platform } from '../../platform/platform.ts'
import { tooMany } from '../../platform/xrpc/rate-limit.ts'
import type { Reader, Writer } from '../../store/database.ts'
import { type Account, findByDid } from '../../store/tables/accounts.ts'
import { randomGroups, regrouped } from '../../util/random.ts'
import { iso } from '../../util/time.ts'
import type { Secrets } from '../did/server-secrets.ts'
import * as rows from '../tables/mail-tokens.ts'

interface Deps extends Pick<Platform, 'store' | 'mailer' | 'countMail' | 'origin' | 'now'> {
  readonly secrets: Secrets
}

const lifetimeMs = CODE_LIFETIME_MINUTES * 60_000

/** After this many wrong codes a token is deleted. */
const maxWrongAttempts = 5

/** Tokens of one purpose and account. More are not mailed within their lifetime; see the limits of `requestPasswordReset`. */
const maxTokens = 20

/**
 * Creates a token and mails it. Resolves when the mail is sent or in the outbox.
 * @throws RateLimitExceeded, but for a reset: no one may learn what was mailed
 */
export async function mailToken(
  { store, secrets, mailer, countMail, origin, now }: Deps,
  account: Account & { email: string },
  purpose: MailPurpose,
): Promise<void> {
  const isReset = purpose === 'resetPassword'
  const exceeded = countMail(isReset ? 'reset' : 'code', account)
  if (exceeded && isReset) return
  if (exceeded) throw tooMany(exceeded)
  const code = await store.transact(
    (tx) =>
      // The account may have been deleted meanwhile.
      findByDid(tx, account.did) && issueToken(tx, secrets, { did: account.did, purpose, now: now() }),
  )
  if (code === undefined) return
  const content = mailFor(purpose, { handle: account.handle, server: origin, code })
  await mailer.send({ to: account.email, ...content })
}

/** Creates a token. @returns its code */
export function issueToken(
  tx: Writer,
  secrets: Secrets,
  { did, purpose, now }: { did: string; purpose: MailPurpose; now: Date },
): string {
  const code = randomGroups(2, 5).toUpperCase()
  const expiresAt = iso(new Date(now.getTime() + lifetimeMs))
  rows.add(tx, { did, purpose, hash: hashOf(secrets, purpose, code), expiresAt }, maxTokens)
  return code
}

export type Verdict = 'good' | 'InvalidToken' | 'ExpiredToken'

/** Messages for an invalid code. Clients look for `Token is invalid`. */
export const tokenRefusals = {
  InvalidToken: 'Token is invalid: this code is wrong or was used before. Check it, or request a new one.',
  ExpiredToken: 'This code has expired. Request a new one.',
} as const

/** Checks a token of an account. A valid one is deleted, with all others of its purpose. */
export function spendToken(
  tx: Writer,
  secrets: Secrets,
  { did, purpose, token, now }: { did: string; purpose: MailPurpose; token: string; now: Date },
): Verdict {
  const hash = hashOf(secrets, purpose, token)
  const row = rows.findAll(tx, did, purpose).find(({ tokenHash }) => timingSafeEqual(tokenHash, hash))
  if (!row) {
    rows.countWrongAttempt(tx, did, purpose, maxWrongAttempts)
    return 'InvalidToken'
  }
  if (row.expiresAt <= iso(now)) return 'ExpiredToken'
  rows.removeAll(tx, did, purpose)
  return 'good'
}

/** Returns the DID of the account that a token belongs to, for operations without a session. */
export function ownerOfToken(
  db: Reader,
  secrets: Secrets,
  { purpose, token }: { purpose: MailPurpose; token: string },
): string | undefined {
  return rows.findByHash(db, purpose, hashOf(secrets, purpose, token))?.did
}

function hashOf(secrets: Secrets, purpose: MailPurpose, token: string): Uint8Array {
  return secrets.hash(`mail token, ${purpose}`, regrouped(token, 2, 5).toUpperCase())
}
