/** Authors of other servers: their changes as a source yields them, already verified. */
import { createHash, randomBytes } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import { cidForCbor, type LexMap } from '@atproto/lex-data'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import type { RemoteChange } from '../../../server/federation/remote/change.ts'
import type { Applied, ApplyOptions } from '../../../server/federation/remote/intake.ts'
import { createTidClock } from '../../../server/repository/format/tid.ts'
import type { TestServer } from '../server/server.ts'
import type { Ref } from '../server/social.ts'

export const source = 'https://upstream.test'

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** A did:plc that no server has. */
export function someDid(seed: string | Buffer = randomBytes(24)): DidString {
  const hash = createHash('sha256').update(seed).digest()
  return `did:plc:${Array.from(hash.subarray(0, 24), (byte) => base32[byte & 31]).join('')}`
}

export class RemoteAuthor {
  readonly did: DidString
  readonly #server: Pick<TestServer, 'running' | 'clock'>
  readonly nextTid: () => string

  constructor(server: Pick<TestServer, 'running' | 'clock'>, did = someDid()) {
    this.#server = server
    this.did = did
    this.nextTid = createTidClock(server.clock.now)
  }

  apply(changes: readonly RemoteChange[], options?: ApplyOptions): Promise<Applied> {
    return this.#server.running.services.federation.intake.apply(source, changes, options)
  }

  /** @param more replaces the key and the revision */
  async change(
    collection: string,
    record: object | undefined,
    more: { readonly rkey?: string; readonly rev?: string } = {},
  ): Promise<RemoteChange> {
    const rkey = (more.rkey ?? this.nextTid()) as RecordKeyString
    const rev = more.rev ?? this.nextTid()
    const createdAt = this.#server.clock.now().toISOString()
    const bytes = record && encode({ $type: collection, createdAt, ...record } as LexMap)
    const content = bytes && { cid: (await cidForCbor(bytes)).toString(), bytes }
    return { did: this.did, collection: collection as NsidString, rkey, rev, content }
  }

  /** Writes a record as the author's server would, and returns it with what came of it. */
  async write(
    collection: string,
    record: object,
    more: { readonly rkey?: string; readonly rev?: string } & ApplyOptions = {},
  ): Promise<Ref & { readonly rkey: string; readonly applied: Applied }> {
    const change = await this.change(collection, record, more)
    const applied = await this.apply([change], more)
    const { did, rkey, content } = change
    return { uri: `at://${did}/${collection}/${rkey}`, cid: content?.cid ?? '', rkey, applied }
  }

  async remove({ uri }: { readonly uri: string }, more: { readonly rev?: string } = {}): Promise<Applied> {
    const [, , , collection = '', rkey = ''] = uri.split('/')
    return this.apply([await this.change(collection, undefined, { ...more, rkey })])
  }

  like(subject: Ref, more: object = {}) {
    return this.write('app.bsky.feed.like', { subject: { uri: subject.uri, cid: subject.cid } }, more)
  }

  post(text: string, record: object = {}, more: object = {}) {
    return this.write('app.bsky.feed.post', { text, ...record }, more)
  }

  follow(subject: { readonly did: string }) {
    return this.write('app.bsky.graph.follow', { subject: subject.did })
  }
}

export const counts = (applied: Partial<Applied>): Applied => ({
  ...{ stored: 0, deleted: 0, skipped: 0, overBudget: 0 },
  ...applied,
})

export const stored = counts({ stored: 1 })

export const refOf = ({ uri, cid }: Ref): Ref => ({ uri, cid })

/** The member of a post that replies to another. */
export const reply = (to: Ref) => ({ reply: { root: refOf(to), parent: refOf(to) } })

/** The member of a post that mentions an account. */
export const mention = ({ did }: { readonly did: string }) => ({
  facets: [
    { index: { byteStart: 0, byteEnd: 5 }, features: [{ $type: 'app.bsky.richtext.facet#mention', did }] },
  ],
})
