/** Creates recovery keys in the browser, in the text forms of the field. */
import { toMultibase } from '../../api/multibase.ts'

export interface RecoveryKey {
  /** A did:key, which the identity names. */
  readonly publicKey: string
  /** The private key as multibase with its multicodec prefix. */
  readonly secretKey: string
}

/** Multicodec prefixes as varints: p256-pub (0x1200) and p256-priv (0x1306). */
const publicPrefix = [0x80, 0x24]
const secretPrefix = [0x86, 0x26]

/** Whether this page may create keys: browsers permit it on secure origins only. */
export const canCreateKeys = window.isSecureContext

/** Creates a P-256 key. */
export async function createRecoveryKey(): Promise<RecoveryKey> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ])
  const { d = '', x = '', y = '' } = await crypto.subtle.exportKey('jwk', pair.privateKey)
  const isOdd = (fromBase64url(y).at(-1) ?? 0) % 2 === 1
  // A compressed point: the parity of y, then x.
  const point = [isOdd ? 3 : 2, ...fromBase64url(x)]
  return {
    publicKey: `did:key:${toMultibase([...publicPrefix, ...point])}`,
    secretKey: toMultibase([...secretPrefix, ...fromBase64url(d)]),
  }
}

function fromBase64url(text: string): number[] {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Array.from(binary, (character) => character.charCodeAt(0))
}
