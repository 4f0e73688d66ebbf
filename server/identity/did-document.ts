/** DID documents: reading those of others, and rendering those of accounts that live here. */
import { formatDidKey, multibaseToBytes } from '@atproto/crypto'
import type { LexValue } from '@atproto/lex-schema'
import { isValidHandle } from '@atproto/syntax'
import { isObject, isString } from './json.ts'
import { type DidKey, isDidKey, MAX_KEY_LENGTH } from './keys.ts'

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

/** The document of an account that lives here, as a did:plc directory would render it. `origin` is this server's. */
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

/** The document of this server itself, a did:web. */
export function documentOfServer({ serverDid, origin }: { serverDid: string; origin: string }): DidDocument {
  return { '@context': ['https://www.w3.org/ns/did/v1'], id: serverDid, service: [pdsAt(origin)] }
}

function pdsAt(origin: string): Service {
  return { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: origin }
}

/**
 * Reads a document that came from elsewhere: undefined unless it is an object for exactly this DID. Entries that are
 * not of the expected form are left out rather than failing the whole, for documents also serve other protocols.
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

/** The account's signing key, `#atproto`, as a did:key; undefined when there is none of a supported kind. */
export function signingKeyOf(document: DidDocument): DidKey | undefined {
  const method = document.verificationMethod?.find((entry) => isFragment(document, entry.id, '#atproto'))
  if (!method?.publicKeyMultibase) return undefined
  const key = didKeyOf(method.type, method.publicKeyMultibase)
  return isDidKey(key) ? key : undefined
}

/** The address of the account's personal data server; undefined when the document names none. */
export function pdsEndpointOf(document: DidDocument): string | undefined {
  return endpointOf(document, (entry) => {
    return isFragment(document, entry.id, '#atproto_pds') && entry.type === 'AtprotoPersonalDataServer'
  })
}

/** The http(s) address of the service named `fragment` (such as `#notif`), or of the first service when none is named. */
export function serviceEndpointOf(document: DidDocument, fragment?: string): string | undefined {
  return endpointOf(document, (entry) => fragment === undefined || isFragment(document, entry.id, fragment))
}

/** The handle that the document claims (its first `at://` name); undefined when it claims none, or one that is not valid. */
export function handleOf(document: DidDocument): string | undefined {
  const handle = document.alsoKnownAs?.find((name) => name.startsWith('at://'))?.slice('at://'.length)
  return isValidHandle(handle) ? handle.toLowerCase() : undefined
}

function endpointOf(document: DidDocument, matches: (entry: Service) => boolean): string | undefined {
  const endpoint = document.service?.find(matches)?.serviceEndpoint
  return endpoint !== undefined && /^https?:\/\//.test(endpoint) && URL.canParse(endpoint)
    ? endpoint
    : undefined
}

// Beside Multikey, old documents carry two suites whose key has no multicodec prefix.
function didKeyOf(type: string, multibase: string): string | undefined {
  if (multibase.length > MAX_KEY_LENGTH) return undefined
  try {
    if (type === 'Multikey') return `did:key:${multibase}`
    if (type === 'EcdsaSecp256r1VerificationKey2019')
      return formatDidKey('ES256', multibaseToBytes(multibase))
    if (type === 'EcdsaSecp256k1VerificationKey2019')
      return formatDidKey('ES256K', multibaseToBytes(multibase))
  } catch {
    // Not a public key: the same as none.
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
