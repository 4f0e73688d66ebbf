/** The labelers whose labels a client asks for, and those whose labels an answer of this server has. */
import { describe, expect, test } from 'vitest'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

const other = 'did:plc:ar7c4by46qjdydhdevvrndac'

async function labelersOf(accepted?: string, name = `app.bsky.actor.getProfile?actor=${alice.did}`) {
  const { status, headers } = await server.fetch(`/xrpc/${name}`, {
    headers: {
      authorization: `Bearer ${alice.accessJwt}`,
      ...(accepted !== undefined && { 'atproto-accept-labelers': accepted }),
    },
  })
  expect(status).toBe(200)
  return headers.get('atproto-content-labelers')
}

describe('an answer names', () => {
  test.each([
    ['this server, by default', undefined, (own: string) => `${own};redact`],
    ['this server, if the header is malformed', `${other};;,`, (own: string) => `${own};redact`],
    ['this server, if the header has no DIDs', 'labeler', (own: string) => `${own};redact`],
    ['no labeler, if the client wants none', '', () => ''],
    ['no labeler whose labels it does not have', `${other};redact`, () => ''],
  ])('%s', async (_, accepted, expected) => {
    expect(await labelersOf(accepted)).toBe(expected(server.running.services.serverDid))
  })

  test('this server, as the client asks for it', async () => {
    const own = server.running.services.serverDid
    expect(await labelersOf(`${other}, ${own}`)).toBe(own)
    expect(await labelersOf(`${own} ; redact, ${other}`)).toBe(`${own};redact`)
    expect(await labelersOf(`"${own}";a=1;redact=?1`)).toBe(`${own};redact`)
    expect(await labelersOf(`${own};redact=?0`)).toBe(own)
    expect(await labelersOf(`${own},${own};redact`)).toBe(`${own};redact`)
  })
})

test('an answer from the cache names what this call asks for', async () => {
  const own = server.running.services.serverDid
  const name = `app.bsky.feed.getPosts?uris=at://${alice.did}/app.bsky.feed.post/3kaaaaaaaaaa2`
  expect(await labelersOf(own, name)).toBe(own)
  expect(await labelersOf('', name)).toBe('')
})

test('pages of other origins may read the header', async () => {
  const answer = await fetch(`${server.url}/xrpc/app.bsky.actor.getProfile?actor=${alice.did}`)
  expect(answer.headers.get('access-control-expose-headers')).toContain('Atproto-Content-Labelers')
  expect(answer.headers.has('atproto-content-labelers')).toBe(true)
})

test('answers without views do not have the header', async () => {
  expect(await labelersOf(undefined, 'com.atproto.server.getSession')).toBeNull()
})
