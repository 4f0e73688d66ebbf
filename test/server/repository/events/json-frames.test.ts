/** The event stream of a server as JSON: proposal 0015 of the network, `xrpc.v1.json`. */
import { once } from 'node:events'
import { jsonToLex } from '@atproto/lex-json'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { listening } from '../../../support/server/listener.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

/** The first messages from the beginning of the stream. */
async function texts(nsid: string, count: number, query = '?cursor=0'): Promise<unknown[]> {
  const url = `${server.url.replace('http', 'ws')}/xrpc/${nsid}${query}`
  const socket = new WebSocket(url, ['xrpc.v1.json'])
  const received: unknown[] = []
  socket.on('message', (data) => received.push(JSON.parse(String(data))))
  await once(socket, 'open')
  await expect.poll(() => received.length).toBeGreaterThanOrEqual(count)
  socket.terminate()
  return received
}

test.each(['com.atproto.sync.subscribeRepos', 'com.core.sync.subscribeRepos'])(
  '%s has the same events as JSON, under the name that the client calls',
  async (nsid) => {
    const record = { text: 'hello' }
    const input = { repo: alice.did, collection: 'org.example.thing', record }
    await server.post('com.core.repo.createRecord', input, alice)
    const stream = await listening(`${server.url}/xrpc/${nsid}?cursor=0`)
    const frames = [await stream.next(), await stream.next(), await stream.next(), await stream.next()]
    stream.close()
    const messages = (await texts(nsid, frames.length)).slice(0, frames.length)
    expect(messages.map((message) => jsonToLex(message as never))).toEqual(
      frames.map(({ header, payload }) => ({
        $type: 'message',
        payload: { $type: `${nsid}${header.t}`, ...payload },
      })),
    )
    expect(messages.at(-1)).toMatchObject({
      payload: {
        repo: alice.did,
        ops: [{ action: 'create', cid: { $link: expect.any(String) } }],
        blocks: { $bytes: expect.any(String) },
      },
    })
  },
)

test('an error is a JSON object too', async () => {
  expect(await texts('com.atproto.sync.subscribeRepos', 1, '?cursor=999999')).toEqual([
    { $type: 'error', error: 'FutureCursor', message: expect.any(String) },
  ])
})
