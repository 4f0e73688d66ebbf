/**
 * Codes that are sent by mail: `XXXXX-XXXXX`, good for 15 minutes and for one use, one for each purpose and account.
 * The store holds a keyed hash, so that reading the store yields no code.
 */

import { timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../identity/secrets.ts'
import type { Mailer } from '../mail/mailer.ts'
import { CODE_LIFETIME_MINUTES, letterFor, type MailPurpose } from '../mail/templates.ts'
import type { Database, Reader, Writer } from '../store/database.ts'
import type { Account } from '../store/tables/accounts.ts'
import * as rows from '../store/tables/mail-tokens.ts'
import { randomGroups } from '../util/random.ts'
import { iso } from '../util/time.ts'

interface Deps {
  readonly store: Database
  readonly secrets: Secrets
  readonly mailer: Mailer
  readonly origin: string
  readonly now: () => Date
}

const lifetimeMs = CODE_LIFETIME_MINUTES * 60_000

/** Of a second factor, which follows a right password: whoever guesses must not be given time. */
const maxWrongAttempts = 5

/** Makes a token, replacing an earlier one, and mails it. Resolves when the token is stored and the mail handed over. */
export async function mailToken(
  { store, secrets, mailer, origin, now }: Deps,
  account: Account & { email: string },
  purpose: MailPurpose,
): Promise<void> {
  const code = randomGroups(2, 5).toUpperCase()
  const expiresAt = iso(new Date(now().getTime() + lifetimeMs))
  const hash = hashOf(secrets, purpose, code)
  await store.transact((tx) => rows.put(tx, account.did, purpose, hash, expiresAt))
  const letter = letterFor(purpose, { handle: account.handle, server: origin, code })
  await mailer.send({ to: account.email, ...letter })
}

export type Verdict = 'good' | 'InvalidToken' | 'ExpiredToken'

/** What a person is told of a code that is not good. */
export const tokenRefusals = {
  InvalidToken: 'This code is wrong, or was used before',
  ExpiredToken: 'This code is too old. Ask for a new one.',
} as const

/** Judges a token of an account, and uses it up when it is good. */
export function spendToken(
  tx: Writer,
  secrets: Secrets,
  { did, purpose, token, now }: { did: string; purpose: MailPurpose; token: string; now: Date },
): Verdict {
  const row = rows.find(tx, did, purpose)
  if (!row) return 'InvalidToken'
  if (!timingSafeEqual(row.tokenHash, hashOf(secrets, purpose, token))) {
    rows.countWrongAttempt(tx, did, purpose)
    if (row.wrongAttempts + 1 >= maxWrongAttempts) rows.remove(tx, did, purpose)
    return 'InvalidToken'
  }
  if (row.expiresAt <= iso(now)) return 'ExpiredToken'
  rows.remove(tx, did, purpose)
  return 'good'
}

/** Whose token this is, for an operation that nobody is signed in for. */
export function ownerOfToken(
  db: Reader,
  secrets: Secrets,
  { purpose, token }: { purpose: MailPurpose; token: string },
): string | undefined {
  return rows.findByHash(db, purpose, hashOf(secrets, purpose, token))?.did
}

function hashOf(secrets: Secrets, purpose: MailPurpose, token: string): Uint8Array {
  return secrets.hash(`mail token, ${purpose}`, token.trim().toUpperCase())
}
