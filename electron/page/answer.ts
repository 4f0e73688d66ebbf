/** Checks the URL that takes the answer of a sign-in to an app. The page passes it on from the server. */

const maxLength = 16_384

/**
 * Accepts web pages, and the schemes that apps have of their own: the reverse of a domain name, so with a dot (RFC 8252 §7.1).
 * Schemes of the system, such as `file:` and `smb:`, have none.
 */
export function isAnswer(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > maxLength) return false
  const protocol = URL.parse(value)?.protocol ?? ''
  if (!/^(?:https?|[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+):$/.test(protocol)) return false
  return /[?#&]iss=/.test(value)
}
