/** Codes of authenticator apps (TOTP, RFC 6238): six digits, a new one every 30 seconds. */
import { Secret, TOTP } from 'otpauth'
import { randomBytes } from '../../util/random.ts'

const period = 30
/** RFC 4226 §4 recommends 160 bits. */
const keyBytes = 20

export interface TotpKey {
  readonly key: Uint8Array<ArrayBuffer>
  /** Base32. */
  readonly secret: string
  /** `otpauth:` URI. */
  readonly uri: string
}

export function generateTotpKey(label: string, issuer: string): TotpKey {
  const secret = new Secret({ buffer: new Uint8Array(randomBytes(keyBytes)).buffer })
  return {
    key: new Uint8Array(secret.bytes),
    secret: secret.base32,
    uri: new TOTP({ secret, label, issuer, period }).toString(),
  }
}

/**
 * Returns the number of the period to which a code belongs: this one, the one before or the next. A code counts once, so periods
 * up to the last used one are refused (RFC 6238 §5.2).
 */
export function periodOf(
  code: string,
  { key, counter: lastUsed }: { readonly key: Uint8Array<ArrayBuffer>; readonly counter: number },
  now: Date,
): number | undefined {
  const timestamp = now.getTime()
  const totp = new TOTP({ secret: new Secret({ buffer: key.slice().buffer }), period })
  const delta = totp.validate({ token: code, timestamp, window: 1 })
  if (delta === null) return undefined
  const found = Math.floor(timestamp / 1000 / period) + delta
  return found > lastUsed ? found : undefined
}
