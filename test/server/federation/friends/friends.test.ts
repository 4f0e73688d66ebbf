/** Friends on the same network: servers find each other, both screens show the same digits, and only people decide. */
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  answer,
  ask,
  find,
  friend,
  LocalNetwork,
  type Neighbour,
  nearby,
  soon,
} from '../../../support/network/local-network.ts'
import { adminAuth, refusal, TestServer } from '../../../support/server/server.ts'

const minute = 60_000
let network: LocalNetwork
let alice: Neighbour
let bob: Neighbour

beforeAll(async () => {
  network = await LocalNetwork.open()
  alice = await network.join('alice')
  bob = await network.join('bob')
})
afterAll(() => network.close())
afterEach(() => {
  // Requests that were left open end.
  for (const { server } of [alice, bob]) server.clock.advance(6 * minute)
})

const pairingAt = async (at: Neighbour, id: string) =>
  (await nearby(at)).pairings.find((pairing) => pairing.id === id)

describe('two servers', () => {
  test('find each other, and each has the account of the other once both people have compared the codes', async () => {
    await find(bob, alice)
    const id = await ask(alice, bob)
    const [asking, asked] = [await pairingAt(alice, id), await pairingAt(bob, id)]
    expect(asking).toMatchObject({ state: 'compare', isAsking: true, did: bob.owner.did, handle: 'bob.test' })
    expect(asked).toMatchObject({ state: 'compare', isAsking: false, did: alice.owner.did })
    expect(asking?.code).toMatch(/^\d{6}$/)
    expect(asked?.code).toBe(asking?.code)

    expect((await answer(bob, id, true)).body.state).toBe('confirmed')
    expect((await pairingAt(alice, id))?.state).toBe('compare')
    expect((await answer(alice, id, true)).body.state).toBe('agreed')
    expect((await pairingAt(bob, id))?.state).toBe('agreed')
  })

  test('follow each other at the addresses that they found, and what one does reaches the other', async () => {
    const id = await ask(alice, bob)
    await answer(alice, id, true)
    await answer(bob, id, true)
    for (const [at, other] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      const { url, did } = (await pairingAt(at, id)) ?? { url: '', did: '' }
      expect(did).toBe(other.owner.did)
      await at.server.post('com.core.admin.addUpstream', { url }, adminAuth)
      const upstream = async () => (await at.server.get('com.core.admin.listUpstreams', {}, adminAuth)).body
      await expect.poll(upstream, soon).toMatchObject({ upstreams: [{ url, state: 'live' }] })
    }
    for (const { server, owner, did } of [
      { ...alice, did: bob.owner.did },
      { ...bob, did: alice.owner.did },
    ]) {
      const record = { subject: did, createdAt: new Date().toISOString() }
      await server.post(
        'com.core.repo.createRecord',
        { repo: owner.did, collection: 'app.example.graph.follow', record },
        owner,
      )
    }
    for (const [at, by] of [
      [alice, 'bob.test'],
      [bob, 'alice.test'],
    ] as const) {
      const reasons = async () =>
        (
          await at.server.get('app.example.notification.listNotifications', {}, at.owner)
        ).body.notifications?.map(
          (one: { reason: string; author: { handle: string } }) => `${one.reason} ${one.author.handle}`,
        )
      await expect.poll(reasons, soon).toContain(`follow ${by}`)
    }
  })

  test('lose each other when one of them ends', async () => {
    const carol = await network.join('carol')
    await find(alice, carol)
    await carol.server.running.close()
    const handles = async () => (await nearby(alice)).computers.map(({ handle }) => handle)
    await expect.poll(handles, soon).not.toContain('carol.test')
  })
})

describe('a person', () => {
  test('who declines ends it on both screens', async () => {
    const id = await ask(alice, bob)
    expect((await answer(bob, id, false)).body.state).toBe('declined')
    expect((await pairingAt(alice, id))?.state).toBe('declined')
    // A later confirmation changes nothing.
    expect((await answer(alice, id, true)).body.state).toBe('declined')
    await friend(alice, 'forgetPairing', { id }, adminAuth)
    expect(await pairingAt(alice, id)).toBeUndefined()
  })

  test('can take a request back, and ask again as often', async () => {
    for (let attempt = 0; attempt < 4; attempt++) {
      const id = await ask(alice, bob)
      await answer(alice, id, false)
      expect((await nearby(bob)).pairings).toEqual([])
    }
  })

  test('can confirm again if the other computer did not answer', async () => {
    const carol = await network.join('carol')
    const id = await ask(alice, carol)
    await carol.server.restart()
    expect(await answer(alice, id, true)).toMatchObject(refusal(400, 'PairingFailed'))
    expect(await pairingAt(alice, id)).toMatchObject({ state: 'compare' })
  })

  test('has five minutes', async () => {
    const id = await ask(alice, bob)
    alice.server.clock.advance(6 * minute)
    expect(await pairingAt(alice, id)).toBeUndefined()
    expect(await answer(alice, id, true)).toMatchObject(refusal(400, 'PairingNotFound'))
  })

  test('has no more than five minutes if the clock was ahead meanwhile', async () => {
    alice.server.clock.advance(365 * 24 * 60 * minute)
    const id = await ask(alice, bob)
    alice.server.clock.advance(-365 * 24 * 60 * minute)
    expect(await pairingAt(alice, id)).toBeUndefined()
    expect(await answer(alice, id, true)).toMatchObject(refusal(400, 'PairingNotFound'))
  })

  test('alone decides: another server cannot confirm for them', async () => {
    const id = await ask(alice, bob)
    await friend(alice, 'conclude', { id, isSame: true })
    expect(await pairingAt(alice, id)).toMatchObject({ state: 'compare' })
  })

  test('of another account cannot see or answer requests', async () => {
    const other = await bob.server.account('other')
    expect(await bob.server.get('com.core.friend.listNearby', {}, other)).toMatchObject({ status: 403 })
  })
})

