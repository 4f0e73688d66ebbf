/** Rules for handles of this server. */
import { type HandleString, isValidHandle } from '@atproto/syntax'
import type { Config } from '../../platform/config/config.ts'
import type { Reader } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { holderOf } from '../tables/plc-changes.ts'

/** The settings on which the rules depend. */
type Rules = Pick<Config, 'userDomains' | 'publicUrl'>

export type HandleProblem = 'InvalidHandle' | 'HandleNotAvailable' | 'UnsupportedDomain'

/** First labels that could be mistaken for the server itself or its operators. */
const reserved = new Set(
  `about abuse account accounts admin administrator api app billing blog bot help home hostmaster info localhost login
   mail moderator news notifications official owner pds postmaster privacy root security service settings status
   support system team terms test webmaster www`.split(/\s+/),
)

export function normalizeHandle(handle: string): HandleString {
  return handle.trim().toLowerCase() as HandleString
}

/**
 * Checks a handle for a new account. Does not check whether another account has it.
 * @param handle normalized
 * @returns the problem; undefined for a valid handle
 */
export function handleProblem(
  handle: HandleString,
  { userDomains, publicUrl }: Rules,
): { name: HandleProblem; message: string } | undefined {
  if (!isValidHandle(handle)) {
    return { name: 'InvalidHandle', message: 'This is not a domain name, such as alice.test' }
  }
  // An offered domain may be within another: the longest match counts.
  const [domain] = userDomains
    .filter((offered) => handle.endsWith(offered))
    .sort((a, b) => b.length - a.length)
  if (domain === undefined) {
    return { name: 'UnsupportedDomain', message: `Names on this server end in ${userDomains.join(' or ')}` }
  }
  const label = handle.slice(0, -domain.length)
  if (label.includes('.')) {
    return { name: 'InvalidHandle', message: `Only one name is allowed before ${domain}` }
  }
  if (label.length < 3 || label.length > 18) {
    return { name: 'InvalidHandle', message: `The name before ${domain} must have 3 to 18 characters` }
  }
  // Clients compare this text.
  return reserved.has(label) || handle === hostOf(publicUrl)
    ? { name: 'HandleNotAvailable', message: 'Reserved handle' }
    : undefined
}

/** The message for a handle that another account has. Clients compare its first words. */
export function takenMessage(handle: string): string {
  return `Handle already taken: ${handle}. Choose another handle.`
}

/**
 * The message of a sign-up for a handle that is taken or reserved. A client of the network shows an empty page for messages of a
 * sign-up that contain the word handle.
 */
export function unavailableMessage(handle: string): string {
  return `${handle} is taken or reserved. Choose another name.`
}

/** Whether an account has a handle, or gets it as soon as the directory has the change. @param did an account that may have it */
export function isHandleTaken(db: Reader, handle: string, did?: string): boolean {
  const holders = [accounts.findByHandle(db, handle)?.did, holderOf(db, handle)]
  return holders.some((holder) => holder !== undefined && holder !== did)
}

/** Whether a new account could have a handle. @param handle normalized */
export function isFreeHandle(db: Reader, handle: HandleString, rules: Rules): boolean {
  return handleProblem(handle, rules) === undefined && !isHandleTaken(db, handle)
}

const maxSuggestions = 3

/** Returns handles that a new account could have instead of another: with a number at the end of the first label. */
export function freeHandles(db: Reader, handle: HandleString, rules: Rules): HandleString[] {
  const [label = '', ...domain] = handle.split('.')
  return Array.from({ length: 9 }, (_, index) => `${label}${index + 2}`)
    .map((name) => [name, ...domain].join('.') as HandleString)
    .filter((other) => isFreeHandle(db, other, rules))
    .slice(0, maxSuggestions)
}

/** Names the server itself, so only its owner may have it: see `host-handle.ts`. */
function hostOf(publicUrl: string | undefined): string | undefined {
  return publicUrl === undefined ? undefined : new URL(publicUrl).hostname
}
