/** Writes records and calls notification methods over the wire, in the name of accounts. */
import type { Config } from '../../../server/platform/config/config.ts'
import type { Account, Answer, ServerClient } from './client.ts'
import { TestServer } from './server.ts'

export interface Ref {
  readonly uri: string
  readonly cid: string
}

export const feed = 'app.example.feed'
export const graph = 'app.example.graph'

/** A valid CID, for references to records that do not exist. */
export const someCid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'

/** AT URI of a list that does not exist. */
export const someList = 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.example.graph.list/3kaaaaaaaaaa2'

export class SocialServer<Server extends ServerClient = TestServer> {
  readonly server: Server

  private constructor(server: Server) {
    this.server = server
  }

  static async start(settings: Partial<Config> = {}): Promise<SocialServer> {
    return new SocialServer(await TestServer.start(settings))
  }

  /** Uses a running server. */
  static on<Server extends ServerClient>(server: Server): SocialServer<Server> {
    return new SocialServer(server)
  }

  close(): Promise<void> {
    return this.server.close()
  }

  async write(author: Account, collection: string, record: object, more: object = {}): Promise<Ref> {
    const input = { repo: author.did, collection, record, ...more }
    return ref(body(await this.server.post('com.core.repo.createRecord', input, author)))
  }

  async put(
    author: Account,
    collection: string,
    rkey: string,
    record: object,
    more: object = {},
  ): Promise<Ref> {
    const input = { repo: author.did, collection, rkey, record, ...more }
    return ref(body(await this.server.post('com.core.repo.putRecord', input, author)))
  }

  async remove(author: Account, { uri }: Ref): Promise<void> {
    const [, , , collection, rkey] = uri.split('/')
    body(await this.server.post('com.core.repo.deleteRecord', { repo: author.did, collection, rkey }, author))
  }

  post(author: Account, more: object = {}): Promise<Ref> {
    return this.write(author, `${feed}.post`, { text: 'a post', createdAt, ...more })
  }

  reply(author: Account, parent: Ref, root = parent, more: object = {}): Promise<Ref> {
    return this.post(author, { reply: { parent, root }, ...more })
  }

  quote(author: Account, record: Ref, more: object = {}): Promise<Ref> {
    return this.post(author, { embed: { $type: 'app.example.embed.record', record }, ...more })
  }

  like(author: Account, subject: Ref, via?: Ref): Promise<Ref> {
    return this.write(author, `${feed}.like`, { subject, via, createdAt })
  }

  repost(author: Account, subject: Ref, via?: Ref): Promise<Ref> {
    return this.write(author, `${feed}.repost`, { subject, via, createdAt })
  }

  follow(author: Account, subject: { did: string }): Promise<Ref> {
    return this.write(author, `${graph}.follow`, { subject: subject.did, createdAt })
  }

  verify(author: Account, subject: Account): Promise<Ref> {
    const record = { subject: subject.did, handle: subject.handle, displayName: 'Name', createdAt }
    return this.write(author, `${graph}.verification`, record)
  }

  async subscribe(
    account: Account,
    subject: { did: string },
    post: boolean,
    reply: boolean,
  ): Promise<Answer> {
    const input = { subject: subject.did, activitySubscription: { post, reply } }
    return this.call('putActivitySubscription', input, account)
  }

  call(name: string, input: unknown, account: Account): Promise<Answer> {
    return this.server.post(`app.example.notification.${name}`, input, account)
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every type
  async list(account: Account, params: Record<string, string | string[]> = {}): Promise<any> {
    return body(await this.server.get('app.example.notification.listNotifications', params, account))
  }

  async unread(account: Account, params: Record<string, string> = {}): Promise<number> {
    return body(await this.server.get('app.example.notification.getUnreadCount', params, account)).count
  }

  /** The list in short, newest first: `like by bob`. Digits at the end of names are left out. */
  async listed(account: Account, params: Record<string, string | string[]> = {}): Promise<string[]> {
    const { notifications } = await this.list(account, params)
    return notifications.map(
      ({ author, reason }: { author: { handle: string }; reason: string }) =>
        `${reason} by ${author.handle.replace(/\d*\.test$/, '')}`,
    )
  }
}

export const createdAt = '2030-01-01T00:00:00.000Z'

/** Facets that mention accounts. */
export function mentions(...accounts: readonly { did: string }[]): object {
  const index = { byteStart: 0, byteEnd: 1 }
  const feature = (did: string) => ({ $type: 'app.example.richtext.facet#mention', did })
  return { facets: accounts.map(({ did }) => ({ index, features: [feature(did)] })) }
}

function ref({ uri, cid }: Ref): Ref {
  return { uri, cid }
}

// biome-ignore lint/suspicious/noExplicitAny: as Answer.body
export function body(answer: Answer): any {
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
