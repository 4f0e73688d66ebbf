/**
 * Accounts of a load client that import an archive, two at a time, and are deleted later. An import without a response has left the empty
 * repository or the whole one, and can be sent again. A deletion without a response has left the whole account or nothing.
 */

import { readCarWithRoot, verifyRepo } from '@atproto/repo'
import { expect } from 'vitest'
import { listOutbox } from '../../server/platform/mail/outbox.ts'
import { type ArchiveRecord, archiveOf, blockOf } from '../support/records/archive.ts'
import { type Answer, download, exchange, ServerKilled } from './exchange.ts'
import type { Fact } from './load-client.ts'
import type { Random } from './random.ts'

interface Options {
  /** The first part of the names of the accounts. */
  readonly name: string
  readonly random: Random
  readonly dataDir: string
  readonly setFact: (subject: string, fact: Fact) => void
  readonly url: () => string
}

interface Guest {
  readonly name: string
  readonly did: string
  readonly handle: string
  readonly email: string
  readonly accessJwt: string
  readonly archive: Buffer
  /** CIDs of its records by their keys. */
  readonly records: ReadonlyMap<string, string>
}

const password = 'the password of a guest'
/** With fewer accounts, none is deleted. */
const fewest = 2

export class GuestAccounts {
  readonly #options: Options
  #count = 0
  /** Accounts whose import was acknowledged. */
  readonly #imported: Guest[] = []
  /** DIDs of accounts whose deletion is certain. */
  readonly deleted: string[] = []
  readonly counts = { imports: 0, resumedImports: 0, deletions: 0, unacknowledgedDeletions: 0 }

  constructor(options: Options) {
    this.#options = options
  }

