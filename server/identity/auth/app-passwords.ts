/** App passwords: generated, stored as a keyed hash, found by one index look-up. */

import type { Reader } from '../../store/database.ts'
import { randomGroups, regrouped } from '../../util/random.ts'
import type { Secrets } from '../did/server-secrets.ts'
import * as rows from '../tables/app-passwords.ts'

/**
 * What sessions of a limited app password may do, as scopes. Those with `limit:` are this server's own; see `permissions.ts`.
 * Collections have our names, which are independent of the aliases.
 */
const limits = {
  readOnly: 'limit:read',
  postsOnly: 'limit:read repo:app.example.feed.post?action=create blob:image/* blob:video/*',
  noDeletion: 'limit:call repo:*?action=create blob:*/*',
} as const

/** Returns the permissions of a limit; null for none, undefined for an unknown one. */
export function permissionsOf(limit: string | undefined): string | null | undefined {
  return limit === undefined ? null : new Map<string, string>(Object.entries(limits)).get(limit)
}

/** Returns the limit that has these permissions. */
export function limitOf(permissions: string | null): string | undefined {
  return Object.entries(limits).find(([, scopes]) => scopes === permissions)?.[0]
}

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
  const written = regrouped(password, 4, 4)
  const hash = shape.test(written) ? hashAppPassword(secrets, written) : undefined
  return (db: Reader, did: string) => (hash === undefined ? undefined : rows.findByHash(db, did, hash))
}
