/** What accounts of a server see of other servers. */
import * as upstreams from '../../../server/federation/tables/upstreams.ts'
import type { Account, TestServer } from '../server/server.ts'

/** Adds an upstream whose stream is not read. */
export async function addUpstream(server: TestServer, url: string): Promise<void> {
  await server.running.services.store.transact((tx) => upstreams.add(tx, { url, isConfigured: false }, 0))
}

export interface SeenNotification {
  readonly reason: string
  readonly uri: string
  readonly author: { readonly did: string; readonly handle: string }
}

export async function notificationsOf(server: TestServer, account: Account): Promise<SeenNotification[]> {
  const { body } = await server.get('app.bsky.notification.listNotifications', {}, account)
  return body.notifications
}

/** Number of likes that a post has, as its view says. */
export async function likesOf(server: TestServer, uri: string): Promise<number> {
  const { body } = await server.get('app.bsky.feed.getPosts', { uris: [uri] })
  return body.posts[0].likeCount
}
