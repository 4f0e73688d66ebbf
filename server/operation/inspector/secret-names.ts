/** The names of members and parameters whose values are hidden. `test/server/operation/inspector/redaction.md` lists the result. */

/** Words of a name: `authFactorToken` and `auth_factor_token` have the word `token`. */
const words: ReadonlySet<string> = new Set([
  ...['authorization', 'auth', 'assertion', 'assertions', 'code', 'codes', 'commitment', 'cookie', 'cookies'],
  ...['credential', 'credentials', 'dpop', 'jti', 'jwk', 'jwt', 'key', 'keys', 'mnemonic', 'nonce', 'otp'],
  ...['passcode', 'passkey', 'passphrase', 'password', 'passwords', 'phone', 'pin', 'proof', 'pwd', 'secret'],
  ...['secrets', 'seed', 'sig', 'signature', 'token', 'tokens', 'totp', 'verifier', 'contacts'],
])

/** Parts of a name that is written without a boundary, such as `accesstoken`. */
const parts =
  /passw|passphrase|secret|token|jwt|credential|assertion|cookie|(?:api|private|signing|recovery)key/

/** Names with one of these words whose values are no secrets. */
const harmless: ReadonlySet<string> = new Set(['codeCount', 'countryCode', 'regionCode'])

/** Secrets of one method, or of all methods of a group, by the names in its lexicon. */
const byMethod: readonly (readonly [prefix: string, names: ReadonlySet<string>])[] = [
  // The answer of an authenticator.
  ['com.core.factor.', new Set(['response'])],
  // A request is found by its id alone.
  ['com.core.oauth.', new Set(['id', 'number'])],
  ['com.core.friend.', new Set(['id'])],
  // The text of the sheet has its key.
  ['com.core.admin.getRecoverySheet', new Set(['text'])],
]

/** Whether the value of this name is hidden. @param nsid of the method */
export function isSecretName(nsid: string, name: string): boolean {
  if (harmless.has(name)) return false
  if (byMethod.some(([prefix, names]) => nsid.startsWith(prefix) && names.has(name))) return true
  return wordsOf(name).some((word) => words.has(word)) || parts.test(name.toLowerCase())
}

/** `authFactorToken`, `AUTH_FACTOR_TOKEN`, `authFactorJWT` */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
}
