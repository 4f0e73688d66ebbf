/** Identities of accounts of other servers: their origin, and the limits of a lying server. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { P256Keypair } from '@atproto/crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { IdentifyOptions } from '../../../../server/federation/actors/actors.ts'
import * as upstreams from '../../../../server/federation/tables/upstreams.ts'
import { didDocument, startDidHost } from '../../../support/accounts/did-host.ts'
import { createPlcIdentity, nextOperation, PlcDirectory } from '../../../support/accounts/plc.ts'
import { NameServer } from '../../../support/network/dns.ts'
import { addUpstream } from '../../../support/remote/remote-views.ts'
import { hour, minute } from '../../../support/server/clock.ts'
import { type Account, TestServer } from '../../../support/server/server.ts'
import { SocialServer } from '../../../support/server/social.ts'

let here: TestServer
let there: TestServer
let bob: Account
beforeAll(async () => {
  here = await TestServer.start()
  there = await TestServer.start()
  bob = await there.account('bob')
  await addUpstream(here, there.url)
})
afterAll(async () => {
  await here.close()
  await there.close()
})

const actors = () => here.running.services.federation.actors

/** A server with scripted answers by path; everything else is 404. */
async function peer(answers: Record<string, unknown>) {
  const requests: string[] = []
  const server = createServer((req, res) => {
    const path = decodeURIComponent(req.url ?? '')
    requests.push(path)
    const answer = answers[path]
    res.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    res.end(answer === undefined ? '{"error":"NotFound"}' : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await here.running.services.store.transact((tx) => upstreams.remove(tx, url))
  })
  return { url, requests, answers }
}

test('an identity that no directory has is proven by the log of its server', async () => {
  const { body } = await there.fetch(`/${bob.did}`)
  const key = `did:key:${body.verificationMethod[0].publicKeyMultibase}`
  expect(await actors().identify(bob.did, { via: there.url })).toEqual({
    did: bob.did,
    signingKey: key,
    // Its document names https://pds.test.
    host: there.url,
    handle: 'bob.test',
    isSelfProven: true,
  })
})

test('look-ups of one DID share one request, and the result is kept for a day', async () => {
  const identity = await createPlcIdentity('carol.test')
  const carol = await peer({ [`/${identity.did}/log`]: [identity.genesis] })
  const identify = (maxAgeMs?: number) =>
    actors().identify(identity.did, { via: carol.url, ...(maxAgeMs && { maxAgeMs }) })
  await addUpstream(here, carol.url)
  await Promise.all([identify(), identify(), identify()])
  here.clock.advance(23 * hour)
  expect(await identify()).toMatchObject({ host: carol.url, handle: undefined })
  const logs = () => carol.requests.filter((path) => path.endsWith('/log')).length
  expect(logs()).toBe(1)
  here.clock.advance(2 * hour)
  await identify()
  expect(logs()).toBe(2)
  // Sources can say at any time that it has changed.
  for (let i = 0; i < 20; i++) {
    await actors().forget(identity.did)
    await identify().catch(() => {})
  }
  expect(logs()).toBeLessThan(8)
})

test('look-ups that were counted while the clock was ahead refuse none when it is right', async () => {
  const identity = await createPlcIdentity('nora.test')
  const server = await peer({ [`/${identity.did}/log`]: [identity.genesis] })
  await addUpstream(here, server.url)
  const identify = () => actors().identify(identity.did, { via: server.url, maxAgeMs: 0 })
  here.clock.advance(365 * 24 * hour)
  for (let i = 0; i < 5; i++) await identify()
  here.clock.advance(-365 * 24 * hour)
  here.clock.advance(2 * minute)
  expect(await identify()).toMatchObject({ host: server.url })
})

test('an identity that was marked as changed before its only server deleted it is still known as the last one', async () => {
  const identity = await createPlcIdentity('dora.test')
  const server = await peer({ [`/${identity.did}/log`]: [identity.genesis] })
  await addUpstream(here, server.url)
  const identify = (maxAgeMs: number) => actors().identify(identity.did, { via: server.url, maxAgeMs })
  await identify(minute)
  await actors().forget(identity.did)
  delete server.answers[`/${identity.did}/log`]
  await expect(identify(minute)).rejects.toMatchObject({ name: 'UnresolvableDid', isOutage: false })
  expect(await identify(Number.POSITIVE_INFINITY)).toMatchObject({ host: server.url })
})

test('a log of another DID, a forged one, a huge one and none are refused', async () => {
  const identity = await createPlcIdentity('dave.test')
  const mallory = await createPlcIdentity('mallory.test')
  const forged = await nextOperation(mallory.rotationKey, identity.genesis, {
    verificationMethods: { atproto: mallory.key.did() },
  })
  const lies = [
    [mallory.genesis],
    [identity.genesis, forged],
    [{ ...identity.genesis, alsoKnownAs: ['x'.repeat(10_000_000)] }],
    { log: [identity.genesis] },
  ]
  const liar = await peer({})
  await addUpstream(here, liar.url)
  for (const lie of lies) {
    liar.answers[`/${identity.did}/log`] = lie
    const failed = actors().identify(identity.did, { via: liar.url, maxAgeMs: 0 })
    await expect(failed).rejects.toMatchObject({ name: 'UnresolvableDid', isOutage: false })
  }
  here.clock.advance(minute)
  // An honest server that has it too is found beside the liar.
  const honest = await peer({ [`/${identity.did}/log`]: [identity.genesis] })
  await addUpstream(here, honest.url)
  expect(await actors().identify(identity.did, { via: liar.url, maxAgeMs: 0 })).toMatchObject({
    host: honest.url,
    signingKey: identity.key.did(),
  })
})

test('the beginning of a log does not take the place of a longer one, also after a restart', async () => {
  const identity = await createPlcIdentity('erin.test')
  const key = (await createPlcIdentity('other.test')).key.did()
  const update = await nextOperation(identity.rotationKey, identity.genesis, {
    verificationMethods: { atproto: key },
  })
  const server = await peer({ [`/${identity.did}/log`]: [identity.genesis, update] })
  await addUpstream(here, server.url)
  await SocialServer.on(here).follow(await here.account('alice'), identity)
  const identify = () => actors().identify(identity.did, { via: server.url, maxAgeMs: 0 })
  expect(await identify()).toMatchObject({ signingKey: key })
  server.answers[`/${identity.did}/log`] = [identity.genesis]
  expect(await identify()).toMatchObject({ signingKey: key, host: server.url })
  await here.restart()
  expect(await identify()).toMatchObject({ signingKey: key, host: server.url })
  const next = await nextOperation(identity.rotationKey, update, { alsoKnownAs: ['at://erin2.test'] })
  server.answers[`/${identity.did}/log`] = [identity.genesis, update, next]
  server.answers['/xrpc/com.atproto.identity.resolveHandle?handle=erin2.test'] = { did: identity.did }
  expect(await identify()).toMatchObject({ handle: 'erin2.test' })
})

test('a server that is no upstream is not asked at a private address', async () => {
  const identity = await createPlcIdentity('ivan.test')
  const unlisted = await peer({ [`/${identity.did}/log`]: [identity.genesis] })
  await expect(actors().identify(identity.did, { via: unlisted.url })).rejects.toThrow('operations')
  expect(unlisted.requests).toEqual([])
})

describe('with a directory', () => {
  let server: TestServer
  let directory: PlcDirectory
  let names: NameServer
  beforeAll(async () => {
    directory = await PlcDirectory.start()
    names = await NameServer.start()
    const settings = { plcUrl: directory.url, nameServers: [names.address], allowPrivateTargets: true }
    server = await TestServer.start(settings)
  })
  afterAll(async () => {
    await server.close()
    await Promise.all([directory.close(), names.close()])
  })

  const identify = (did: string, options?: IdentifyOptions) =>
    server.running.services.federation.actors.identify(did, options)

  test('an identity that cannot be looked up now remains, unless the caller needs the latest', async () => {
    const identity = await createPlcIdentity('frank.test')
    await directory.submit(identity.did, identity.genesis)
    expect(await identify(identity.did)).toMatchObject({ host: 'https://old.example' })
    directory.mode = 'down'
    await server.running.services.federation.actors.forget(identity.did)
    expect(await identify(identity.did)).toMatchObject({ signingKey: identity.key.did() })
    await expect(identify(identity.did, { maxAgeMs: 0 })).rejects.toMatchObject({ isOutage: true })
    directory.mode = 'up'
    const update = await nextOperation(identity.rotationKey, identity.genesis, {
      verificationMethods: { atproto: identity.rotationKey.did() },
    })
    await directory.submit(identity.did, update)
    expect(await identify(identity.did)).toMatchObject({ signingKey: identity.rotationKey.did() })
  })

  test('a peer is asked only for identities that it does not have', async () => {
    const published = await createPlcIdentity('grace.test')
    const unpublished = await createPlcIdentity('heidi.test')
    await directory.submit(published.did, published.genesis)
    const source = await peer({ [`/${unpublished.did}/log`]: [unpublished.genesis] })
    await addUpstream(server, source.url)
    await identify(published.did, { via: source.url })
    expect(source.requests.filter((path) => path.endsWith('/log'))).toEqual([])
    expect(await identify(unpublished.did, { via: source.url })).toMatchObject({ host: source.url })
  })

  test('an identity that names this server without an account here is found once it names another one', async () => {
    const { origin } = server.running.services
    const identity = await createPlcIdentity('nina.test', { origin })
    await directory.submit(identity.did, identity.genesis)
    await expect(identify(identity.did)).rejects.toMatchObject({ isOutage: true })
    const services = { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://new.example' } }
    const move = await nextOperation(identity.rotationKey, identity.genesis, { services })
    await directory.submit(identity.did, move)
    await server.running.services.federation.actors.forget(identity.did)
    expect(await identify(identity.did)).toMatchObject({ host: 'https://new.example' })
    // Servers without a public address may name the same one: then the server that has the log is the host.
    const olga = await createPlcIdentity('olga.test', { origin })
    const source = await peer({ [`/${olga.did}/log`]: [olga.genesis] })
    await addUpstream(server, source.url)
    expect(await identify(olga.did, { via: source.url })).toMatchObject({ host: source.url })
  })

  test('a handle of a domain counts if the domain names the DID', async () => {
    const handles = ['ken.example.com', 'lena.example.com', 'mia.example.com']
    const identities = await Promise.all(handles.map((handle) => createPlcIdentity(handle)))
    for (const { did, genesis } of identities) await directory.submit(did, genesis)
    const [ken, lena] = identities.map(({ did }) => did)
    names.set('ken.example.com', ken ?? '')
    names.set('lena.example.com', ken ?? '')
    const found = await Promise.all(identities.map(({ did }) => identify(did)))
    expect(found.map(({ handle }) => handle)).toEqual(['ken.example.com', undefined, undefined])
    names.set('lena.example.com', lena ?? '')
    expect(await identify(lena ?? '', { maxAgeMs: 0 })).toMatchObject({ handle: 'lena.example.com' })
  })

  test('an account that has left this server keeps its last identity while a directory still names this one', async () => {
    const host = await startDidHost()
    onTestFinished(() => host.close())
    const key = await P256Keypair.create()
    const place = (origin: string | undefined) =>
      host.documents.set(host.did, didDocument(host.did, key, 'left.example.com', origin))
    const here = server.config.publicUrl
    place(here)
    await expect(identify(host.did)).rejects.toMatchObject({ name: 'UnresolvableDid', isOutage: true })
    place('https://new.example')
    expect(await identify(host.did)).toMatchObject({ host: 'https://new.example' })
    place(here)
    await server.running.services.federation.actors.forget(host.did)
    expect(await identify(host.did)).toMatchObject({ host: 'https://new.example' })
    await expect(identify(host.did, { maxAgeMs: 0 })).rejects.toThrow('not here any more')
  })

  test('a did:web is read at its domain', async () => {
    const host = await startDidHost()
    onTestFinished(() => host.close())
    const key = await P256Keypair.create()
    names.set('web.example.com', host.did)
    host.documents.set(host.did, didDocument(host.did, key, 'web.example.com', 'https://pds.example/path'))
    expect(await identify(host.did)).toEqual({
      ...{ did: host.did, signingKey: key.did(), host: 'https://pds.example', handle: 'web.example.com' },
      isSelfProven: false,
    })
    host.documents.set(host.did, didDocument(host.did, key, 'web.example.com'))
    await expect(identify(host.did, { maxAgeMs: 0 })).rejects.toThrow('names no server')
  })
})
