/**
 * A client that writes and records the responses. Acknowledged writes must be there after a crash; a write without a response
 * must be there completely or not at all.
 */
import { expect } from 'vitest'
import { adminAuth } from '../support/server/server.ts'
import { type Answer, exchange, ServerKilled } from './exchange.ts'
import { GuestAccounts } from './guest-accounts.ts'
import type { Random } from './random.ts'

const password = 'the password of a client'

/** Throws if it does not hold. */
export type Fact = () => Promise<void>

interface BlobRef {
  readonly ref: { readonly $link: string }
}

interface AppPassword {
  readonly name: string
  readonly password: string
  /** Of a session that was opened with it. */
  readonly accessJwt: string
}

export class LoadClient {
  url = ''
  readonly #name: string
  readonly #random: Random
  readonly #facts = new Map<string, Fact>()
  /** Facts that the next crash can have changed. */
  readonly #touched = new Set<string>()
  readonly #appPasswords: AppPassword[] = []
  #accessJwt = ''
  #refreshJwt = ''
  #did = ''
  /** The file that the client's record names. */
  #file: BlobRef | undefined
  readonly #contents = new Map<string, string>()
  /** Record keys of its notes. */
  readonly #notes: string[] = []
  /** CIDs of the acknowledged commits. */
  readonly commits: string[] = []
  /** Accounts that import archives and are deleted; only with a data directory. */
  readonly guests: GuestAccounts | undefined
  #count = 0
  #operations = 0

  /** @param dataDir of the server, where the codes of its mails are */
  constructor(name: string, random: Random, dataDir?: string) {
    this.#name = name
    this.#random = random
    if (dataDir === undefined) return
    const setFact = (subject: string, fact: Fact) => this.#setFact(subject, fact)
    this.guests = new GuestAccounts({ name, random, dataDir, setFact, url: () => this.url })
  }

  get factCount(): number {
    return this.#facts.size
  }

  /** Creates the account that the client writes as. */
  async signUp(): Promise<void> {
    const { body } = await this.#callOrThrow('createAccount', { handle: `${this.#name}.test`, password })
    this.#accessJwt = body.accessJwt
    this.#refreshJwt = body.refreshJwt
    this.#did = body.did
    this.#setFact('the newest refresh token', () => this.#refresh())
  }

  /** Operations that the server has acknowledged. */
  get operationCount(): number {
    return this.#operations
  }

