/** Passkeys of the browser (WebAuthn). */
import type { LexMap } from '@atproto/lex-data'
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'
import { com } from '../../lexicons/generated/index.ts'
import { call, callAs } from './client.ts'
import { endpoint } from './endpoint.ts'

/** Passkeys belong to host names, so a page at an IP address and the app window have none. */
export const hasPasskeys =
  browserSupportsWebAuthn() && location.origin === endpoint && /[a-z]/i.test(location.hostname)

/** What a change of sign-in or recovery takes. */
export interface Proof {
  readonly password: string
  readonly authFactorToken?: string
}

/** Makes a passkey, and adds it to the account. @returns recovery codes if they are its first */
export async function addPasskey(
  did: string,
  name: string,
  proof: Proof,
): Promise<readonly string[] | undefined> {
  const { options } = await callAs(did, com.core.factor.startPasskey, { body: proof })
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  const response = asJson(await startRegistration({ optionsJSON }))
  const added = await callAs(did, com.core.factor.addPasskey, { body: { name, response } })
  return added.recoveryCodes
}

/** Proves that a passkey of an account of this server is here. @returns the code for `createSession` */
export async function provePasskey(): Promise<string> {
  const { options } = await call(com.core.factor.challengePasskey, {})
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  const response = asJson(await startAuthentication({ optionsJSON }))
  const { token } = await call(com.core.factor.provePasskey, { body: { response } })
  return token
}

/** The library describes JSON by interfaces, which TypeScript does not take for maps. */
function asJson(value: object): LexMap {
  return value as LexMap
}
