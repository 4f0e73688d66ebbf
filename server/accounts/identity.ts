/** Where the DID of a new account comes from: minted here, or brought along. */
import type { Aliases } from '../aliases.ts'
import { canonicalNsid } from '../aliases.ts'
import * as documents from '../identity/did-document.ts'
import { createGenesis, isDidKey, verifyOperation } from '../identity/did-plc.ts'
import { createSigningKey, didOfKey, sign } from '../identity/keys.ts'
import { verifyServiceJwt } from '../identity/service-jwt.ts'
import type { Services } from '../services.ts'
import type { NewAccount } from '../store/accounts.ts'
import { protocolError, XrpcError } from '../xrpc/errors.ts'

/** The columns of a new account that its DID decides. */
export type Identity = Pick<
  NewAccount,
  'did' | 'signingKey' | 'signingKeyDid' | 'plcOperation' | 'deactivatedAt' | 'deleteAfter'
>

export interface ImportedIdentity extends Identity {
  /** Whether the DID's document names the handle as its own. */
  claims(handle: string): boolean
}

/** An imported account that is never activated is given up after this long. */
const importGraceMs = 3 * 24 * 60 * 60_000
