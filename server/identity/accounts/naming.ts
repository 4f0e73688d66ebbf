/** Asks whether the DID of an account, or of one that will be imported, depends on this server. */

import type { DidKey } from '../../util/keys.ts'
import { type DidDocument, pdsEndpointOf } from '../did/did-document.ts'
import { type ResolveDid, UnresolvableDid } from '../did/resolver.ts'

interface Deps {
  readonly resolveDid: ResolveDid
  readonly origin: string
}

/**
 * - `here`: the document names this server or the key, so that the key is needed.
 * - `elsewhere`: it names neither, or the holder has ended the DID.
 * - `missing`: there is no document.
 * - `unreadable`: no answer, or not a document.
 */
export type Naming = 'here' | 'elsewhere' | 'missing' | 'unreadable'

/** Reads a DID document anew: does it name this server or the key? Takes as long as a request, so call it outside transactions. */
export async function readNaming({ resolveDid, origin }: Deps, did: string, key: DidKey): Promise<Naming> {
  try {
    const document = await resolveDid(did, { maxAgeMs: 0, onlyCurrent: true })
    return hasKey(document, key) || originOf(pdsEndpointOf(document)) === originOf(origin)
      ? 'here'
      : 'elsewhere'
  } catch (error) {
    if (!(error instanceof UnresolvableDid)) throw error
    if (error.isEnded) return 'elsewhere'
    return error.isMissing ? 'missing' : 'unreadable'
  }
}

function hasKey({ verificationMethod = [] }: DidDocument, key: DidKey): boolean {
  return verificationMethod.some(({ publicKeyMultibase }) => key === `did:key:${publicKeyMultibase}`)
}

function originOf(url: string | undefined): string | undefined {
  return URL.parse(url ?? '')?.origin
}
