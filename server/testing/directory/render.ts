/** Renders the state of an identity as plc.directory serves it. */
import type { DidDocument } from '../../identity/did/did-document.ts'
import { documentOfLog, type Logged, type PlcState, stateAfter } from '../../identity/did/plc-log.ts'
import { algorithmOf, isDidKey } from '../../util/keys.ts'

/** Maps the endpoint of a service in an operation to the one that is served. */
export type EndpointOf = (endpoint: string) => string

/** Returns the DID document after an operation; undefined for a tombstone. */
export function documentAfter(
  did: string,
  operation: Logged,
  endpointOf: EndpointOf,
): DidDocument | undefined {
  const document = documentOfLog(did, [operation])
  return (
    document && {
      '@context': [...contexts, ...suitesOf(stateAfter(operation))],
      ...document,
      service: (document.service ?? []).map((service) => ({
        ...service,
        serviceEndpoint: endpointOf(service.serviceEndpoint),
      })),
    }
  )
}

/** Returns the state after an operation; undefined for a tombstone. */
export function dataAfter(did: string, operation: Logged, endpointOf: EndpointOf) {
  const state = stateAfter(operation)
  if (!state) return undefined
  const { verificationMethods, rotationKeys, alsoKnownAs } = state
  const services = Object.fromEntries(
    Object.entries(state.services).map(([id, { type, endpoint }]) => [
      id,
      { type, endpoint: endpointOf(endpoint) },
    ]),
  )
  return { did, verificationMethods, rotationKeys, alsoKnownAs, services }
}

const contexts = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1']

/** Returns the contexts of the kinds of keys. */
function suitesOf(state: PlcState | undefined): Set<string> {
  const keys = Object.values(state?.verificationMethods ?? {}).filter(isDidKey)
  return new Set(keys.map((key) => suites[algorithmOf(key)]))
}

const suites = {
  ES256: 'https://w3id.org/security/suites/ecdsa-2019/v1',
  ES256K: 'https://w3id.org/security/suites/secp256k1-2019/v1',
} as const
