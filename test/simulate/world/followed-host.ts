/** A server whose event stream a relay follows: it verifies each event, and fetches repositories that the events do not describe. */
import { decodeAll } from '@atproto/lex-cbor'
import { openStream, type Stream } from '../../../server/platform/network/websocket.ts'
import { emptyTree, openCommit, openExport, undone } from './commit-event.ts'
import { currentProcess, type Process } from './wire.ts'

export interface RelayedRepository {
  rev: string | undefined
  /** CID of the tree. */
  data: string | undefined
  /** CIDs by path. */
  records: Map<string, string>
  /** Undefined before the first event of the account. */
  status: string | undefined
  handle: string | undefined
  /** Whether it must be fetched. */
  isStale: boolean
}

const newRepository = (): RelayedRepository => ({
  ...{ rev: undefined, data: undefined, records: new Map() },
  ...{ status: undefined, handle: undefined, isStale: false },
})

/** Repositories of inactive accounts cannot be read. */
const mustFetch = ({ isStale, status = 'active' }: RelayedRepository) => isStale && status === 'active'

/** What a relay has of a server, in memory or on its disk. */
interface State {
  /** Number of the last event; undefined: the next connection begins with new events. */
  cursor: number | undefined
  /** Whether events may be missing: all repositories are compared with the list of the server. */
  isLost: boolean
  readonly repositories: Map<string, RelayedRepository>
}

const begin = (): State => ({ cursor: 0, isLost: false, repositories: new Map() })

const copyOf = ({ repositories, ...state }: State): State => ({
  ...state,
  repositories: new Map(
    [...repositories].map(([did, one]) => [did, { ...one, records: new Map(one.records) }]),
  ),
})

export interface FollowDeps {
  /** Origin of the server. */
  readonly url: string
  readonly process: () => Process
  /** Reads a path of the server. @returns undefined without a complete response of status 200 */
  readonly read: (path: string) => Promise<Buffer | undefined>
  /** The did:key of an account, by the directory. */
  readonly keyOf: (did: string) => string
  /** Whether the server is that of an account, by the directory. Commits of others do not count. */
  readonly isHostOf: (did: string) => boolean
}

/** Events after which the state is saved. */
const saveEvery = 5

// biome-ignore lint/suspicious/noExplicitAny: events of several shapes
type Payload = any

export class FollowedHost {
  /** The first rule that the server has broken. */
  broken: string | undefined
  readonly #deps: FollowDeps
  #state = begin()
  #saved = begin()
  #streams: Stream[] = []
  /** Work that waits, in the order of its arrival. */
  #queue: Promise<unknown> = Promise.resolve()
  #events = 0

  constructor(deps: FollowDeps) {
    this.#deps = deps
  }

  /** @returns undefined if no event was about it */
  repositoryOf(did: string): RelayedRepository | undefined {
    return this.#state.repositories.get(did)
  }

  /** Connects unless it is connected, and fetches what is stale. @param isTwice connects once more */
  connect(isTwice = false): void {
    if (this.#streams.length === 0 || isTwice) this.#open()
    if (this.#state.isLost || [...this.#state.repositories.values()].some(mustFetch))
      this.#later(() => this.#repair())
  }

  /** Ends all work: what was not saved is lost. */
  stop(): void {
    for (const stream of this.#streams.splice(0)) stream.close()
    this.#state = copyOf(this.#saved)
  }

  /** Loses the position, and with `isAll` the repositories too. Call it while it is stopped. */
  forget(isAll: boolean): void {
    if (isAll) this.#state = begin()
    else Object.assign(this.#state, { cursor: undefined, isLost: true })
    this.#saved = copyOf(this.#state)
  }

  #open(): void {
    const { cursor } = this.#state
    const query = cursor === undefined ? '' : `?cursor=${cursor}`
    const end = () => {
      this.#streams = this.#streams.filter((one) => one !== stream)
    }
    /** Number of the last event of this connection. */
    let last = cursor ?? 0
    const target = `${this.#deps.url}/xrpc/com.atproto.sync.subscribeRepos${query}`
    const stream: Stream = currentProcess.run(this.#deps.process(), () =>
      openStream(target, {
        ...{ allowPrivate: true, onOpen: () => {}, onEnd: end },
        onMessage: (bytes) => {
          const [header, payload] = [...decodeAll(bytes)] as [{ op: number; t?: string }, Payload]
          if (header.op === 1 && header.t !== '#info') {
            if (payload.seq <= last) this.#break(`${payload.seq} follows ${last}`)
            last = payload.seq
          }
          this.#later(() => this.#receive(header, payload))
        },
      }),
    )
    this.#streams.push(stream)
  }

  /** Runs work after all earlier work, unless the state was replaced meanwhile. */
  #later(work: () => Promise<void>): void {
    const state = this.#state
    this.#queue = this.#queue.then(async () => {
      if (state === this.#state) await work()
    })
  }

  async #receive(header: { op: number; t?: string }, payload: Payload): Promise<void> {
    const state = this.#state
    if (header.op !== 1 || header.t === '#info') {
      // The cursor is ahead of the stream, or behind its oldest event.
      const isPosition = ['FutureCursor', 'OutdatedCursor'].includes(payload.error ?? payload.name)
      if (isPosition) state.isLost = true
      if (payload.error === 'FutureCursor') state.cursor = undefined
      // This connection has everything from now on, also if it is the first one.
      if (payload.name === 'OutdatedCursor') this.#later(() => this.#repair())
      return
    }
    // The other connection has had it.
    if (payload.seq <= (state.cursor ?? 0)) return
    await this.#apply(header.t, payload).catch((error: Error) =>
      this.#break(`${payload.seq}: ${error.message}`),
    )
    if (state !== this.#state) return
    state.cursor = payload.seq
    if (++this.#events % saveEvery === 0) this.#saved = copyOf(state)
  }

  async #apply(type: string | undefined, event: Payload): Promise<void> {
    const repository = this.#of(event.repo ?? event.did)
    if (type === '#identity') repository.handle = event.handle
    if (type === '#account') this.#account(repository, event)
    if (type === '#commit') await this.#commit(repository, event)
    if (type === '#sync') await this.#sync(repository, event)
    if (mustFetch(repository)) await this.#fetch(event.repo ?? event.did, repository)
  }

