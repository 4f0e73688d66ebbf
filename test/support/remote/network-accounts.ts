/** Accounts that use the network's own client library, which rejects responses that violate the network's lexicons. */
import { AtpAgent } from '@atproto/api'
import type { TestServer } from '../server/server.ts'
import type { Ref } from '../server/social.ts'

export type NetworkAccount = AtpAgent & { readonly did: string; readonly handle: string }

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

type Accounts<Names extends readonly string[]> = { [Name in keyof Names]: NetworkAccount }

export class NetworkServer {
  readonly server: TestServer
  #accounts = 0

  constructor(server: TestServer) {
    this.server = server
  }

  /** A client that is not signed in. */
  get anonymous(): AtpAgent {
    return new AtpAgent({ service: this.server.url })
  }

  /** Creates accounts, and numbers their handles. */
  async join<const Names extends readonly string[]>(...names: Names): Promise<Accounts<Names>> {
    return (await Promise.all(names.map((name) => this.#join(name)))) as Accounts<Names>
  }

  get now(): string {
    return this.server.clock.now().toISOString()
  }

  /** Advances the clock by a second, so that feeds have one order. @returns the time */
  tick(): string {
    this.server.clock.advance(1000)
    return this.now
  }

  async #join(name: string): Promise<NetworkAccount> {
    const agent = this.anonymous
    const handle = `${name}${++this.#accounts}.test`
    await agent.createAccount({ handle, password: `${name}-password`, email: `${handle}@mail.test` })
    return Object.assign(agent, { handle }) as unknown as NetworkAccount
  }

  /** Posts; each post is a second later than the one before. */
  async post(author: AtpAgent, text: string, more: object = {}): Promise<Ref> {
    const { uri, cid } = await author.post({ text, createdAt: this.tick(), ...more })
    return { uri, cid }
  }

  /** Reposts a second later than the post before. */
  repost(author: AtpAgent, subject: Ref): Promise<Ref> {
    return this.write(author, 'app.bsky.feed.repost', { subject, createdAt: this.tick() })
  }

  reply(author: AtpAgent, text: string, parent: Ref, root = parent, more: object = {}): Promise<Ref> {
    return this.post(author, text, { reply: { parent, root }, ...more })
  }

  quote(author: AtpAgent, text: string, record: Ref): Promise<Ref> {
    return this.post(author, text, { embed: { $type: 'app.bsky.embed.record', record } })
  }

  /** Writes a record, which is not validated. */
  async write(author: AtpAgent, collection: string, record: object, rkey?: string): Promise<Ref> {
    const input = { repo: author.assertDid, collection, ...(rkey && { rkey }), validate: false }
    const { data } = await author.com.atproto.repo.createRecord({ ...input, record: { ...record } })
    return { uri: data.uri, cid: data.cid }
  }

  /** Uploads an image. Its content differs with each call. */
  async image(author: AtpAgent): Promise<object> {
    const bytes = Uint8Array.from([...pngSignature, ++this.#accounts])
    return (await author.uploadBlob(bytes, { encoding: 'image/png' })).data.blob
  }

  /** Uploads a video, of which only the beginning is one. */
  async video(author: AtpAgent): Promise<object> {
    const bytes = Buffer.from(`\0\0\0\x18ftypmp42\0\0\0\0mp42isom${++this.#accounts}`)
    return (await author.uploadBlob(bytes, { encoding: 'video/mp4' })).data.blob
  }

  /** Writes a record that blocks an account. */
  block(author: AtpAgent, subject: { readonly did: string }): Promise<Ref> {
    return this.write(author, 'app.bsky.graph.block', { subject: subject.did, createdAt: this.now })
  }

  /** Creates a list with members. */
  async list(author: AtpAgent, ...members: readonly { readonly did: string }[]): Promise<Ref> {
    const record = { name: 'Friends', purpose: 'app.bsky.graph.defs#curatelist', createdAt: this.now }
    const list = await this.write(author, 'app.bsky.graph.list', record)
    for (const { did } of members) {
      const item = { list: list.uri, subject: did, createdAt: this.now }
      await this.write(author, 'app.bsky.graph.listitem', item)
    }
    return list
  }

  /** Writes a gate for a post of its author. */
  gate(author: AtpAgent, kind: 'threadgate' | 'postgate', post: Ref, more: object): Promise<Ref> {
    const record = { post: post.uri, createdAt: this.now, ...more }
    return this.write(author, `app.bsky.feed.${kind}`, record, post.uri.split('/').at(-1))
  }
}

/** The texts of posts, as views show them. */
export function texts(posts: readonly { record: object }[]): string[] {
  return posts.map(({ record }) => (record as { text: string }).text)
}
