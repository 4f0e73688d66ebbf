/** Accounts that use the network's own client library, which rejects responses that violate the network's lexicons. */
import { AtpAgent } from '@atproto/api'
import { TestServer } from './server.ts'
import type { Ref } from './social.ts'

export type NetworkAccount = AtpAgent & { readonly did: string; readonly handle: string }

export class NetworkServer {
  readonly server: TestServer
  #accounts = 0

  private constructor(server: TestServer) {
    this.server = server
  }

  static async start(): Promise<NetworkServer> {
    // The client continues at the service endpoint of the DID document, which must be the real address.
    return new NetworkServer(await TestServer.start({ publicUrl: undefined }))
  }

  close(): Promise<void> {
    return this.server.close()
  }

  /** A client that is not signed in. */
  get anonymous(): AtpAgent {
    return new AtpAgent({ service: this.server.url })
  }

  /** Creates accounts, and numbers their handles. */
  join(...names: readonly string[]): Promise<NetworkAccount[]> {
    return Promise.all(names.map((name) => this.#join(name)))
  }

  async #join(name: string): Promise<NetworkAccount> {
    const agent = this.anonymous
    const handle = `${name}${++this.#accounts}.test`
    await agent.createAccount({ handle, password: `${name}-password`, email: `${handle}@mail.test` })
    return Object.assign(agent, { handle }) as unknown as NetworkAccount
  }

  /** Posts; each post is a second later than the one before. */
  post(author: AtpAgent, text: string, more: object = {}): Promise<Ref> {
    this.server.clock.advance(1000)
    return author.post({ text, createdAt: this.server.clock.now().toISOString(), ...more })
  }

  reply(author: AtpAgent, text: string, parent: Ref, root = parent, more: object = {}): Promise<Ref> {
    return this.post(author, text, { reply: { parent, root }, ...more })
  }

  quote(author: AtpAgent, text: string, record: Ref): Promise<Ref> {
    return this.post(author, text, { embed: { $type: 'app.bsky.embed.record', record } })
  }

  /** Writes a record that need not be valid. */
  async write(author: AtpAgent, collection: string, record: object, rkey?: string): Promise<Ref> {
    const input = { repo: author.assertDid, collection, record: record as Record<string, unknown>, rkey }
    const { data } = await author.com.atproto.repo.putRecord({
      ...input,
      rkey: rkey ?? `${Date.now()}${++this.#accounts}`,
      validate: false,
    })
    return data
  }

  /** Writes a gate for a post of its author. */
  gate(author: AtpAgent, kind: 'threadgate' | 'postgate', post: Ref, more: object): Promise<Ref> {
    const record = { post: post.uri, createdAt: this.server.clock.now().toISOString(), ...more }
    return this.write(author, `app.bsky.feed.${kind}`, record, post.uri.split('/').at(-1))
  }
}

/** The texts of posts, as views show them. */
export function texts(posts: readonly { record: object }[]): string[] {
  return posts.map(({ record }) => (record as { text: string }).text)
}
