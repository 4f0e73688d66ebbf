/** Endpoints that take a form: their limits and errors. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAnswering } from '../../server/platform/xrpc/answer.ts'
import { createForms } from '../../server/platform/xrpc/forms.ts'
import { XrpcError } from '../../server/platform/xrpc/xrpc-errors.ts'
import { serve, type TinyServer } from '../support/server/tiny-server.ts'

const maxBytes = 1000
let server: TinyServer

beforeEach(async () => {
  const watchReads = () => async () => {}
  const answering = createAnswering({ watchReads, rateLimits: true, onFailure: () => {} })
  const answer = createForms(answering, {
    limits: [{ points: 3, seconds: 60, per: 'address' }],
    maxBytes,
    async handle({ readFields }) {
      const fields = await readFields()
      if (fields.is === 'busy') throw new XrpcError('NotEnoughResources', 'Busy', { retryAfter: 5 })
      return { status: 200, body: fields }
    },
    errorResponse: ({ status, name }) => ({ status, body: { error: name } }),
  })
  const fallback = async (...[req, res, path]: Parameters<typeof answer>) => {
    await answer(req, res, path)
    return true
  }
  server = await serve([], { fallback })
})
afterEach(() => server.close())

const send = (fields: Record<string, string>) =>
  server.fetch('/form', { method: 'POST', body: new URLSearchParams(fields) })

test('a client that calls too often learns when to try again', async () => {
  for (let call = 0; call < 3; call++) expect((await send({ a: 'b' })).body).toEqual({ a: 'b' })
  const refused = await send({ a: 'b' })
  expect(refused).toMatchObject({ status: 429, body: { error: 'RateLimitExceeded' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
})

test('a client of a busy server learns when to try again', async () => {
  const busy = await send({ is: 'busy' })
  expect(busy.status).toBe(503)
  expect(busy.headers.get('retry-after')).toBe('5')
})

test('a form that is too large is refused, and the next one is answered', async () => {
  const refused = await send({ a: 'b'.repeat(5_000_000) })
  expect(refused).toMatchObject({ status: 413, body: { error: 'PayloadTooLarge' } })
  expect(refused.headers.get('retry-after')).toBeNull()
  expect((await send({ a: 'b' })).status).toBe(200)
})
