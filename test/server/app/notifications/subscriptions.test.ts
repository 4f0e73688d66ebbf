import { describe, expect, test } from 'vitest'
import * as fanOuts from '../../../../server/app/tables/fan-outs.ts'
import * as actors from '../../../../server/store/tables/actors.ts'
import { alice, bob, round, server, setupAccounts, social } from '../../../support/server/setup.ts'
import { body, createdAt } from '../../../support/server/social.ts'

setupAccounts()

const list = async (params: Record<string, string> = {}) =>
  server.get('app.example.notification.listActivitySubscriptions', params, alice)

describe('activity subscriptions', () => {
  test('putActivitySubscription returns the flags, listActivitySubscriptions also handle and display name', async () => {
    await social.put(bob, 'app.example.actor.profile', 'self', { displayName: 'Bob' })
    const activitySubscription = { post: true, reply: false }
    expect(body(await social.subscribe(alice, bob, true, false))).toEqual({
      subject: bob.did,
      activitySubscription,
    })
    const { did, handle } = bob
    const viewer = { muted: false, blockedBy: false, activitySubscription }
    const actor = { did, handle, displayName: 'Bob', labels: [], createdAt: expect.any(String), viewer }
    expect(body(await list())).toEqual({ subscriptions: [{ ...actor, activitySubscription }] })
  })

  test('the list omits the display name of an account that is not active', async () => {
    await social.put(bob, 'app.example.actor.profile', 'self', { displayName: 'Bob' })
    await social.subscribe(alice, bob, true, false)
    for (const state of ['takedown', 'suspended', 'deactivated']) {
      await server.setStatus(bob.did, { [state]: true })
      const [hidden] = body(await list()).subscriptions
      expect(hidden).toMatchObject({ did: bob.did, handle: bob.handle })
      expect(hidden).not.toHaveProperty('displayName')
      await server.setStatus(bob.did, { [state]: false })
      expect(body(await list()).subscriptions).toMatchObject([{ displayName: 'Bob' }])
    }
  })

  test('a change keeps the position in the list, and both flags false unsubscribe', async () => {
    const remote = { did: 'did:web:remote.test' }
    await social.subscribe(alice, bob, true, true)
    await social.subscribe(alice, remote, true, true)
    await social.subscribe(alice, bob, false, true)
    expect(body(await list()).subscriptions).toMatchObject([
      { did: remote.did, handle: 'handle.invalid' },
      { did: bob.did, activitySubscription: { post: false, reply: true } },
    ])
    expect(body(await social.subscribe(alice, bob, false, false))).toEqual({ subject: bob.did })
    expect(body(await social.subscribe(alice, bob, false, false))).toEqual({ subject: bob.did })
    expect(body(await list()).subscriptions).toMatchObject([{ did: remote.did }])
  })

  test('the list is paged, newest first', async () => {
    const dids = Array.from({ length: 5 }, (_, i) => `did:web:subject${(i * 3) % 5}.test`)
    for (const did of dids) await social.subscribe(alice, { did }, true, true)
    const found: string[][] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = body(await list(cursor === '' ? { limit: '2' } : { limit: '2', cursor }))
      found.push(page.subscriptions.map(({ did }: { did: string }) => did))
      cursor = page.cursor
    }
    const [a, b, c, d, e] = dids.reverse()
    expect(found).toEqual([[a, b], [c, d], [e]])
  })

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['cursor', 'x'],
    ['cursor', Buffer.from('["x"]').toString('base64url')],
  ])('the list rejects %s=%s with InvalidRequest', async (name, value) => {
    expect(await list({ [name]: value })).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
  })

  test('own DID, invalid DID and missing flags are rejected without a change', async () => {
    const both = { post: true, reply: true }
    const inputs = [
      { subject: alice.did, activitySubscription: both },
      { subject: alice.did, activitySubscription: { post: false, reply: false } },
      { subject: bob.handle, activitySubscription: both },
      { subject: bob.did },
      { subject: bob.did, activitySubscription: { post: true } },
      { subject: bob.did, activitySubscription: { post: 'yes', reply: true } },
      { activitySubscription: both },
      undefined,
    ]
    for (const input of inputs) {
      expect(await social.call('putActivitySubscription', input, alice)).toMatchObject({
        status: 400,
        body: { error: 'InvalidRequest' },
      })
    }
    expect(body(await list())).toEqual({ subscriptions: [] })
  })
})

describe('fan-out to more subscribers than one batch', () => {
  const count = 2500

  /** Accounts that are subscribed to bob. */
  async function addSubscribers(): Promise<void> {
    const names = JSON.stringify(Array.from({ length: count }, (_, i) => `fan${round}x${i}`))
    const { store } = server.running.services
    await store.transact((tx) => {
      tx.run(`INSERT INTO actors (did) SELECT 'did:web:' || value || '.test' FROM json_each(?)`, [names])
      tx.run(
        `INSERT INTO accounts (id, did, handle, is_minted, created_at, signing_key, signing_key_did)
         SELECT a.id, a.did, value || '.test', 0, ?, x'00', ''
         FROM json_each(?) JOIN actors a ON a.did = 'did:web:' || value || '.test'`,
        [createdAt, names],
      )
      tx.run(
        `INSERT INTO activity_subscriptions (account, subject, post, reply, created_at)
         SELECT a.id, (SELECT id FROM actors WHERE did = ?), 1, 0, ?
         FROM json_each(?) JOIN actors a ON a.did = 'did:web:' || value || '.test'`,
        [bob.did, Date.parse(createdAt), names],
      )
    })
  }

  const notified = () =>
    server.running.services.store.get<{ rows: number; accounts: number }>(
      `SELECT count(*) AS rows, count(DISTINCT account) AS accounts
       FROM notifications WHERE author = (SELECT id FROM accounts WHERE did = ?)`,
      [bob.did],
    )

  test('notifies each subscriber once', async () => {
    await addSubscribers()
    const { background, app } = server.running.services
    let published = 0
    const stop = app.notifications.subscribe(({ after, upTo }) => {
      published += upTo - after
    })
    const mention = { $type: 'app.example.richtext.facet#mention', did: `did:web:fan${round}x7.test` }
    const facets = [{ index: { byteStart: 0, byteEnd: 1 }, features: [mention] }]
    await social.post(bob, { facets })
    await background.idle()
    stop()
    expect(notified()).toEqual({ rows: count, accounts: count })
    expect(published).toBe(count)
    await social.reply(bob, await social.post(alice))
    await background.idle()
    expect(notified()?.rows).toBe(count + 1)
  })

  test('resumes after a restart and notifies the remaining subscribers', async () => {
    await addSubscribers()
    const { uri } = await social.post(bob)
    const { store, background } = server.running.services
    await background.idle()
    const rkey = uri.split('/').at(-1) ?? ''
    const half = actors.idOf(store, `did:web:fan${round}x200.test`) ?? 0
    await store.transact((tx) => {
      tx.run('DELETE FROM notifications WHERE account > ?', [half])
      const source = { did: bob.did, collection: 'app.bsky.feed.post', rkey }
      fanOuts.put(tx, { ...source, isReply: 0, lastRecipient: half })
    })
    expect(notified()?.rows).toBeLessThan(count)
    await server.restart()
    await server.running.services.background.idle()
    expect(notified()).toEqual({ rows: count, accounts: count })
  })

  test('stops when the post is deleted', async () => {
    await addSubscribers()
    const post = await social.post(bob)
    await social.remove(bob, post)
    await server.running.services.background.idle()
    expect(notified()?.rows).toBe(0)
  })
})
