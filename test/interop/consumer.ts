/** The network's own consumer library, which verifies events, in a process of its own. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Account } from './accounts.ts'
import { poll } from './poll.ts'
import { all } from './xrpc.ts'

/** A report of the library: an event, an operation of one, or an error. */
interface Line {
  readonly event: string
  readonly seq: number
  readonly did: string
  readonly path?: string
  readonly cid?: string
  readonly rev?: string
  readonly message?: string
  readonly status?: string
}

/** A process with the consumer library. */
export class Consumer {
  readonly #child: ChildProcess
  readonly #lines: Line[] = []

  constructor(reference: string, server: string, directory: string) {
    this.#child = spawn(process.execPath, ['follow.js', server, directory], {
      cwd: reference,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const { stdout } = this.#child
    assert.ok(stdout)
    createInterface(stdout).on('line', (line) => this.#lines.push(JSON.parse(line)))
  }

  /** Resolves when the consumer has seen exactly the records of an account that the server lists. */
  async reaches({ server, did }: Account): Promise<void> {
    const expected = new Map<string, string>()
    for (const collection of ['app.bsky.feed.post', 'app.bsky.actor.profile']) {
      const params = { repo: did, collection, limit: '100' }
      const records = await all<{ uri: string; cid: string }>(
        server,
        'com.atproto.repo.listRecords',
        'records',
        { params },
      )
      for (const { uri, cid } of records) expected.set(uri.slice(`at://${did}/`.length), cid)
    }
    const hasAll = () => equal(this.#records(did), expected) || undefined
    const failure = () => `${this.#records(did).size} of ${expected.size} records; ${this.errors(did)}`
    await poll(hasAll, failure)
  }

  /** What did not verify of an account. */
  errors(did: string): (string | undefined)[] {
    const errors = this.#lines.filter((line) => line.event === 'error' && line.did === did)
    return errors.map(({ message }) => message)
  }

  /** Resolves when an event of an account has come. */
  async sees(did: string, isMeant: (line: Line) => boolean): Promise<void> {
    const found = () => this.#lines.some((line) => line.did === did && isMeant(line)) || undefined
    await poll(found, () => `not seen: ${isMeant}; ${JSON.stringify(this.#lines.at(-1))}`)
  }

  /** Asserts that each event has come once, in order. */
  assertInOrder(): void {
    const events = this.#lines.filter(({ event, seq }) => event !== 'error' && seq !== undefined)
    const numbers = events.map(({ seq }) => seq)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    const operations = events.map(({ event, seq, path }) => `${seq} ${event} ${path}`)
    assert.equal(new Set(operations).size, operations.length)
  }

  lastNumber(): number {
    return Math.max(0, ...this.#lines.flatMap(({ seq }) => seq ?? []))
  }

  /** The revision of a repository that was read last. */
  revision(did: string): string | undefined {
    return this.#lines.findLast((line) => line.did === did && line.rev !== undefined)?.rev
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }

  #records(did: string): Map<string, string> {
    const records = new Map<string, string>()
    for (const line of this.#lines) {
      if (line.did !== did || line.path === undefined) continue
      if (line.event === 'delete') records.delete(line.path)
      else records.set(line.path, line.cid ?? '')
    }
    return records
  }
}

function equal(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, cid]) => b.get(path) === cid)
}