  #of(did: string): RelayedRepository {
    const repository = this.#state.repositories.get(did) ?? newRepository()
    this.#state.repositories.set(did, repository)
    return repository
  }

  #account(repository: RelayedRepository, { active, status }: Payload): void {
    if (status === 'deleted') Object.assign(repository, newRepository())
    repository.status = active ? 'active' : status
  }

  async #commit(repository: RelayedRepository, event: Payload): Promise<void> {
    const { repo, rev, since, prevData, ops } = event
    if (repository.rev !== undefined && rev <= repository.rev) return
    if (!this.#deps.isHostOf(repo)) {
      repository.isStale = true
      return
    }
    const commit = await openCommit(event.blocks, repo, this.#deps.keyOf(repo))
    if (commit.rev !== rev) throw new Error(`the commit is ${commit.rev} instead of ${rev}`)
    const before = await undone(commit, ops)
    if (before !== (prevData ? String(prevData) : await emptyTree()))
      throw new Error(`the tree before was ${before} instead of ${prevData}`)
    if ((since ?? undefined) !== repository.rev) {
      repository.isStale = true
      return
    }
    if (repository.data !== undefined && before !== repository.data)
      throw new Error(`${repo} had the tree ${repository.data} at ${since}, not ${before}`)
    for (const { path, cid } of ops) {
      if (cid) repository.records.set(path, String(cid))
      else repository.records.delete(path)
    }
    Object.assign(repository, { rev, data: String(commit.data) })
  }

  async #sync(repository: RelayedRepository, { did, rev, blocks }: Payload): Promise<void> {
    if (!this.#deps.isHostOf(did)) {
      repository.isStale = true
      return
    }
    const commit = await openCommit(blocks, did, this.#deps.keyOf(did))
    if (commit.rev !== rev) throw new Error(`the commit is ${commit.rev} instead of ${rev}`)
    if (String(commit.data) === repository.data) repository.rev = rev
    else repository.isStale = true
  }

  /** Compares all repositories with the list of the server if events are missing, and fetches what is stale. */
  async #repair(): Promise<void> {
    const state = this.#state
    if (state.isLost && !(await this.#compare())) return
    for (const [did, repository] of state.repositories)
      if (mustFetch(repository) && state === this.#state) await this.#fetch(did, repository)
    if (state === this.#state) this.#saved = copyOf(state)
  }

  /** @returns false if the list cannot be read */
  async #compare(): Promise<boolean> {
    const state = this.#state
    const listed = new Set<string>()
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await this.#deps.read(
        `/xrpc/com.atproto.sync.listRepos?limit=3${cursor && `&cursor=${cursor}`}`,
      )
      if (!page || state !== this.#state) return false
      const { repos, cursor: next } = JSON.parse(page.toString())
      cursor = next
      for (const { did, rev, active, status } of repos) {
        listed.add(did)
        const repository = this.#of(did)
        repository.status = active ? 'active' : status
        // The list has no handles.
        repository.handle = undefined
        if (repository.rev !== rev) repository.isStale = true
      }
    }
    for (const [did, repository] of state.repositories)
      if (!listed.has(did)) Object.assign(repository, newRepository(), { status: 'deleted' })
    state.isLost = false
    return true
  }

  async #fetch(did: string, repository: RelayedRepository): Promise<void> {
    if (!this.#deps.isHostOf(did)) return
    const car = await this.#deps.read(`/xrpc/com.atproto.sync.getRepo?did=${did}`)
    if (!car) return
    const found = await openExport(car, did, this.#deps.keyOf(did)).catch((error: Error) =>
      this.#break(`getRepo of ${did}: ${error.message}`),
    )
    if (found) Object.assign(repository, found, { isStale: false })
  }

  #break(rule: string): void {
    this.broken ??= rule
  }
}
