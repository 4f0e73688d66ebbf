/** The rest of the network on loopback: a web host with a did:web document, and a did:plc directory. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface DidHost {
  /** `http://localhost:PORT` */
  readonly url: string
  /** `did:web:localhost%3APORT` */
  readonly did: string
  /** DID documents by DID; what is put here is served. */
  readonly documents: Map<string, unknown>
  /** Operations that were posted to the directory, in order of their arrival. */
  readonly operations: { readonly did: string; readonly operation: unknown }[]
  /** What the directory answers to an operation. */
  answer: number
  /** DIDs whose operations it refuses whatever `answer` says. */
  readonly refused: Set<string>
  close(): Promise<void>
}

export async function startDidHost(): Promise<DidHost> {
  const documents = new Map<string, unknown>()
  const operations: { did: string; operation: unknown }[] = []
  const refused = new Set<string>()
  const server = createServer(async (req, res) => {
    const did = req.url === '/.well-known/did.json' ? host.did : decodeURIComponent((req.url ?? '').slice(1))
    if (req.method === 'POST') {
      operations.push({ did, operation: await readJson(req) })
      res
        .writeHead(refused.has(did) ? 400 : host.answer)
        .end(JSON.stringify({ message: 'so the directory says' }))
      return
    }
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
    operations,
    answer: 200,
    refused,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return host
}

/** A document that names a signing key, a handle and nothing else. */
export function didDocument(did: string, key: { did(): string }, handle: string) {
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
  }
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}
