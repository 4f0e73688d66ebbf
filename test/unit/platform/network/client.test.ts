/** The HTTP client with kept connections and streamed bodies. Single requests are in `guarded-fetch.test.ts`. */
import type { ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import {
  type ClientOptions,
  createClient,
  OutboundFailed,
  RequestTooLong,
  ResponseTooLarge,
  ServerSilent,
} from '../../../../server/platform/network/client.ts'
import { OutboundRefused } from '../../../../server/platform/network/guard.ts'
import { XrpcError } from '../../../../server/platform/xrpc/xrpc-errors.ts'
import { loopbackServer } from '../../identity/did/support.ts'

function client(options: Partial<ClientOptions> = {}) {
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  return { ...createClient({ allowPrivate: true, signal: closing.signal, ...options }), closing }
}

/** Sends a byte every 10 ms. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 10)
  response.once('close', () => clearInterval(timer))
}

test('requests share a connection', async () => {
  const server = await loopbackServer((_, response) => response.end('ok'))
  const { request } = client()
  await request(server.origin)
  expect((await request(server.origin)).body.toString()).toBe('ok')
  expect(server.connections()).toBe(1)
})

test('private addresses are refused unless they are allowed', async () => {
  const server = await loopbackServer((_, response) => response.end('secret'))
  const { request } = client({ allowPrivate: false })
  await expect(request(`https://127.0.0.1:${server.port}/`)).rejects.toThrow(OutboundRefused)
  const findAddresses = async () => [{ address: '127.0.0.1', family: 4 }]
  const rebound = client({ allowPrivate: false, findAddresses })
  await expect(rebound.request(`https://public.example:${server.port}/`)).rejects.toThrow(OutboundRefused)
  expect(server.connections()).toBe(0)
})

test('each time limit has its error', async () => {
  const silent = await loopbackServer(() => {})
  await expect(client({ idleMs: 50 }).open(silent.origin)).rejects.toThrow(ServerSilent)
  await expect(client({ timeoutMs: 50 }).open(silent.origin)).rejects.toThrow(RequestTooLong)
  await expect(client().open(silent.origin, { timeoutMs: 50 })).rejects.toThrow(RequestTooLong)

  const slow = await loopbackServer((_, response) => drip(response))
  const steady = client({ idleMs: 5_000, timeoutMs: 200 }).request(slow.origin)
  await expect(steady).rejects.toThrow(RequestTooLong)
  const trickle = client({ idleMs: 200, idleBytes: 1000 }).request(slow.origin)
  await expect(trickle).rejects.toThrow(ServerSilent)
})

test('a server may take longer to process a streamed body than to send bytes', async () => {
  const server = await loopbackServer((request, response) => {
    request.resume().on('end', () => setTimeout(() => response.end('done'), 1_200))
  })
  const limits = { idleMs: 600, timeoutMs: 20_000 }
  const send = (processingMs: number) =>
    client({ ...limits, processingMs }).request(server.origin, { method: 'POST', body: chunks() })
  expect((await send(10_000)).body.toString()).toBe('done')
  await expect(send(50)).rejects.toThrow(ServerSilent)
})

test('a response that announces too many bytes is dropped before its body', async () => {
  const dropped = Promise.withResolvers<void>()
  const server = await loopbackServer((_, response) => {
    response.once('close', () => dropped.resolve())
    response.writeHead(500, { 'content-length': '1001' }).flushHeaders()
  })
  const maxBytes = (status: number) => (status === 500 ? 1000 : 2000)
  const { open } = client({ timeoutMs: Number.POSITIVE_INFINITY })
  await expect(open(server.origin, { maxBytes })).rejects.toThrow(ResponseTooLarge)
  await dropped.promise
})

test('closing aborts requests, also while a host is looked up', async () => {
  const server = await loopbackServer((_, response) => response.write('half'))
  const { open, closing } = client({
    findAddresses: (_, signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  })
  const waiting = open('http://never.example/')
  const { body } = await open(server.origin)
  closing.abort()
  await expect(waiting).rejects.toThrow(OutboundFailed)
  await expect(buffer(body)).rejects.toThrow(OutboundFailed)
  await expect(open(server.origin)).rejects.toThrow(OutboundFailed)
})

test('an error of a streamed body fails the request: one for the client as it is, others as the cause', async () => {
  const server = await loopbackServer((request) => request.resume())
  const send = (error: Error) => client().open(server.origin, { method: 'POST', body: chunks(error) })
  const refusal = new XrpcError('PayloadTooLarge')
  await expect(send(refusal)).rejects.toBe(refusal)
  const cause = new Error('the disk failed')
  await expect(send(cause)).rejects.toMatchObject({ name: 'OutboundFailed', cause })
})

async function* chunks(error?: Error): AsyncIterable<Uint8Array> {
  yield Buffer.from('some bytes')
  if (error) throw error
}

test('a request after the client was closed fails, with a streamed body too', async () => {
  const server = await loopbackServer((_, response) => response.end('ok'))
  const { request, closing } = client()
  closing.abort()
  async function* body() {
    yield Buffer.from('text')
  }
  for (const each of ['text', body()]) {
    await expect(request(server.origin, { method: 'PUT', body: each })).rejects.toThrow(OutboundFailed)
  }
  expect(server.connections()).toBe(0)
})
