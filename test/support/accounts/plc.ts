/** A did:plc directory on loopback, and identities of other servers. Implements did:plc independently of the server's code. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type Keypair, Secp256k1Keypair, verifySignature } from '@atproto/crypto'
import { encode } from '@atproto/lex-cbor'
import type { TestServer } from '../server/server.ts'

export type PlcOperation = {
  readonly type: string
  readonly rotationKeys: string[]
  readonly verificationMethods: Record<string, string>
  readonly alsoKnownAs: string[]
  readonly services: Record<string, { type: string; endpoint: string }>
  readonly prev: string | null
  readonly sig: string
}

export interface PlcIdentity {
  readonly did: string
  readonly handle: string
  /** Signs for the account. */
  readonly key: Keypair
  /** Signs operations. */
  readonly rotationKey: Keypair
  readonly genesis: PlcOperation
}

/** @param origin address of the personal data server */
export async function createPlcIdentity(
  handle: string,
  { key, origin = 'https://old.example' }: { readonly key?: Keypair; readonly origin?: string } = {},
): Promise<PlcIdentity> {
  key ??= await Secp256k1Keypair.create()
  const rotationKey = await Secp256k1Keypair.create()
  const genesis = await signOperation(rotationKey, {
    type: 'plc_operation',
    rotationKeys: [rotationKey.did()],
    verificationMethods: { atproto: key.did() },
    alsoKnownAs: [`at://${handle}`],
    services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: origin } },
    prev: null,
  })
  return { did: didOf(genesis), handle, key, rotationKey, genesis }
}

/** The operation that moves an identity to a server. @param signingKey the key that signs for the account there, as did:key */
export function moveOperation(
  identity: PlcIdentity,
  server: TestServer,
  signingKey: string,
): Promise<PlcOperation> {
  const { config, running } = server
  return nextOperation(identity.rotationKey, identity.genesis, {
    rotationKeys: [identity.rotationKey.did(), running.services.identity.secrets.rotationKey.did],
    verificationMethods: { atproto: signingKey },
    services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: config.publicUrl ?? '' } },
  })
}

/** As `moveOperation`, before the account is created: with the key that the server reserves for it. */
export async function plannedMove(identity: PlcIdentity, server: TestServer): Promise<PlcOperation> {
  const { body } = await server.post('com.core.server.reserveSigningKey', { did: identity.did })
  return moveOperation(identity, server, body.signingKey)
}

/** The operation that follows `prev` and changes some of its members. */
export function nextOperation(
  signer: Keypair,
  previous: PlcOperation,
  changes: Partial<PlcOperation>,
): Promise<PlcOperation> {
  const { sig: _, ...state } = previous
  return signOperation(signer, { ...state, ...changes, prev: cidOf(previous) })
}

async function signOperation(signer: Keypair, unsigned: Omit<PlcOperation, 'sig'>): Promise<PlcOperation> {
  const signature = await signer.sign(encode(unsigned))
  return { ...unsigned, sig: Buffer.from(signature).toString('base64url') }
}

/**
 * - `up`: responds.
 * - `accepts and cuts`: adds the operation to its log, then closes the connection without an answer.
 * - `fails`: responds with 500. `down`: closes every connection. `hangs`: never responds.
 */
export type PlcMode = 'up' | 'accepts and cuts' | 'fails' | 'down' | 'hangs'