/** A third computer, which names an account that is not its own. */
function impostor(card: object, nonce: string) {
  const { did, handle, name, port } = card as Record<string, string | number>
  const text = JSON.stringify(['desktop-pds friends', 'commitment', nonce, did, handle, name, String(port)])
  return { commitment: createHash('sha256').update(text).digest('base64url'), card, nonce }
}

describe('a third computer', () => {
  const id = 'a'.repeat(32)
  const cardOf = ({ owner: { did, handle }, server }: Neighbour) => ({
    ...{ did, handle, name: 'laptop', port: server.running.port },
  })

  test('in between, with the accounts of both, has another code on each screen', async () => {
    // It asks bob in the name of alice, while alice asks bob herself.
    const between = impostor(cardOf(alice), 'n'.repeat(43))
    expect((await friend(bob, 'propose', { ...between, id, nonce: undefined })).status).toBe(200)
    expect((await friend(bob, 'reveal', { id, nonce: between.nonce })).status).toBe(200)
    const real = await ask(alice, bob)
    const codes = (await nearby(bob)).pairings.map(({ code }) => code)
    expect(new Set(codes).size).toBe(2)
    expect((await pairingAt(alice, real))?.code).not.toBe((await pairingAt(bob, id))?.code)
  })

  test('cannot choose its number once it knows the other one', async () => {
    const between = impostor(cardOf(alice), 'n'.repeat(43))
    await friend(bob, 'propose', { ...between, id, nonce: undefined })
    const chosen = { id, nonce: 'm'.repeat(43) }
    expect(await friend(bob, 'reveal', chosen)).toMatchObject(refusal(400, 'WrongCommitment'))
    expect((await nearby(bob)).pairings).toEqual([])
    // There is one attempt.
    expect(await friend(bob, 'reveal', { id, nonce: between.nonce })).toMatchObject(
      refusal(400, 'PairingNotFound'),
    )
  })

  test('is shown only after it has revealed its number, and few of one address', async () => {
    const proposals = [1, 2, 3].map((n) => ({
      ...impostor(cardOf(alice), 'n'.repeat(43)),
      id: String(n).repeat(16),
      nonce: undefined,
    }))
    const answers = []
    for (const proposal of proposals) answers.push(await friend(bob, 'propose', proposal))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
    expect(answers[2]).toMatchObject(refusal(400, 'TooManyPairings'))
    expect((await nearby(bob)).pairings).toEqual([])
  })

  test('cannot end the process or take all room by packets', async () => {
    await network.send(Buffer.from('nonsense'))
    await network.send(Buffer.alloc(512, 0xff))
    const service = '_desktop-pds._tcp.local'
    const packets = Array.from({ length: 80 }, (_, n) => {
      const key = n.toString(16).padStart(16, '0')
      const instance = `${key}.${service}`
      const texts =
        n % 2 === 0 ? ['v=1', `id=${key}`, 'name=x', `handle=h${n}.test`] : ['', '=', 'id=__proto__']
      return [
        { name: service, type: 'PTR' as const, ttl: 100, data: instance },
        { name: instance, type: 'SRV' as const, ttl: 100, data: { port: 1 + n, target: 'x.local' } },
        { name: instance, type: 'TXT' as const, ttl: 100, data: texts },
      ]
    })
    for (const packet of packets) await network.announce(packet)
    // Packets may get lost.
    for (const packet of packets) await network.announce(packet)
    const count = async () => (await nearby(alice)).computers.length
    await expect.poll(count, soon).toBe(8)
  })
})

describe('nothing is found, and nothing is sent', () => {
  test.each([
    ['by default', {}],
    ['by a public server', { hosts: ['0.0.0.0'], publicUrl: 'https://pds.example.com' }],
  ])('%s', async (_, settings) => {
    const server = await TestServer.start({ publicUrl: undefined, ...settings }, undefined, {
      discoveryNetwork: { interface: '127.0.0.1', port: network.port },
    })
    try {
      const owner = await server.account('dave')
      expect(await nearby({ server, owner })).toEqual({ isOn: false, computers: [], pairings: [] })
      expect(await friend({ server, owner }, 'askComputer', { id: 'x' }, adminAuth)).toMatchObject(
        refusal(400, 'NotOnLocalNetwork'),
      )
      const handles = (await nearby(alice)).computers.map(({ handle }) => handle)
      expect(handles).not.toContain('dave.test')
    } finally {
      await server.close()
    }
  })

  test.each([
    'https://evil.example',
    'http://localhost:5173',
    'http://127.0.0.1:1',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  ])('to pages of other origins, which send one (%s)', async (origin) => {
    const response = await fetch(`${bob.server.url}/xrpc/com.core.friend.propose`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({
        id: 'b'.repeat(32),
        commitment: 'x',
        card: { did: alice.owner.did, handle: 'alice.test', name: 'x', port: 1 },
      }),
    })
    expect(response.status).toBe(400)
    expect(((await response.json()) as { error: string }).error).toBe('NotOnLocalNetwork')
  })
})
