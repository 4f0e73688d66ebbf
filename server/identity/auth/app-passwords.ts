/** App passwords: generated, stored as a keyed hash, found by one index look-up. */

import type { Reader } from '../../platform/store/database.ts'
import * as rows from '../../platform/store/tables/app-passwords.ts'
import { randomGroups } from '../../platform/util/random.ts'
import type { Secrets } from '../did/secrets.ts'

type Hasher = Pick<Secrets, 'hash'>

/** Generates `xxxx-xxxx-xxxx-xxxx` in base32: 80 random bits cannot be guessed, so a fast hash is enough. */
export function generateAppPassword(): string {
  return randomGroups(4, 4)
}

const shape = /^[a-z2-7]{4}(?:-[a-z2-7]{4}){3}$/

export function hashAppPassword(secrets: Hasher, password: string): Uint8Array {
  return secrets.hash('app password', password)
}

/** Hashes a password once and returns a function that finds it among the app passwords of an account. */
export function appPasswordFinder(secrets: Hasher, password: string) {
  const hash = shape.test(password) ? hashAppPassword(secrets, password) : undefined
  return (db: Reader, did: string) => (hash === undefined ? undefined : rows.findByHash(db, did, hash))
}
