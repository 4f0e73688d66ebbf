/** Search for accounts, and suggestions. */
import { describe, expect, test } from 'vitest'
import type { NetworkAccount } from '../../../support/remote/network-accounts.ts'
import { network, setupNetwork } from '../../../support/server/setup.ts'

setupNetwork()

const found = async (by: NetworkAccount, q: string) =>
  (await by.searchActors({ q })).data.actors.map(({ did }) => did)
const typed = async (by: NetworkAccount, q: string) =>
  (await by.searchActorsTypeahead({ q })).data.actors.map(({ did }) => did)

function rename(account: NetworkAccount, displayName: unknown, validate = true) {
  return account.com.atproto.repo.putRecord({
    ...{ repo: account.did, collection: 'app.bsky.actor.profile', rkey: 'self', validate },
    record: { $type: 'app.bsky.actor.profile', displayName },
  })
}

describe('search', () => {
  test('finds the starts of handles, and of all words of display names', async () => {
    const [zora, odile] = await network.join('zora', 'odile')
    await rename(odile, 'Élise Jean-Luc Müller')
    for (const search of [found, typed]) {
      expect(await search(zora, 'odi')).toEqual([odile.did])
      expect(await search(zora, `@${odile.handle.toUpperCase()}`)).toEqual([odile.did])
      for (const q of ['elise', 'ÉLI', 'mull', 'müll eli', 'jean-luc', ' luc  ', 'odile mül']) {
        expect(await search(zora, q), q).toEqual([odile.did])
      }
      for (const q of ['', '  ', '@', 'lise', 'elise martin', '%', '_dile', '"', '\u{10ffff}']) {
        expect(await search(zora, q), q).toEqual([])
      }
    }
  })

  test('follows changes and deletions of the display name', async () => {
    const [zora, petra] = await network.join('zora', 'petra')
    await rename(petra, 'Winter')
    expect(await found(zora, 'winter')).toEqual([petra.did])
    await rename(petra, 'Summer')
    expect(await found(zora, 'winter')).toEqual([])
    expect(await found(zora, 'summer')).toEqual([petra.did])
    await rename(petra, ['Summer'], false)
    expect(await found(zora, 'summer')).toEqual([])
    await rename(petra, 'Autumn')
    await petra.app.bsky.actor.profile.delete({ repo: petra.did, rkey: 'self' })
    expect(await found(zora, 'autumn')).toEqual([])
    expect(await found(zora, 'petra')).toEqual([petra.did])
  })

  test('lists followed accounts first, then those with most followers', async () => {
    const accounts = await network.join('ada', 'adam', 'adele', 'adria')
    const [ada, adam, adele, adria] = accounts
    const [viewer, other] = await network.join('viewer', 'other')
    for (const one of [viewer, other]) await one.follow(adria.did)
    await viewer.follow(adele.did)
    await other.follow(adam.did)
    expect(await found(viewer, 'ad')).toEqual([adria.did, adele.did, adam.did, ada.did])
  })

  test('leaves out accounts that block the viewer or are blocked, and marks muted ones', async () => {
    const [viewer, quinn, quentin, quill] = await network.join('viewer', 'quinn', 'quentin', 'quill')
    await network.block(viewer, quinn)
    await network.block(quentin, viewer)
    await viewer.mute(quill.did)
    const { data } = await viewer.searchActors({ q: 'qu' })
    expect(data.actors).toMatchObject([{ did: quill.did, viewer: { muted: true } }])
    expect(data.actors).toHaveLength(1)
  })

  test('is paged', async () => {
    const [viewer] = await network.join('viewer')
    const accounts = await network.join('xena', 'xena', 'xena')
    const page = (cursor?: string) => viewer.searchActors({ q: 'xena', limit: 2, ...(cursor && { cursor }) })
    const { data: first } = await page()
    const { data: second } = await page(first.cursor)
    const dids = [...first.actors, ...second.actors].map(({ did }) => did)
    expect(dids.toSorted()).toEqual(accounts.map(({ did }) => did).toSorted())
    expect(second.cursor).toBeUndefined()
    await expect(page('x')).rejects.toMatchObject({ status: 400, error: 'InvalidRequest' })
  })

  test('accepts the former name of the parameter', async () => {
    const [ulla] = await network.join('ulla')
    const { data } = await ulla.searchActorsTypeahead({ term: 'ulla' })
    expect(data.actors).toMatchObject([{ did: ulla.did }])
  })
})

