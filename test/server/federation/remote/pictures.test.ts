/** Pictures of people on other servers, served from a cache. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import * as upstreams from '../../../../server/federation/tables/upstreams.ts'
import { hiddenFrame } from '../../../fuzz/bytes/bombs.ts'
import { blue, noise, picture } from '../../../support/records/pictures.ts'
import { RemoteAuthor } from '../../../support/remote/remote-author.ts'
import { type RemoteAccount, RemoteServer } from '../../../support/remote/remote-server.ts'
import { minute } from '../../../support/server/clock.ts'
import type { Account } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { SocialServer } from '../../../support/server/social.ts'

let host: RemoteServer
let alice: Account
let bob: RemoteAccount
let size = 0

beforeAll(async () => {
  host = await RemoteServer.start()
})
afterAll(() => host.close())
setupServer()
beforeAll(async () => {
  await addUpstream(host.url)
  alice = await server.account('alice')
  bob = await host.account('bob')
  await SocialServer.on(server).follow(alice, bob)
})
afterEach(() => host.replacements.clear())

/** As an administrator does, but without a connection to its stream. */
async function addUpstream(url: string): Promise<void> {
  await server.running.services.store.transact((tx) => upstreams.add(tx, { url, isConfigured: false }, 0))
}

const newPicture = () => picture(++size, 1, () => blue)

/** Gives someone on the other server a profile with a picture. Returns its CID. */
async function avatar(account: RemoteAccount, bytes: Uint8Array, mimeType = 'image/png'): Promise<string> {
  const image = host.upload(account, bytes, mimeType)
  const author = new RemoteAuthor(server, account.did as `did:plc:${string}`)
  await author.write('app.bsky.actor.profile', { avatar: image }, { rkey: 'self' })
  return image.ref.toString()
}

const get = (did: string, cid: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/xrpc/com.atproto.sync.getBlob?did=${did}&cid=${cid}`, { headers })

const calls = () => host.calls.filter((call) => call === 'sync.getBlob').length

describe('a picture of someone on another server', () => {
  test('is served as a thumbnail where a view shows it small', async () => {
    const cid = await avatar(bob, noise(300, 300))
    const { body } = await server.get('app.bsky.graph.getFollows', { actor: alice.did })
    expect(body.follows[0].avatar).toContain(`cid=${cid}&preset=avatar_thumbnail`)
    const small = await fetch(body.follows[0].avatar)
    expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect((await get(bob.did, cid)).headers.get('content-type')).toBe('image/png')
  })

  test('whose size is hidden from its header is sent as it is', async () => {
    const bytes = hiddenFrame(0x01)
    const cid = await avatar(bob, bytes, 'image/jpeg')
    const { body } = await server.get('app.bsky.graph.getFollows', { actor: alice.did })
    const answer = await fetch(body.follows[0].avatar)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    const notes = await readdir(join(server.config.dataDir, 'thumbnails'))
    expect(notes).toContain(`${cid}.avatar_thumbnail.webp.failed-1`)
  })

  test('is fetched once, and served as pictures of accounts here are', async () => {
    const bytes = newPicture()
    const cid = await avatar(bob, bytes)
    const { body } = await server.get('app.bsky.graph.getFollows', { actor: alice.did })
    expect(body.follows).toMatchObject([
      { avatar: expect.stringContaining(`did=${encodeURIComponent(bob.did)}&cid=${cid}`) },
    ])
    const before = calls()
    const answers = await Promise.all([get(bob.did, cid), get(bob.did, cid), get(bob.did, cid)])
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'image/png',
        'content-length': `${bytes.length}`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=31536000, immutable',
        etag: `"${cid}"`,
      })
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
    }
    expect((await get(bob.did, cid, { 'if-none-match': `"${cid}"` })).status).toBe(304)
    expect(calls() - before).toBe(1)
    await server.restart()
    expect((await get(bob.did, cid)).status).toBe(200)
    expect(calls() - before).toBe(1)
  })

  test('is not served, nor asked for, unless a stored record of them names it', async () => {
    const carol = await host.account('carol')
    const { ref } = host.upload(bob, newPicture())
    const mine = await avatar(bob, newPicture())
    const before = calls()
    for (const [did, cid] of [
      [bob.did, ref.toString()],
      [bob.did, 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'],
    ] as const) {
      expect((await get(did, cid)).status).toBe(400)
    }
    expect((await get(carol.did, mine)).status).toBe(400)
    await server.running.services.federation.intake.setStatus(bob.did, 'takendown')
    expect((await get(bob.did, mine)).status).toBe(400)
    await server.running.services.federation.intake.setStatus(bob.did, undefined)
    expect(calls()).toBe(before)
  })

  test('that is no picture, too large or another one is refused, and not asked for again for ten minutes', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')
    const cases: readonly (readonly [string, Buffer, Buffer?])[] = [
      ['svg', svg],
      ['other', newPicture(), newPicture()],
      ['large', newPicture(), Buffer.alloc(5_000_001)],
    ]
    for (const [name, bytes, sent] of cases) {
      const account = await host.account(name)
      await SocialServer.on(server).follow(alice, account)
      const cid = await avatar(account, bytes)
      if (sent) host.replacements.set('sync.getBlob', (res) => res.writeHead(200).end(sent))
      const before = calls()
      for (let time = 0; time < 2; time++) {
        const answer = await get(account.did, cid)
        expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'BlobNotFound' }])
      }
      expect(calls() - before).toBe(1)
      host.replacements.clear()
      server.clock.advance(11 * minute)
      expect((await get(account.did, cid)).status).toBe(name === 'svg' ? 400 : 200)
    }
    const names = await readdir(join(server.config.dataDir, 'cache'))
    expect(names.filter((file) => file.endsWith('.tmp'))).toEqual([])
  })

  test('is not fetched while every source is off', async () => {
    const cid = await avatar(bob, newPicture())
    const { store } = server.running.services
    await store.transact((tx) => upstreams.remove(tx, host.url))
    const before = calls()
    expect((await get(bob.did, cid)).status).toBe(400)
    expect(calls()).toBe(before)
  })
})