  async importTwo(): Promise<void> {
    const ends = await Promise.allSettled([this.#import(), this.#import()])
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    const [first = undefined] = [...failures.filter((error) => !(error instanceof ServerKilled)), ...failures]
    if (first) throw first
  }

  async deleteOne(): Promise<void> {
    if (this.#imported.length <= fewest) return
    const [guest] = this.#imported.splice(this.#options.random(this.#imported.length), 1)
    if (!guest) return
    const { name, did, email, accessJwt } = guest
    // If the server is killed before the deletion, the account stays as it was.
    this.#setFact(name, () => this.#keep(guest))
    await this.#callOrThrow('com.core.server.requestAccountDelete', undefined, accessJwt)
    const token = (await listOutbox(this.#options.dataDir)).find(({ to }) => to === email)?.code
    this.#setFact(name, async () => {
      const { status } = await this.#signIn(guest)
      this.counts.unacknowledgedDeletions++
      await (status === 200 ? this.#keep(guest) : this.#setDeleted(guest))
    })
    await this.#callOrThrow('com.core.server.deleteAccount', { did, password, token }, accessJwt)
    this.counts.deletions++
    await this.#setDeleted(guest, 'later')
  }

  async #import(): Promise<void> {
    const { name: client, random } = this.#options
    const name = `${client}-g${++this.#count}`
    const names = { handle: `${name}.test`, email: `${name}@mail.test` }
    const { did, accessJwt } = (
      await this.#callOrThrow('com.core.server.createAccount', { ...names, password })
    ).body
    await this.#callOrThrow('com.core.server.deactivateAccount', {}, accessJwt)
    const notes = Array.from(
      { length: 20 + random(250) },
      (_, i): ArchiveRecord => [`com.example.note/${name}-${i}`, { text: `${i} `.repeat(random(60)) }],
    )
    const archive = archiveOf({ did, records: notes })
    const records = new Map(notes.map(([key, record]) => [key, blockOf(record).cid.toString()]))
    const guest = { name, did, ...names, accessJwt, archive, records }
    this.#setFact(name, async () => {
      const found = await this.#recordsOf(guest)
      if (found.size > 0) expect(found).toEqual(records)
      this.counts.resumedImports++
      await this.#sendArchive(guest)
      await this.#keep(guest)
    })
    await this.#sendArchive(guest)
    this.counts.imports++
    this.#setImported(guest)
    await this.#callOrThrow('com.core.server.activateAccount', undefined, accessJwt)
    this.#setFact(name, async () => {
      await this.#isWhole(guest)
      const status = await this.#call('com.core.server.checkAccountStatus', undefined, accessJwt)
      expect(status.body.activated).toBe(true)
    })
  }

  async #keep(guest: Guest): Promise<void> {
    await this.#isWhole(guest)
    this.#setImported(guest)
  }

  #setImported(guest: Guest): void {
    this.#imported.push(guest)
    this.#setFact(guest.name, () => this.#isWhole(guest))
  }

  async #sendArchive({ archive, accessJwt }: Guest): Promise<void> {
    const headers = { authorization: `Bearer ${accessJwt}`, 'content-type': 'application/vnd.ipld.car' }
    const url = `${this.#options.url()}/xrpc/com.core.repo.importRepo`
    const answer = await exchange(url, { method: 'POST', headers, body: new Uint8Array(archive) })
    if (answer.status !== 200) throw new Error(`importRepo answered ${JSON.stringify(answer)}`)
  }

  async #setDeleted(guest: Guest, checked: 'now' | 'later' = 'now'): Promise<void> {
    this.deleted.push(guest.did)
    const expectDeleted = async () => {
      expect((await this.#signIn(guest)).status).toBe(401)
      expect((await this.#repository({ ...guest, accessJwt: undefined })).status).toBe(400)
      const session = await this.#call('com.core.server.getSession', undefined, guest.accessJwt)
      expect(session.status).toBe(403)
    }
    if (checked === 'now') await expectDeleted()
    this.#setFact(guest.name, expectDeleted)
  }

  /** The account signs in, and its repository is that of the archive. */
  async #isWhole(guest: Guest): Promise<void> {
    expect((await this.#signIn(guest)).status).toBe(200)
    expect(await this.#recordsOf(guest)).toEqual(guest.records)
  }

  /** Returns the CIDs of the records by their keys, after the tree was verified. */
  async #recordsOf(guest: Guest): Promise<Map<string, string>> {
    const { status, body } = await this.#repository(guest)
    expect(status).toBe(200)
    const { root, blocks } = await readCarWithRoot(body)
    const { creates } = await verifyRepo(blocks, root, guest.did)
    return new Map(creates.map(({ collection, rkey, cid }) => [`${collection}/${rkey}`, cid.toString()]))
  }

  #repository({ did, accessJwt }: { did: string; accessJwt: string | undefined }) {
    const url = `${this.#options.url()}/xrpc/com.core.sync.getRepo?did=${encodeURIComponent(did)}`
    return download(url, accessJwt === undefined ? {} : { headers: { authorization: `Bearer ${accessJwt}` } })
  }

  #signIn({ handle }: Guest): Promise<Answer> {
    return this.#call('com.core.server.createSession', { identifier: handle, password })
  }

  #setFact(name: string, fact: Fact): void {
    this.#options.setFact(`guest ${name}`, fact)
  }

  async #callOrThrow(nsid: string, input?: unknown, token?: string): Promise<Answer> {
    const answer = await this.#call(nsid, input, token)
    if (answer.status === 200) return answer
    throw new Error(`${nsid} answered ${answer.status} ${JSON.stringify(answer.body)}`)
  }

  #call(nsid: string, input?: unknown, token?: string): Promise<Answer> {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(input !== undefined && { 'content-type': 'application/json' }),
    }
    const method = /\.(get|check)[A-Z]/.test(nsid) ? 'GET' : 'POST'
    const body = input === undefined ? null : JSON.stringify(input)
    return exchange(`${this.#options.url()}/xrpc/${nsid}`, { method, headers, body })
  }
}
