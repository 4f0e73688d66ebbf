/** Recovery codes: ten texts `XXXXX-XXXXX`, each of which replaces a second factor once. The store has only their keyed hash. */
import type { Writer } from '../../store/database.ts'
import { randomGroups } from '../../util/random.ts'
import type { Secrets } from '../did/server-secrets.ts'
import * as rows from '../tables/second-factors.ts'

type Hasher = Pick<Secrets, 'hash'>

const codesEach = 10

/** Replaces the codes of an account. @returns the new ones */
export function renewRecoveryCodes(tx: Writer, secrets: Hasher, did: string): string[] {
  const codes = Array.from({ length: codesEach }, () => randomGroups(2, 5).toUpperCase())
  rows.removeRecoveryCodes(tx, did)
  for (const code of codes) rows.addRecoveryCode(tx, did, hashOf(secrets, code))
  return codes
}

/** Returns new codes if the account has none: with its first second factor. */
export function firstRecoveryCodes(tx: Writer, secrets: Hasher, did: string): string[] | undefined {
  return rows.countRecoveryCodes(tx, did) === 0 ? renewRecoveryCodes(tx, secrets, did) : undefined
}

/** @returns whether it was one of the account, which counts no more */
export function spendRecoveryCode(tx: Writer, secrets: Hasher, did: string, code: string): boolean {
  return rows.spendRecoveryCode(tx, did, hashOf(secrets, code))
}

function hashOf(secrets: Hasher, code: string): Uint8Array {
  return secrets.hash('recovery code', code.trim().toUpperCase())
}