  /** Writes until the server is killed. */
  async writeUntilKilled(): Promise<void> {
    const { guests } = this
    const operations = [
      ...(guests ? [() => guests.importTwo(), () => guests.deleteOne(), () => guests.deleteOne()] : []),
      this.#refresh,
      this.#makeAppPassword,
      this.#revokeAppPassword,
      this.#signInAndOut,
      this.#invite,
      this.#replaceFile,
      this.#addNote,
      this.#addNote,
      this.#deleteNote,
    ]
    try {
      for (;;) {
        await operations[this.#random(operations.length)]?.call(this)
        this.#operations++
      }
    } catch (error) {
      if (!(error instanceof ServerKilled)) throw error
    }
  }

  /** Throws for the first fact that does not hold, among all facts or among those that the crash may have changed. */
  async verify(which: 'touched' | 'all'): Promise<void> {
    for (const subject of which === 'all' ? [...this.#facts.keys()] : [...this.#touched]) {
      await this.#facts
        .get(subject)?.()
        .catch((cause: unknown) => {
          throw new Error(`${this.#name}: ${subject} differs from the acknowledged response`, { cause })
        })
    }
    this.#touched.clear()
  }

  /**
   * A replaced refresh token stays valid for a grace period, so the last acknowledged one works even if the server committed a
   * later refresh without a response.
   */
  async #refresh(): Promise<void> {
    this.#touched.add('the newest refresh token')
    const { body } = await this.#callOrThrow('refreshSession', undefined, this.#refreshJwt)
    this.#accessJwt = body.accessJwt
    this.#refreshJwt = body.refreshJwt
  }

  async #makeAppPassword(): Promise<void> {
    if (this.#appPasswords.length >= 50) return
    const name = `app password ${++this.#count}`
    const made = (await this.#callOrThrow('createAppPassword', { name }, this.#accessJwt)).body
    this.#setFact(name, () => this.#signsIn(made.password, true))
    const opened = (await this.#callOrThrow('createSession', this.#credentials(made.password))).body
    this.#appPasswords.push({ name, password: made.password, accessJwt: opened.accessJwt })
    this.#setFact(name, async () => {
      await this.#signsIn(made.password, true)
      await this.#isOpen(opened.accessJwt, true)
    })
  }

  /** Revoking the password ends its sessions. */
  async #revokeAppPassword(): Promise<void> {
    const [revoked] = this.#appPasswords.splice(this.#random(this.#appPasswords.length), 1)
    if (revoked === undefined) return
    const { name, password, accessJwt } = revoked
    this.#setFact(name, async () => {
      const { status } = await this.#call('createSession', this.#credentials(password))
      await this.#isOpen(accessJwt, status === 200)
    })
    await this.#callOrThrow('revokeAppPassword', { name }, this.#accessJwt)
    this.#setFact(name, async () => {
      await this.#signsIn(password, false)
      await this.#isOpen(accessJwt, false)
    })
  }

  async #signInAndOut(): Promise<void> {
    const { accessJwt, refreshJwt } = (await this.#callOrThrow('createSession', this.#credentials(password)))
      .body
    const subject = `session ${++this.#count}`
    this.#setFact(subject, () => this.#isOpen(accessJwt, true))
    if (this.#random(2) === 0) return
    this.#setFact(subject, async () => {
      const { status } = await this.#call('refreshSession', undefined, refreshJwt)
      await this.#isOpen(accessJwt, status === 200)
    })
    await this.#callOrThrow('deleteSession', undefined, accessJwt)
    this.#setFact(subject, () => this.#isOpen(accessJwt, false))
  }

  /** Signs up with an invite code: account, first session and use of the code are one transaction. */
  async #invite(): Promise<void> {
    const name = `${this.#name}-${++this.#count}`
    const { code } = (await this.#callOrThrow('createInviteCode', { useCount: 1 }, adminAuth)).body
    const invitee = { handle: `${name}.test`, password }
    const signsUpWith = (handle: string) =>
      this.#call('createAccount', { handle, password, inviteCode: code })
    this.#setFact(`invitee ${name}`, async () => {
      const signedIn = await this.#call('createSession', { identifier: invitee.handle, password })
      if (signedIn.status === 200) await this.#isWhole(signedIn.body.accessJwt, 2)
      // Without an account the code is unused, and nothing else keeps the handle.
      else expect((await signsUpWith(invitee.handle)).status).toBe(200)
      expect((await signsUpWith(`x${invitee.handle}`)).status).toBe(400)
      this.#facts.delete(`invitee ${name}`)
    })
    const { accessJwt, did } = (await this.#callOrThrow('createAccount', { ...invitee, inviteCode: code }))
      .body
    this.#setFact(`invitee ${name}`, async () => {
      expect((await this.#call('getSession', undefined, accessJwt)).body.did).toBe(did)
      expect((await signsUpWith(`x${invitee.handle}`)).status).toBe(400)
    })
  }

  /** Uploads a file and names it in the client's record, in the place of the file before, which is deleted then. */
  async #replaceFile(): Promise<void> {
    const content = `file ${++this.#count} of ${this.#name} `.repeat(1 + this.#random(2000))
    const uploaded = await this.#send('com.core.repo.uploadBlob', 'text/plain', content)
    const { blob } = uploaded.body as { blob: BlobRef }
    this.#contents.set(blob.ref.$link, content)
    const before = this.#file
    this.#setFact('the file', () => this.#hasFile(before, blob))
    const record = { repo: this.#did, collection: 'org.example.file', rkey: 'one', record: { file: blob } }
    await this.#write('putRecord', record)
    this.#file = blob
    this.#setFact('the file', () => this.#hasFile(blob))
  }

  async #addNote(): Promise<void> {
    const rkey = `note-${++this.#count}`
    const text = 'note '.repeat(this.#random(400))
    this.#setFact(rkey, async () => expect([undefined, text]).toContain(await this.#note(rkey)))
    await this.#write('createRecord', { ...this.#noteKey(rkey), record: { text: `${text}.` } })
    this.#notes.push(rkey)
    this.#setFact(rkey, async () => expect(await this.#note(rkey)).toBe(text))
  }

  async #deleteNote(): Promise<void> {
    const [rkey] = this.#notes.splice(this.#random(this.#notes.length), 1)
    if (rkey === undefined) return
    this.#facts.delete(rkey)
    await this.#write('deleteRecord', this.#noteKey(rkey))
    this.#setFact(rkey, async () => expect(await this.#note(rkey)).toBe(undefined))
  }

  /** Returns the text of a note; undefined if it does not exist. */
  async #note(rkey: string): Promise<string | undefined> {
    const query = `repo=${this.#did}&collection=org.example.note&rkey=${rkey}`
    const found = await fetch(`${this.url}/xrpc/com.core.repo.getRecord?${query}`)
    const { value } = (await found.json()) as { value?: { text: string } }
    return value?.text.slice(0, -1)
  }

  #noteKey(rkey: string) {
    return { repo: this.#did, collection: 'org.example.note', rkey }
  }

  async #write(method: string, input: unknown): Promise<void> {
    const { body } = await this.#send(`com.core.repo.${method}`, 'application/json', JSON.stringify(input))
    if (body?.commit) this.commits.push(body.commit.cid)
  }

  /** Whether the record names one of the files, whose content is there. */
  async #hasFile(...files: readonly (BlobRef | undefined)[]): Promise<void> {
    const query = `repo=${this.#did}&collection=org.example.file&rkey=one`
    const found = await fetch(`${this.url}/xrpc/com.core.repo.getRecord?${query}`)
    const { value } = (await found.json()) as { value?: { file: BlobRef } }
    expect(files.map((file) => file?.ref.$link)).toContain(value?.file.ref.$link)
    if (!value) return
    const cid = value.file.ref.$link
    const answer = await fetch(`${this.url}/xrpc/com.core.sync.getBlob?did=${this.#did}&cid=${cid}`)
    expect(await answer.text()).toBe(this.#contents.get(cid))
    this.#file = value.file
  }

  async #send(nsid: string, contentType: string, body: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.#accessJwt}`, 'content-type': contentType }
    const answer = await exchange(`${this.url}/xrpc/${nsid}`, { method: 'POST', headers, body })
    if (answer.status === 200) return answer
    throw new Error(`${this.#name}: ${nsid} answered ${answer.status} ${JSON.stringify(answer.body)}`)
  }

  #setFact(subject: string, fact: Fact): void {
    this.#facts.set(subject, fact)
    this.#touched.add(subject)
  }

  #credentials(secret: string) {
    return { identifier: `${this.#name}.test`, password: secret }
  }

  async #signsIn(secret: string, expected: boolean): Promise<void> {
    expect((await this.#call('createSession', this.#credentials(secret))).status).toBe(expected ? 200 : 401)
  }

  async #isOpen(accessJwt: string, expected: boolean): Promise<void> {
    expect((await this.#call('getSession', undefined, accessJwt)).status).toBe(expected ? 200 : 400)
  }

  async #isWhole(accessJwt: string, sessions: number): Promise<void> {
    expect((await this.#call('listSessions', undefined, accessJwt)).body.sessions.length).toBe(sessions)
  }

  async #callOrThrow(method: string, input?: unknown, token?: string): Promise<Answer> {
    const answer = await this.#call(method, input, token)
    if (answer.status === 200) return answer
    throw new Error(`${this.#name}: ${method} answered ${answer.status} ${JSON.stringify(answer.body)}`)
  }

  async #call(method: string, input?: unknown, token?: string): Promise<Answer> {
    const headers: Record<string, string> = {}
    if (token !== undefined) headers.authorization = token.includes(' ') ? token : `Bearer ${token}`
    if (input !== undefined) headers['content-type'] = 'application/json'
    const request = {
      method: /^(get|list)/.test(method) ? 'GET' : 'POST',
      headers,
      body: input === undefined ? null : JSON.stringify(input),
    }
    return exchange(`${this.url}/xrpc/com.core.server.${method}`, request)
  }
}
