/** Decodes JWTs without verifying them, and signs service tokens with a given key. */
import type { Keypair } from '@atproto/crypto'

export interface DecodedJwt {
  readonly header: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into claims of every shape
  readonly claims: any
}

export function decodeJwt(jwt: string): DecodedJwt {
  const [header = '', claims = ''] = jwt.split('.')
  return { header: decodePart(header), claims: decodePart(claims) }
}

/** Signs a service token. The claims are not checked. */
export async function signServiceJwt(key: Keypair, claims: Record<string, unknown>): Promise<string> {
  const signed = `${encodePart({ typ: 'JWT', alg: key.jwtAlg })}.${encodePart(claims)}`
  const signature = await key.sign(Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decodePart(part: string) {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
