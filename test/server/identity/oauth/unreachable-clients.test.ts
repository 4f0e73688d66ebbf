/** Clients whose document cannot be fetched: those with a grant go on by the last good one. */
import { exportJWK, generateKeyPair } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  assertion,
  confidentialRedirect,
  type Handler,
  json,
  names,
  setupClientSite,
  site,
} from '../../../support/accounts/client-site.ts'
import { App, type Tokens } from '../../../support/accounts/oauth-app.ts'
import { day, minute } from '../../../support/server/clock.ts'
import { owner, renewSessions, server } from '../../../support/server/setup.ts'

setupClientSite({ config: { trustedProxies: ['loopback'] }, accounts: ['alice'] })
beforeEach(renewSessions)

const cut: Handler = (_, res) => void res.destroy()
const status =
  (code: number): Handler =>
  (_, res) =>
    void res.writeHead(code).end()

const pathOf = (id: string) => new URL(id).pathname
const works = async (app: App, tokens: Tokens) =>
  (await app.call('com.atproto.server.getSession', tokens)).status === 200

/** Lets the documents that were read become too old. */
const forget = () => server.clock.advance(11 * minute)

describe('a public client with a grant', () => {
  let id: string
  let app: App
  let tokens: Tokens
  beforeEach(async () => {
    id = site.publish()
    app = await App.create('atproto', id)
    tokens = await app.signIn(owner)
    forget()
  })

  const unreachable: [string, Handler][] = [
    ['breaks off', cut],
    ['moves', (_, res) => void res.writeHead(302, { location: '/' }).end()],
    ['is refused to servers', status(403)],
    ['is asked for too often', status(429)],
    ['fails', status(500)],
  ]
  test.each(unreachable)(
    'refreshes, also after a restart, and signs out while its document %s',
    async (_, no) => {
      site.answers.set(pathOf(id), no)
      const renewed = await app.refresh(tokens.refresh_token)
      expect(renewed.status).toBe(200)
      await server.restart()
      const again = await app.refresh(renewed.body.refresh_token)
      expect(again.status).toBe(200)
      expect(await works(app, again.body)).toBe(true)
      const { status } = await app.send('/oauth/revoke', { client_id: id, token: again.body.refresh_token })
      expect(status).toBe(200)
      expect(await works(app, again.body)).toBe(false)
    },
  )

  test('waits a short time for a site that does not answer', async () => {
    site.answers.set(pathOf(id), () => {})
    expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
  })

  const refusing: [string, Handler][] = [
    ['is not there', status(404)],
    ['was removed', status(410)],
    ['is a page', (_, res) => void res.setHeader('content-type', 'text/html').end('<html>')],
    ['is no JSON', (_, res) => void res.setHeader('content-type', 'application/json').end('{')],
    ['names another client', json({ client_id: 'https://other.example/client.json' })],
  ]
  test.each(refusing)('is refused while its document %s, and keeps its grant', async (_, no) => {
    site.answers.set(pathOf(id), no)
    const refused = await app.refresh(tokens.refresh_token)
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_client_metadata'])
    site.publish({}, pathOf(id))
    forget()
    expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
  })

  test('is refused by a document that was read, and that one counts while it cannot be fetched any more', async () => {
    site.publish({ grant_types: ['authorization_code'] }, pathOf(id))
    expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    site.answers.set(pathOf(id), cut)
    await server.restart()
    const { status, body } = await app.refresh(tokens.refresh_token)
    expect([status, body.error, body.error_description]).toEqual([
      400,
      'invalid_grant',
      'The metadata of the client does not declare the grant type refresh_token',
    ])
  })

  test('asks for another grant by a document of the last day, and returns only where that one permits', async () => {
    site.answers.set(pathOf(id), cut)
    const elsewhere = await app.request({ redirect_uri: 'http://127.0.0.1/other' })
    expect(elsewhere.body.error).toBe('invalid_redirect_uri')
    expect(await works(app, await app.signIn(owner))).toBe(true)
    server.clock.advance(day)
    expect((await app.request()).body.error).toBe('invalid_client_metadata')
  })

  test('has a kept document until its last grant ends', async () => {
    const { store } = server.running.services
    const kept = () => store.all('SELECT id FROM oauth_clients WHERE id = ?', [id]).length
    const other = await app.signIn(owner)
    for (const [{ refresh_token: token }, count] of [
      [tokens, 1],
      [other, 0],
    ] as const) {
      expect(kept()).toBe(1)
      await app.send('/oauth/revoke', { client_id: id, token })
      expect(kept()).toBe(count)
    }
  })
})

