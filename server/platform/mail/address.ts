/**
 * The form of email addresses. Both patterns exclude control characters, quotes, commas and angle brackets: a valid address
 * cannot inject a header, a recipient or an SMTP command.
 */

// "Valid e-mail address" of the WHATWG HTML standard: what browsers accept in <input type="email">.
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i
const MAILBOX = /^(?<name>[^\p{Cc}\p{Cs}"\\,;:<>()[\]@]*)<(?<address>[^<>]+)>$/u

/** The limit of SMTP paths is 256 octets with their brackets (RFC 5321 §4.5.3.1.3). */
const MAX_LENGTH = 254

export function isEmailAddress(text: string): boolean {
  return text.length <= MAX_LENGTH && ADDRESS.test(text)
}

export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** Parses `address` or `Name <address>`; undefined if invalid. */
export function parseMailbox(text: string): Mailbox | undefined {
  const parts = MAILBOX.exec(text.trim())?.groups
  const name = parts?.name?.trim() ?? ''
  const address = parts?.address?.trim() ?? text.trim()
  return isEmailAddress(address) ? { name, address } : undefined
}
