/** A consumer of a server's event stream, which connects again after each end, from the last event that it has. */
import { decodeAll } from '@atproto/lex-cbor'
import { openStream, type Stream } from '../../../server/platform/network/websocket.ts'
import { Violation } from '../acts/act.ts'
import type { Machine } from '../world/machine.ts'
import { currentProcess, outside } from '../world/wire.ts'

/** A repository as the events describe it. */
interface Followed {
  rev: string | undefined
  /** CIDs by path; undefined after a `#sync`, which says that the repository must be read again. */
  contents: Map<string, string> | undefined
  /** As the last events say; undefined before the first ones. */
  status: string | undefined
  /** Empty before the first event; undefined if events were missed since. */
  handle: string | undefined
  /** Whether the account is active again, and its repository was not reported since. */
  isUnreported: boolean
  /** Whether events of it were missed, and none has followed that says what it is. */
  isUnknown: boolean
}

const emptyRepository = (): Followed => ({
  ...{ rev: undefined, contents: new Map() },
  ...{ status: undefined, handle: '', isUnreported: false, isUnknown: false },
})

// biome-ignore lint/suspicious/noExplicitAny: events of several shapes
type Payload = any

export class Consumer {
  readonly machine: Machine
  readonly #repositories = new Map<string, Followed>()
  #stream: Stream | undefined
  #cursor = 0
  /** Whether the server comes from a backup or a copy: it reports its accounts again, as they were. */
  isRestored = false
  /** Whether it was away for longer than events are kept. */
  #wasAway = false
  #isAway = false
  /** The first rule that an event has broken. */
  #broken: string | undefined

  constructor(machine: Machine) {
    this.machine = machine
  }

  /** Connects unless it is connected. */
  connect(): void {
    if (this.#stream || this.#isAway) return
    const target = `${this.machine.url}/xrpc/com.atproto.sync.subscribeRepos?cursor=${this.#cursor}`
    const stream = currentProcess.run(outside, () =>
      openStream(target, {
        allowPrivate: true,
        onOpen: () => {},
        onMessage: (bytes) => this.#receive(bytes),
        onEnd: () => {
          if (this.#stream === stream) this.#stream = undefined
        },
      }),
    )
    this.#stream = stream
  }

  /** Returns what the events say of a repository; undefined if it must be read. @throws Violation for events that break a rule */
  contentsOf(did: string): ReadonlyMap<string, string> | undefined {
    if (this.#broken !== undefined) throw new Violation(`events of ${this.machine.name}: ${this.#broken}`)
    const { contents, isUnreported } = this.#followed(did)
    if (isUnreported)
      throw new Violation(`events of ${this.machine.name}: ${did} is active again without its repository`)
    return contents
  }

  /** Forgets an account that was deleted: its holder moves back. */
  forget(did: string): void {
    if (this.#followed(did).status === 'deleted') this.#repositories.delete(did)
  }

  /** Continues with a repository that was read. */
  read(did: string, contents: ReadonlyMap<string, string>): void {
    this.#followed(did).contents = new Map(contents)
  }

  /** Returns what the last events say of an account. */
  accountOf(did: string): Pick<Followed, 'status' | 'handle' | 'isUnknown'> {
    return this.#followed(did)
  }

  /** Ends the connection until `comeBack`. */
  leave(): void {
    this.close()
    this.#isAway = true
  }

  /** Connects after a time in which events may have been deleted. */
  comeBack(): void {
    this.#isAway = false
    if (!this.#stream) this.#wasAway = true
    this.connect()
  }

  close(): void {
    this.#stream?.close()
    this.#stream = undefined
  }

  #followed(did: string): Followed {
    const followed = this.#repositories.get(did) ?? emptyRepository()
    this.#repositories.set(did, followed)
    return followed
  }

  #receive(bytes: Buffer): void {
    const [header, payload] = [...decodeAll(bytes)] as [{ readonly op: number; readonly t?: string }, Payload]
    if (header.op !== 1) this.#break(`error frame ${payload.error}`)
    if (header.t === '#info') {
      this.#info(payload)
      return
    }
    this.#wasAway = false
    if (payload.seq <= this.#cursor) this.#break(`${payload.seq} follows ${this.#cursor}`)
    this.#cursor = payload.seq
    if (header.t === '#commit') this.#commit(payload)
    if (header.t === '#sync') this.#sync(payload)
    if (header.t === '#account') this.#account(payload)
    if (header.t === '#identity') this.#followed(payload.did).handle = payload.handle
  }

  /** Events were missed: nothing is known of the accounts any more. */
  #info({ name }: Payload): void {
    if (!this.#wasAway || name !== 'OutdatedCursor') this.#break(`info ${name}`)
    for (const followed of this.#repositories.values())
      Object.assign(followed, {
        ...emptyRepository(),
        ...{ contents: undefined, handle: undefined, isUnknown: true },
      })
  }

  /** An activation reports the repository as it is. */
  #sync({ did, rev }: Payload): void {
    const followed = this.#followed(did)
    followed.isUnreported = false
    if (followed.rev !== rev) Object.assign(followed, { rev, contents: undefined })
  }

  #account({ seq, did, active, status: reason }: Payload): void {
    const followed = this.#followed(did)
    const status = active ? 'active' : reason
    if (this.isRestored) {
      followed.status = status
      return
    }
    if (followed.status === 'deleted') this.#break(`${seq}: ${did} is ${status} after its deletion`)
    if (followed.status === status) this.#break(`${seq}: ${did} is ${status} again`)
    if (status === 'deleted') Object.assign(followed, emptyRepository())
    followed.isUnreported = status === 'active' && (followed.status !== undefined || followed.isUnknown)
    Object.assign(followed, { status, isUnknown: false })
  }

  #commit({ seq, repo, rev, since, ops }: Payload): void {
    const followed = this.#followed(repo)
    // Only an active account writes.
    if (followed.isUnknown) Object.assign(followed, { status: 'active', isUnknown: false })
    if (followed.status !== 'active') this.#break(`${seq}: commit of ${repo}, which is ${followed.status}`)
    if (followed.rev !== undefined && since !== followed.rev)
      this.#break(`${seq}: ${repo} continues ${since}, but was at ${followed.rev}`)
    if (followed.rev !== undefined && rev <= followed.rev)
      this.#break(`${seq}: ${repo} goes from ${followed.rev} to ${rev}`)
    if (followed.isUnreported) this.#break(`${seq}: commit of ${repo}, which is active again without #sync`)
    followed.rev = rev
    for (const { action, path, cid, prev } of ops) {
      if ((action === 'create') === followed.contents?.has(path)) this.#break(`${seq}: ${action} of ${path}`)
      if (followed.contents && action !== 'create' && followed.contents.get(path) !== String(prev))
        this.#break(`${seq}: ${action} of ${path} replaces ${prev}`)
      if (action === 'delete') followed.contents?.delete(path)
      else followed.contents?.set(path, String(cid))
    }
  }

  #break(rule: string): void {
    this.#broken ??= rule
  }
}
