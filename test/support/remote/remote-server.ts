/**
 * Another server of the network on loopback, written independently of this server's code: accounts with real keys and repositories,
 * its event stream, its methods that other servers read. It follows the test's instructions, also dishonest ones.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Keypair, P256Keypair, Secp256k1Keypair } from '@atproto/crypto'
import type { LexMap } from '@atproto/lex-data'
import { type WebSocket, WebSocketServer } from 'ws'
import { createPlcIdentity, nextOperation, type PlcIdentity, type PlcOperation } from '../accounts/plc.ts'
import { blockOfBytes } from '../records/archive.ts'
import { tidOf } from '../records/tid.ts'
import { TestClock } from '../server/clock.ts'
import type { Ref } from '../server/social.ts'
import {
  accountEvent,
  commitEvent,
  errorFrame,
  frameOf,
  identityEvent,
  infoFrame,
  type RemoteEvent,
  syncEvent,
} from './remote-frames.ts'
import { respond } from './remote-methods.ts'
import { type RemoteCommit, RemoteRepository, type RemoteWrite } from './remote-repository.ts'

export interface RemoteAccount {
  readonly did: string
  handle: string
  /** Signs commits. */
  key: Keypair
  readonly identity: PlcIdentity
  /** The operations of the DID, the oldest first. */
  readonly operations: PlcOperation[]
  readonly repository: RemoteRepository
  readonly blobs: Map<string, { readonly bytes: Uint8Array; readonly mimeType: string }>
  /** Undefined: active. */
  status: string | undefined
}

export interface SentEvent {
  readonly seq: number
  readonly did: string
  readonly frame: Buffer
}

export type Respond = (res: ServerResponse, req: IncomingMessage) => unknown

interface Options {
  /** Gives times, revisions and record keys. */
  readonly clock?: TestClock
  /** What DID documents name; by default the server's address. */
  readonly publicUrl?: string
  /** The first event has the next number. */
  readonly seq?: number
}

export class RemoteServer {
  readonly clock: TestClock
  /** By DID. */
  readonly accounts = new Map<string, RemoteAccount>()
  /** The events that the stream replays. */
  readonly events: SentEvent[] = []
  /** Number of the last event. */
  seq: number
  /** Events up to this number are no longer kept. */
  outdated: number
  /** Responds in the place of the server: by NSID without `com.atproto.`, such as `sync.getRepo`, or by path, such as `/did:plc:…`. */
  readonly replacements = new Map<string, Respond>()
  /** NSIDs without `com.atproto.`, and paths, of all requests. */
  readonly calls: string[] = []
  /** The cursors of all connections to the stream. */
  readonly cursors: (number | undefined)[] = []
  /** Replaces the messages of a new connection, by default a replay, then new events. */
  onConnection: ((socket: WebSocket, cursor: number | undefined) => void) | undefined
  readonly #publicUrl: string | undefined
  readonly #streams = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  readonly #waiting = new Set<() => void>()
  #server = this.#createServer()
  #port = 0
  #lastTime = 0

  private constructor({ clock = new TestClock(), publicUrl, seq = 0 }: Options) {
    this.clock = clock
    this.#publicUrl = publicUrl
    this.seq = seq
    this.outdated = seq
  }