describe('a client with a key of its own', () => {
  async function signIn() {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] }
    const id = site.confidential({ jwks_uri: `${site.origin}/keys.json` })
    site.answers.set('/keys.json', json(keys))
    const app = await App.create('atproto', id)
    app.authentication = () => assertion(id, privateKey)
    const use = { redirect_uri: confidentialRedirect }
    forget()
    const { body } = await app.exchange(await app.code(owner, use), use)
    forget()
    return { id, app, keys, tokens: body as Tokens }
  }

  test('refreshes by its kept key, repeats that, and signs out, while its site cannot be reached', async () => {
    const { id, app, tokens } = await signIn()
    site.answers.set(pathOf(id), cut)
    site.answers.set('/keys.json', cut)
    const first = await app.refresh(tokens.refresh_token)
    const again = await app.refresh(tokens.refresh_token)
    expect([first.status, again.body.refresh_token]).toEqual([200, first.body.refresh_token])
    const forged = await assertion(id, (await generateKeyPair('ES256')).privateKey)
    expect((await app.refresh(again.body.refresh_token, forged)).body.error).toBe('invalid_client')
    const fields = { client_id: id, token: again.body.refresh_token }
    expect((await app.send('/oauth/revoke', { ...fields, ...forged })).body.error).toBe('invalid_client')
    const { status } = await app.send('/oauth/revoke', { ...fields, ...(await app.authentication?.()) })
    expect(status).toBe(200)
    expect(await works(app, again.body)).toBe(false)
  })

  test('uses its new document with its kept keys while only the keys cannot be reached', async () => {
    const { id, app, tokens } = await signIn()
    site.answers.set('/keys.json', cut)
    const { body } = await app.refresh(tokens.refresh_token)
    expect(await works(app, body)).toBe(true)
    forget()
    site.confidential({ jwks_uri: `${site.origin}/other-keys.json` }, pathOf(id))
    site.answers.set('/other-keys.json', cut)
    expect((await app.refresh(body.refresh_token)).body.error).toBe('invalid_client_metadata')
  })

  test('is refused with a key of an older document, also if the last one was too large to be kept', async () => {
    const { id, app, keys, tokens } = await signIn()
    const large = Array.from({ length: 300 }, (_, n) => `${confidentialRedirect}/${'x'.repeat(60)}/${n}`)
    const { publicKey } = await generateKeyPair('ES256', { extractable: true })
    const others = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] }
    expect(others).not.toEqual(keys)
    site.confidential({ jwks: others, redirect_uris: [confidentialRedirect, ...large] }, pathOf(id))
    expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_client')
    forget()
    site.answers.set(pathOf(id), cut)
    expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_client_metadata')
  })

  test('is refused with a key that its site does not list any more', async () => {
    const { app, tokens } = await signIn()
    site.answers.set('/keys.json', json({ keys: [] }))
    expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_client')
  })
})

test('revoking an unknown token, or one of another client, succeeds without a look-up or a change', async () => {
  const app = await App.create()
  const tokens = await app.signIn(owner)
  const id = site.publish()
  const other = await App.create('atproto', id)
  other.nonce = app.nonce
  for (const token of ['unknown', tokens.access_token, tokens.refresh_token]) {
    expect((await other.send('/oauth/revoke', { client_id: id, token })).status).toBe(200)
  }
  expect((await other.refresh('unknown')).body.error).toBe('invalid_grant')
  expect(site.requests).not.toContain(pathOf(id))
  expect(await works(app, tokens)).toBe(true)
})

test('slow documents of clients from many networks stop no app that a person has allowed', async () => {
  const id = site.publish()
  const app = await App.create('atproto', id)
  const tokens = await app.signIn(owner)
  forget()
  names.silent = /slow/
  await app.refresh('unknown')
  const refused = Promise.withResolvers<void>()
  const slow = Array.from({ length: 80 }, async (_, n) => {
    const other = await App.create('atproto', `https://slow-${n}.example.com/client.json`)
    other.nonce = app.nonce
    other.address = `10.0.${n}.1`
    const { status } = await other.request().catch(() => ({ status: 0 }))
    if (status === 503) refused.resolve()
  })
  await Promise.race([names.queried(/^slow/, 80), refused.promise])
  expect((await app.request()).status).toBe(201)
  expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
  expect(await works(app, await app.signIn(owner))).toBe(true)
  await server.running.close()
  await Promise.all(slow)
  await server.open()
})
