/** DID documents: parses documents of others, renders documents of local accounts. */

import { formatDidKey, multibaseToBytes } from '@atproto/crypto'
import type { LexValue } from '@atproto/lex-schema'
import { isValidHandle } from '@atproto/syntax'
import { isObject, isString } from '../../util/json.ts'
import { type DidKey, isDidKey, MAX_KEY_LENGTH } from '../../util/keys.ts'
import { endpointOrigin } from './endpoint-origin.ts'

/** A DID document (DID Core 1.0), reduced to the members that atproto uses. */
export type DidDocument = {
  '@context'?: LexValue
  id: string
  alsoKnownAs?: string[]
  verificationMethod?: VerificationMethod[]
  service?: Service[]
}

type VerificationMethod = { id: string; type: string; controller?: string; publicKeyMultibase?: string }
type Service = { id: string; type: string; serviceEndpoint: string }

/** Renders the document of a local account as a did:plc directory would. `origin` is that of this server. */
export function documentFor(account: {
  did: string
  handle: string
  origin: string
  signingKey: DidKey
}): DidDocument {
  const { did, handle, origin, signingKey } = account
  return {
    '@context': [
      'https://www.w3.org/ns/did/v1',
      'https://w3id.org/security/multikey/v1',
      'https://w3id.org/security/suites/ecdsa-2019/v1',
    ],
    id: did,
    alsoKnownAs: [`at://${handle}`],
    verificationMethod: [
      {
        id: `${did}#atproto`,
        type: 'Multikey',
        controller: did,
        publicKeyMultibase: signingKey.slice('did:key:'.length),
      },
    ],
    service: [pdsAt(origin)],
  }
}

/** Renders the document of this server, a did:web. */
export function documentOfServer({ serverDid, origin }: { serverDid: string; origin: string }): DidDocument {
  return { '@context': ['https://www.w3.org/ns/did/v1'], id: serverDid, service: [pdsAt(origin)] }
}

function pdsAt(origin: string): Service {
  return { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: origin }
}

/**
 * Parses a document of another server. Returns undefined unless it is an object with exactly this DID as its id. Entries of
 * another form are left out: documents also serve other protocols.
 */
export function parseDidDocument(value: unknown, did: string): DidDocument | undefined {
  if (!isObject(value) || value.id !== did) return undefined
  return {
    '@context': value['@context'] as LexValue,
    id: did,
    alsoKnownAs: listOf(value.alsoKnownAs, isString),
    verificationMethod: listOf(value.verificationMethod, isVerificationMethod),
    service: listOf(value.service, isService),
  }
}

/** Returns the account's signing key, `#atproto`, as a did:key; undefined if there is none of a supported kind. */
export function signingKeyOf(document: DidDocument): DidKey | undefined {
  const method = document.verificationMethod?.find((entry) => isFragment(document, entry.id, '#atproto'))
  if (!method?.publicKeyMultibase) return undefined
  const key = didKeyOf(method.type, method.publicKeyMultibase)
  return isDidKey(key) ? key : undefined
}

/** Returns the account's personal data server, as origin; undefined if the document names none. */
export function pdsEndpointOf(document: DidDocument): string | undefined {
  const endpoint = endpointOf(document, (entry) => {
    return isFragment(document, entry.id, '#atproto_pds') && entry.type === 'AtprotoPersonalDataServer'
  })
  return endpoint === undefined ? undefined : endpointOrigin(endpoint)
}

/** Returns the http(s) URL of the service `fragment`, such as `#notif`. */
export function serviceEndpointOf(document: DidDocument, fragment: string): string | undefined {
  return endpointOf(document, (entry) => isFragment(document, entry.id, fragment))
}

/** Returns the handle that the document claims (its first `at://` name); undefined if it is missing or invalid. */
export function handleOf(document: DidDocument): string | undefined {
  const handle = document.alsoKnownAs?.find((name) => name.startsWith('at://'))?.slice('at://'.length)
  return isValidHandle(handle) ? handle.toLowerCase() : undefined
}

function endpointOf(document: DidDocument, matches: (entry: Service) => boolean): string | undefined {
  const endpoint = document.service?.find(matches)?.serviceEndpoint
  return endpoint !== undefined && /^https?:\/\//i.test(endpoint) && URL.canParse(endpoint)
    ? endpoint
    : undefined
}

// Old documents use two suites other than Multikey, whose keys have no multicodec prefix.
function didKeyOf(type: string, multibase: string): string | undefined {
  if (multibase.length > MAX_KEY_LENGTH) return undefined
  try {
    if (type === 'Multikey') return `did:key:${multibase}`
    if (type === 'EcdsaSecp256r1VerificationKey2019')
      return formatDidKey('ES256', multibaseToBytes(multibase))
    if (type === 'EcdsaSecp256k1VerificationKey2019')
      return formatDidKey('ES256K', multibaseToBytes(multibase))
  } catch {
    // Not a public key: treated as missing.
  }
  return undefined
}

function isFragment(document: DidDocument, id: string, fragment: string): boolean {
  return id === fragment || id === document.id + fragment
}

function listOf<T>(value: unknown, accepts: (entry: unknown) => entry is T): T[] {
  return Array.isArray(value) ? value.filter(accepts) : []
}

function isVerificationMethod(value: unknown): value is VerificationMethod {
  if (!isObject(value) || !isString(value.id) || !isString(value.type)) return false
  return value.publicKeyMultibase === undefined || isString(value.publicKeyMultibase)
}

function isService(value: unknown): value is Service {
  return isObject(value) && isString(value.id) && isString(value.type) && isString(value.serviceEndpoint)
}
