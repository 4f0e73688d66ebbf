/** A client that writes at a steady pace and compares a restored server with what was acknowledged. */
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { exchange, ServerKilled } from './exchange.ts'
import type { Random } from './random.ts'

const password = 'the password of a writer'
const collection = 'org.example.entry'
/** Two writers make five writes a second. */
const pauseMs = 400

interface Write {
  readonly rkey: string
  /** Of a media file that the record names. */
  readonly file: string | undefined
  /** When the response was there; undefined if there was none. */
  acknowledgedAt: number | undefined
}

export interface Loss {
  /** From the response to the first lost write until the kill, in milliseconds; 0 if none is lost. */
  readonly ms: number
  /** Acknowledged ones since the last comparison. */
  readonly writes: number
  readonly lostWrites: number
  readonly media: number
  readonly missingMedia: number
}

export class CopyWriter {
  url = ''
  readonly #name: string
  readonly #random: Random
  #did = ''
  #accessJwt = ''
  #count = 0
  /** Those that the server had when it was restored last, then those that followed. */
  #writes: Write[] = []
  #restored = 0
  /** Record keys whose media files were lost. */
  readonly #withoutFile = new Set<string>()

  constructor(name: string, random: Random) {
    this.#name = name
    this.#random = random
  }

  async signUp(): Promise<void> {
    this.#did = (await this.#post('server.createAccount', { handle: `${this.#name}.test`, password })).did
  }

  /** Writes until the server is killed. */
  async writeUntilKilled(): Promise<void> {
    try {
      const session = await this.#post('server.createSession', { identifier: this.#did, password })
      this.#accessJwt = session.accessJwt
      for (;;) {
        const due = setTimeout(pauseMs)
        await this.#write()
        await due
      }
    } catch (error) {
      if (!(error instanceof ServerKilled)) throw error
    }
  }

  async #write(): Promise<void> {
    const rkey = `entry-${String(++this.#count).padStart(6, '0')}`
    const file = this.#random(8) === 0 ? `file of ${rkey} `.repeat(1 + this.#random(3000)) : undefined
    const record: Record<string, unknown> = { text: textOf(rkey) }
    if (file !== undefined) record.file = (await this.#post('repo.uploadBlob', file, 'text/plain')).blob
    const write: Write = { rkey, file, acknowledgedAt: undefined }
    this.#writes.push(write)
    await this.#post('repo.createRecord', { repo: this.#did, collection, rkey, record })
    write.acknowledgedAt = Date.now()
  }

  /**
   * Compares the restored server with the writes. Goes on from what it has.
   * @throws AssertionError unless it has the writes from the first one on, and those that were acknowledged `lossMs` before the kill
   */
  async compare(killedAt: number, lossMs: number): Promise<Loss> {
    const there = await this.#entries()
    const expected = this.#writes.slice(0, there.size)
    assert.deepEqual(
      [...there.keys()],
      expected.map(({ rkey }) => rkey),
    )
    const isOld = ({ acknowledgedAt = killedAt }: Write) => killedAt - acknowledgedAt > lossMs
    const lost = this.#writes.slice(there.size).filter(({ acknowledgedAt }) => acknowledgedAt !== undefined)
    assert.ok(!lost.some(isOld), `${this.#name} lost ${lost[0]?.rkey}`)
    let media = 0
    let missingMedia = 0
    for (const write of expected) {
      const { text, file } = there.get(write.rkey) ?? {}
      assert.equal(text, textOf(write.rkey))
      if (write.file === undefined || this.#withoutFile.has(write.rkey)) continue
      if ((await this.#download(file?.ref.$link ?? '')) === write.file) {
        media++
        continue
      }
      assert.ok(!isOld(write), `${this.#name} lost the file of ${write.rkey}`)
      this.#withoutFile.add(write.rkey)
      missingMedia++
    }
    const writes = this.#writes.slice(this.#restored).filter(({ acknowledgedAt }) => acknowledgedAt).length
    this.#writes = expected
    this.#restored = expected.length
    const ms = lost[0]?.acknowledgedAt === undefined ? 0 : killedAt - lost[0].acknowledgedAt
    return { ms, writes, lostWrites: lost.length, media, missingMedia }
  }

  /** Returns the records of the server, ascending by key. */
  async #entries(): Promise<Map<string, { text: string; file?: { ref: { $link: string } } }>> {
    const entries = new Map()
    for (let cursor: string | undefined; ; ) {
      const query = new URLSearchParams({ repo: this.#did, collection, limit: '100', reverse: 'true' })
      if (cursor !== undefined) query.set('cursor', cursor)
      const { body } = await exchange(`${this.url}/xrpc/com.core.repo.listRecords?${query}`, {})
      for (const { uri, value } of body.records) entries.set(uri.split('/').at(-1), value)
      cursor = body.cursor
      if (cursor === undefined) return entries
    }
  }

  async #download(cid: string): Promise<string> {
    const query = new URLSearchParams({ did: this.#did, cid })
    return (await fetch(`${this.url}/xrpc/com.core.sync.getBlob?${query}`)).text()
  }

  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  async #post(method: string, input: unknown, type = 'application/json'): Promise<any> {
    const headers: Record<string, string> = { 'content-type': type }
    if (method.startsWith('repo.')) headers.authorization = `Bearer ${this.#accessJwt}`
    const body = typeof input === 'string' ? input : JSON.stringify(input)
    const request = { method: 'POST', headers, body }
    const answer = await exchange(`${this.url}/xrpc/com.core.${method}`, request)
    assert.equal(answer.status, 200, `${this.#name}: ${method} answered ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}

function textOf(rkey: string): string {
  return `text of ${rkey} `.repeat(10)
}
