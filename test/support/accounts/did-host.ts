/** A web host on loopback with a did:web document. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface DidHost {
  /** `http://localhost:PORT` */
  readonly url: string
  /** `did:web:localhost%3APORT` */
  readonly did: string
  /** DID documents by DID; those set here are served. */
  readonly documents: Map<string, unknown>
  close(): Promise<void>
}

export async function startDidHost(): Promise<DidHost> {
  const documents = new Map<string, unknown>()
  const server = createServer((req, res) => {
    const did = req.url === '/.well-known/did.json' ? host.did : decodeURIComponent((req.url ?? '').slice(1))
    const document = documents.get(did)
    res.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/did+ld+json' })
    res.end(JSON.stringify(document ?? { message: 'no such DID' }))
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const { port } = server.address() as AddressInfo
  const host: DidHost = {
    url: `http://localhost:${port}`,
    did: `did:web:localhost%3A${port}`,
    documents,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return host
}

/** A document that names a signing key, a handle and, if given, a server. */
export function didDocument(did: string, key: { did(): string }, handle: string, endpoint?: string) {
  return {
    '@context': ['https://www.w3.org/ns/did/v1'],
    id: did,
    alsoKnownAs: [`at://${handle}`],
    verificationMethod: [
      {
        id: `${did}#atproto`,
        type: 'Multikey',
        controller: did,
        publicKeyMultibase: key.did().slice('did:key:'.length),
      },
    ],
    ...(endpoint && {
      service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: endpoint }],
    }),
  }
}