export class PlcDirectory {
  mode: PlcMode = 'up'
  /** Accepts the next operation without an answer, then is down. */
  downAfterPost = false
  /** The time in its answers; the real one by default. */
  time: Date | undefined
  /** The time of the operations in audit logs. */
  createdAt = '2030-01-01T00:00:00.000Z'
  /** Answers reads with this text and 200, as the page of a proxy does. */
  page: string | undefined
  /** Every request, as `GET /did:plc:…/log/last`. */
  readonly requests: string[] = []
  /** Every operation that was posted, accepted or not. */
  readonly posted: { readonly did: string; readonly operation: PlcOperation }[] = []
  /** DIDs whose operations are refused. */
  readonly refused = new Set<string>()
  readonly #logs = new Map<string, PlcOperation[]>()
  readonly #server = createServer((req, res) => {
    if (this.time) res.setHeader('date', this.time.toUTCString())
    void this.#answer(req, res)
  })
  readonly #waiting = new Set<() => void>()

  static async start(): Promise<PlcDirectory> {
    const directory = new PlcDirectory()
    await new Promise<void>((resolve) => directory.#server.listen(0, 'localhost', resolve))
    return directory
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  /** The operations in force, the oldest first. */
  log(did: string): readonly PlcOperation[] {
    return this.#logs.get(did) ?? []
  }

  last(did: string): PlcOperation | undefined {
    return this.log(did).at(-1)
  }

  /** The operations that were posted for a DID, accepted or not. */
  postedFor(did: string): PlcOperation[] {
    return this.posted.filter((entry) => entry.did === did).map(({ operation }) => operation)
  }

  /** Resolves when a matching request has arrived, whether or not it gets a response. */
  async requested(pattern: RegExp): Promise<void> {
    while (!this.requests.some((request) => pattern.test(request))) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  /** Adds an operation to the log. @throws Refusal with the status of the response */
  async submit(did: string, operation: PlcOperation): Promise<void> {
    const log = this.log(did)
    if (this.refused.has(did)) throw new Refusal(400, 'Refused')
    if (!isOperation(operation)) throw new Refusal(400, 'Not a valid operation')
    const [first] = log
    if (!first) {
      if (operation.prev !== null) throw new Refusal(400, 'Expected null prev on create')
      if (didOf(operation) !== did) throw new Refusal(400, 'Hash of genesis operation does not match DID')
      await signerOf(operation.rotationKeys, operation)
      this.#logs.set(did, [operation])
      return
    }
    const index = log.findIndex((earlier) => cidOf(earlier) === operation.prev)
    const prev = log[index]
    if (!prev) throw new Refusal(409, 'Operations not correctly ordered')
    const signer = await signerOf(prev.rotationKeys, operation)
    // A stronger key may replace operations of a weaker one.
    const next = log[index + 1]
    if (next && signer >= (await signerOf(prev.rotationKeys, next))) {
      throw new Refusal(409, 'Operations not correctly ordered')
    }
    this.#logs.set(did, [...log.slice(0, index + 1), operation])
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [, did = '', ...rest] = (req.url ?? '').split('/').map(decodeURIComponent)
    this.requests.push(`${req.method} /${[did, ...rest].join('/')}`)
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
    if (this.mode === 'hangs') return
    if (this.mode === 'down') return void res.destroy()
    if (this.mode === 'fails') return send(res, 500, { message: 'Internal server error' })
    if (this.page !== undefined && req.method === 'GET') return void res.end(this.page)
    try {
      const body = req.method === 'POST' ? await this.#post(did, req) : this.#get(did, rest.join('/'))
      if (this.downAfterPost && req.method === 'POST') {
        this.downAfterPost = false
        this.mode = 'down'
        res.destroy()
      } else if (this.mode === 'accepts and cuts' && req.method === 'POST') res.destroy()
      else send(res, 200, body)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      send(res, error.status, { message: error.message })
    }
  }

  async #post(did: string, req: IncomingMessage): Promise<undefined> {
    const operation = (await json(req)) as PlcOperation
    this.posted.push({ did, operation })
    await this.submit(did, operation)
  }

  #get(did: string, path: string): unknown {
    const last = this.last(did)
    if (!last) throw new Refusal(404, `DID not registered: ${did}`)
    switch (path) {
      case '':
        return documentOf(did, last)
      case 'log':
        return this.log(did)
      case 'log/last':
        return last
      case 'log/audit':
        return this.log(did).map((operation) => ({
          did,
          operation,
          cid: cidOf(operation),
          nullified: false,
          createdAt: this.createdAt,
        }))
      default:
        throw new Refusal(404, 'Not found')
    }
  }
}

class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The document of an identity after an operation. */
export function documentOf(did: string, operation: PlcOperation) {
  return {
    '@context': [
      'https://www.w3.org/ns/did/v1',
      'https://w3id.org/security/multikey/v1',
      'https://w3id.org/security/suites/secp256k1-2019/v1',
    ],
    id: did,
    alsoKnownAs: operation.alsoKnownAs,
    verificationMethod: Object.entries(operation.verificationMethods).map(([name, key]) => ({
      id: `${did}#${name}`,
      type: 'Multikey',
      controller: did,
      publicKeyMultibase: key.slice('did:key:'.length),
    })),
    service: Object.entries(operation.services).map(([name, { type, endpoint }]) => ({
      id: `#${name}`,
      type,
      serviceEndpoint: endpoint,
    })),
  }
}

function isOperation(value: PlcOperation): boolean {
  const members = ['alsoKnownAs', 'prev', 'rotationKeys', 'services', 'sig', 'type', 'verificationMethods']
  return value.type === 'plc_operation' && Object.keys(value).sort().join() === members.join()
}

/** Returns the position of the key that signed an operation. @throws Refusal if none did */
async function signerOf(keys: readonly string[], { sig, ...unsigned }: PlcOperation): Promise<number> {
  const signature = Buffer.from(sig, 'base64url')
  for (const [index, key] of keys.entries()) {
    if (await verifySignature(key, encode(unsigned), signature)) return index
  }
  throw new Refusal(400, 'Invalid signature on op')
}

function didOf(genesis: PlcOperation): string {
  return `did:plc:${base32(hashOf(genesis)).slice(0, 24)}`
}

/** CIDv1 of DAG-CBOR by SHA-256, in base32. */
export function cidOf(operation: PlcOperation): string {
  return `b${base32(Buffer.concat([Buffer.of(0x01, 0x71, 0x12, 0x20), hashOf(operation)]))}`
}

function hashOf(operation: PlcOperation): Buffer {
  return createHash('sha256').update(encode(operation)).digest()
}

/** RFC 4648 base32, lower case, without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const letters = bits.match(/.{1,5}/g) ?? []
  return letters
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}