  static async start(options: Options = {}): Promise<RemoteServer> {
    const server = new RemoteServer(options)
    await server.up()
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get did(): string {
    return `did:web:127.0.0.1%3A${this.#port}`
  }

  /** Open connections to the stream. */
  get consumers(): number {
    return this.#streams.clients.size
  }

  /** Creates `<name>.test` and reports it as a new account. Its identity is in no directory. */
  async account(name: string, curve: 'P-256' | 'secp256k1' = 'P-256'): Promise<RemoteAccount> {
    const handle = `${name}.test`
    const key = await (curve === 'P-256' ? P256Keypair : Secp256k1Keypair).create()
    const identity = await createPlcIdentity(handle, { key, origin: this.#publicUrl ?? this.url })
    const { did } = identity
    const account: RemoteAccount = {
      did,
      handle,
      key,
      identity,
      operations: [identity.genesis],
      repository: new RemoteRepository(did),
      blobs: new Map(),
      status: undefined,
    }
    this.accounts.set(did, account)
    this.emit(identityEvent(did, handle))
    this.emit(accountEvent(did, undefined))
    await this.write(account)
    return account
  }

  /** Applies writes in one commit and reports it. */
  async write(account: RemoteAccount, ...writes: RemoteWrite[]): Promise<RemoteCommit> {
    const commit = await this.commit(account, ...writes)
    this.emit(await commitEvent(account.did, commit))
    return commit
  }

  /** As `write`, but reports nothing: `emit` reports it later, changed or never. */
  commit(account: RemoteAccount, ...writes: RemoteWrite[]): Promise<RemoteCommit> {
    return account.repository.commit(writes, account.key, this.tid())
  }

  async create(
    account: RemoteAccount,
    collection: string,
    record: object,
    rkey: string = this.tid(),
  ): Promise<Ref> {
    const key = `${collection}/${rkey}`
    await this.write(account, { key, record: withType(collection, record) })
    return refOf(account, key)
  }

  /** Deletes a record. */
  async remove(account: RemoteAccount, { uri }: { readonly uri: string }): Promise<void> {
    await this.write(account, { key: uri.split('/').slice(3).join('/') })
  }

  /** Adds a file, and returns its reference for records. */
  upload({ blobs }: RemoteAccount, bytes: Uint8Array, mimeType = 'image/png') {
    const ref = blockOfBytes(bytes, 0x55).cid
    blobs.set(ref.toString(), { bytes, mimeType })
    return { $type: 'blob', ref, mimeType, size: bytes.length }
  }

  async changeHandle(account: RemoteAccount, handle: string): Promise<void> {
    await this.#changeIdentity(account, { alsoKnownAs: [`at://${handle}`] })
    account.handle = handle
    this.emit(identityEvent(account.did, handle))
  }

  /** Replaces the signing key. Commits follow with the new one. */
  async changeKey(account: RemoteAccount, key: Keypair): Promise<void> {
    await this.#changeIdentity(account, { verificationMethods: { atproto: key.did() } })
    account.key = key
    this.emit(identityEvent(account.did, account.handle))
    await this.sync(account)
  }

  /** Names another server and another key in the identity. Commits go on to be signed by the earlier key. */
  async moveTo(account: RemoteAccount, { key, endpoint }: { key: Keypair; endpoint: string }): Promise<void> {
    const services = { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint } }
    await this.#changeIdentity(account, { services, verificationMethods: { atproto: key.did() } })
  }

  /** Reports the repository with a new commit of the same tree. */
  async sync(account: RemoteAccount): Promise<void> {
    const { head } = await this.commit(account)
    this.emit(syncEvent(account.did, head.rev, await account.repository.commitBlock()))
  }

  /** @param status undefined: active */
  setStatus(account: RemoteAccount, status: string | undefined): void {
    account.status = status
    this.emit(accountEvent(account.did, status))
  }

  /** Deletes an account and its earlier events. */
  deleteAccount({ did }: RemoteAccount): void {
    this.accounts.delete(did)
    this.events.splice(0, this.events.length, ...this.events.filter((event) => event.did !== did))
    this.emit(accountEvent(did, 'deleted'))
  }

  /** Adds an event to the stream. @param seq by default the next number */
  emit(event: RemoteEvent, seq: number = this.seq + 1): Buffer {
    const frame = frameOf(event, seq, this.clock.now().toISOString())
    const { did, repo } = event.payload
    this.events.push({ seq, did: String(repo ?? did), frame })
    this.seq = Math.max(this.seq, seq)
    this.send(frame)
    return frame
  }

  /** Sends a message to all who read the stream now. It is not replayed. */
  send(message: Uint8Array | string): void {
    for (const socket of this.#streams.clients) socket.send(message)
  }

  /** Removes the oldest events from the replay. */
  forget(upTo: number = this.seq): void {
    this.outdated = upTo
    this.events.splice(0, this.events.length, ...this.events.filter(({ seq }) => seq > upTo))
  }

  /** Resolves when the stream has been connected to, `times` in all. */
  async connected(times = 1): Promise<void> {
    await this.#until(() => this.cursors.length >= times)
  }

  /** Resolves when a method or path was called, `times` in all. */
  async called(name: string, times = 1): Promise<void> {
    await this.#until(() => this.calls.filter((call) => call === name).length >= times)
  }

  /** Ends all connections. */
  disconnect(): void {
    for (const socket of this.#streams.clients) socket.terminate()
    this.#server.closeAllConnections()
  }

  /** Stops listening. */
  async down(): Promise<void> {
    this.disconnect()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** Listens again on the same port. */
  async up(): Promise<void> {
    this.#server = this.#createServer()
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.down()
  }

  /** A new TID of the clock's time. */
  tid(): string {
    this.#lastTime = Math.max(this.clock.now().getTime() * 1000, this.#lastTime + 1)
    return tidOf(this.#lastTime)
  }

  #createServer() {
    const server = createServer((req, res) => void this.#answer(req, res))
    server.on('upgrade', (req, socket, head) => {
      const url = new URL(req.url ?? '', this.url)
      const replacement = this.replacements.get(this.#note(url))
      if (replacement) return void replacement(socket as unknown as ServerResponse, req)
      const cursor = url.searchParams.get('cursor') || undefined
      this.#streams.handleUpgrade(req, socket, head, (stream) =>
        this.#join(stream, cursor === undefined ? undefined : Number(cursor)),
      )
    })
    return server
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '', this.url)
    const replacement = this.replacements.get(this.#note(url))
    if (replacement) await replacement(res, req)
    else await respond(this, url, res)
  }

  /** Adds a request to the calls. Returns its name. */
  #note({ pathname }: URL): string {
    const path = decodeURIComponent(pathname)
    const name = /^\/xrpc\/com\.(?:atproto|core)\.(.+)/.exec(path)?.[1] ?? path
    this.calls.push(name)
    this.#check()
    return name
  }

  #join(socket: WebSocket, cursor: number | undefined): void {
    socket.on('error', () => {})
    this.cursors.push(cursor)
    if (this.onConnection) this.onConnection(socket, cursor)
    else this.#replay(socket, cursor)
    this.#check()
  }

  #replay(socket: WebSocket, cursor = this.seq): void {
    if (cursor > this.seq) {
      socket.send(errorFrame('FutureCursor'))
      socket.close(1008)
      return
    }
    if (cursor < this.outdated) socket.send(infoFrame('OutdatedCursor'))
    for (const { seq, frame } of this.events) if (seq > cursor) socket.send(frame)
  }

  async #changeIdentity(account: RemoteAccount, changes: Partial<PlcOperation>): Promise<void> {
    const last = account.operations.at(-1) ?? account.identity.genesis
    account.operations.push(await nextOperation(account.identity.rotationKey, last, changes))
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  #check(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}

/** The URI and CID of a record. */
export function refOf({ did, repository }: RemoteAccount, key: string): Ref {
  return { uri: `at://${did}/${key}`, cid: String(repository.records.get(key)?.cid) }
}

/** Adds the type of a record, and leaves out its members that are undefined. */
export function withType(collection: string, record: object): LexMap {
  const members = Object.entries(record).filter(([, value]) => value !== undefined)
  return { $type: collection, ...Object.fromEntries(members) }
}
