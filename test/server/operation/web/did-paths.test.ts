/** The read paths of a did:plc directory that the server answers for its own accounts. */
import { expect, test } from 'vitest'
import { cidOf } from '../../../../server/identity/did/did-plc.ts'
import { PlcDirectory } from '../../../support/accounts/plc.ts'
import { TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

test('an identity that no directory has: document, log and state', async () => {
  await server.post('com.core.identity.updateHandle', { handle: 'alicia.test' }, alice)
  const document = await server.fetch(`/${alice.did}`)
  expect(document).toMatchObject({ status: 200, body: { id: alice.did, alsoKnownAs: ['at://alicia.test'] } })
  expect(document.headers.get('content-type')).toMatch('application/did+ld+json')
  expect(document.headers.get('access-control-allow-origin')).toBe('*')
  const { body: log } = await server.fetch(`/${encodeURIComponent(alice.did)}/log`)
  expect(log).toMatchObject([
    { prev: null, alsoKnownAs: ['at://alice.test'] },
    { alsoKnownAs: ['at://alicia.test'] },
  ])
  expect((await server.fetch(`/${alice.did}/log/last`)).body).toEqual(log[1])
  const { verificationMethods, rotationKeys, alsoKnownAs, services } = log[1]
  const state = { did: alice.did, verificationMethods, rotationKeys, alsoKnownAs, services }
  expect((await server.fetch(`/${alice.did}/data`)).body).toEqual(state)
})

test('an identity that no directory has: the audit log has each operation with its CID and time', async () => {
  const dora = await server.account('dora')
  const before = server.clock.now().toISOString()
  server.clock.advance(60_000)
  await server.post('com.core.identity.updateHandle', { handle: 'theodora.test' }, dora)
  await server.restart()
  const { status, headers, body } = await server.fetch(`/${dora.did}/log/audit`)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const [first, second] = (await server.fetch(`/${dora.did}/log`)).body
  expect(body).toEqual([
    { did: dora.did, operation: first, cid: second.prev, nullified: false, createdAt: expect.any(String) },
    { did: dora.did, operation: second, cid: cidOf(second), nullified: false, createdAt: expect.any(String) },
  ])
  const [made, changed] = body.map(({ createdAt }: { createdAt: string }) => createdAt)
  expect([made <= before, changed > before]).toEqual([true, true])
})

test('HEAD has the headers without the body; other verbs and unknown DIDs are 404', async () => {
  const head = await server.fetch(`/${alice.did}`, { method: 'HEAD' })
  expect(head).toMatchObject({ status: 200, body: undefined })
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100)
  expect(await server.fetch(`/${alice.did}`, { method: 'POST' })).toMatchObject({ status: 404 })
  const unknown = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  for (const path of [
    unknown,
    `${unknown}/log`,
    `${unknown}/log/audit`,
    `${alice.did}/log/first`,
    'did:web:pds.test',
  ]) {
    const { status, body } = await server.fetch(`/${path}`)
    expect([path, status, typeof body.message]).toEqual([path, 404, 'string'])
  }
})

test('the identity of an inactive account is found', async () => {
  const bob = await server.account('bob')
  await server.post('com.core.server.deactivateAccount', {}, bob)
  expect(await server.fetch(`/${bob.did}`)).toMatchObject({ status: 200 })
  await server.setStatus(bob.did, { takedown: true })
  expect((await server.fetch(`/${bob.did}/log`)).body).toHaveLength(1)
})

test('the log of a published identity is the one of the directory', async () => {
  const directory = await PlcDirectory.start()
  const published = await TestServer.start({ plcUrl: directory.url })
  const carol = await published.account('carol')
  await published.running.services.background.idle()
  directory.mode = 'fails'
  expect(await published.fetch(`/${carol.did}/log`)).toMatchObject({ status: 503 })
  directory.mode = 'up'
  // The failure is remembered for a minute.
  expect(await published.fetch(`/${carol.did}/log`)).toMatchObject({ status: 503 })
  published.clock.advance(60_000)
  expect((await published.fetch(`/${carol.did}/log`)).body).toEqual(directory.log(carol.did))
  expect((await published.fetch(`/${carol.did}/log/audit`)).body).toEqual([
    {
      ...{ did: carol.did, operation: directory.last(carol.did), cid: expect.any(String), nullified: false },
      createdAt: '2030-01-01T00:00:00.000Z',
    },
  ])
  expect(await published.fetch(`/${carol.did}`)).toMatchObject({ status: 200, body: { id: carol.did } })
  await published.close()
  await directory.close()
})