describe('suggestions', () => {
  test('are the newest accounts that the viewer neither follows nor blocks nor mutes', async () => {
    const [viewer, followed, blocked, muted, other] = await network.join(
      ...(['viewer', 'followed', 'blocked', 'muted', 'other'] as const),
    )
    await viewer.follow(followed.did)
    await network.block(viewer, blocked)
    await viewer.mute(muted.did)
    const { data } = await viewer.getSuggestions({ limit: 5 })
    const dids = data.actors.map(({ did }) => did)
    expect(dids).toContain(other.did)
    for (const { did } of [viewer, followed, blocked, muted]) expect(dids).not.toContain(did)
    const { data: users } = await viewer.app.bsky.unspecced.getSuggestedUsers({ category: 'art', limit: 5 })
    expect(users.actors.map(({ did }) => did)).toEqual(dids)
    const { data: similar } = await viewer.app.bsky.graph.getSuggestedFollowsByActor({ actor: other.did })
    expect(similar.suggestions.map(({ did }) => did)).not.toContain(other.did)
  })

  test('leave out accounts that ask to be absent from recommendations, until they no longer do', async () => {
    const [viewer, shy] = await network.join('viewer', 'shy')
    const declare = (hideFromAlgorithmicRecommendations: unknown, validate = true) =>
      shy.com.atproto.repo.putRecord({
        ...{
          repo: shy.did,
          collection: 'app.bsky.actor.contentVisibilityDeclaration',
          rkey: 'self',
          validate,
        },
        record: { hideFromAlgorithmicRecommendations },
      })
    const suggested = async (by: NetworkAccount) => {
      const { data } = await by.getSuggestions({ limit: 5 })
      return data.actors.some(({ did }) => did === shy.did)
    }
    expect(await suggested(viewer)).toBe(true)
    await declare(true)
    expect(await suggested(viewer)).toBe(false)
    expect(await found(viewer, shy.handle)).toEqual([shy.did])
    const post = await network.post(shy, 'For those who follow me')
    await viewer.follow(shy.did)
    const { data: timeline } = await viewer.getTimeline()
    expect(timeline.feed.map((item) => item.post.uri)).toEqual([post.uri])
    const [dora] = await network.join('dora')
    await declare(false)
    expect(await suggested(dora)).toBe(true)
    // Clients of others may write anything: a record that is invalid counts as missing.
    await declare('yes', false)
    expect(await suggested(dora)).toBe(true)
  })
})

describe('a page of another site', () => {
  const headers = { origin: 'https://elsewhere.example' }

  test.each([
    'actor.searchActors?q=a',
    'actor.searchActorsTypeahead?q=a',
    'actor.getSuggestions',
    'graph.getFollowers?actor=HANDLE',
    'graph.getFollows?actor=HANDLE',
  ])('gets no answer from %s without a session', async (call) => {
    const [{ handle }] = await network.join('vera')
    const path = `/xrpc/app.bsky.${call.replace('HANDLE', handle)}`
    const answer = await network.server.fetch(path, { headers })
    expect(answer).toMatchObject({ status: 403, body: { error: 'Forbidden' } })
    expect((await network.server.fetch(path)).status).toBe(200)
  })

  test('searches with a session', async () => {
    const [vera] = await network.join('vera')
    const authorization = `Bearer ${vera.session?.accessJwt}`
    const path = `/xrpc/app.bsky.actor.searchActors?q=${vera.handle}`
    const answer = await network.server.fetch(path, { headers: { ...headers, authorization } })
    expect(answer.body.actors).toMatchObject([{ did: vera.did }])
  })
})
