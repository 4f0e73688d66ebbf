/** Limits of calls to other servers. What their responses may contain is in `test/server/operation/moving/refusals.test.ts`. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OutboundFailed } from '../../../../server/platform/network/client.ts'
import { createPeers, type Peer } from '../../../../server/platform/network/peer.ts'

let respond: (res: ServerResponse) => void
const server = createServer((_, res) => respond(res))
const closing = new AbortController()
const { signal } = closing
const peers = createPeers({ allowPrivate: true, networkName: (nsid) => nsid, idleMs: 500, signal })
let peer: Peer

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  peer = peers.at(`http://localhost:${(server.address() as AddressInfo).port}`)
})

afterAll(() => {
  closing.abort()
  server.closeAllConnections()
  server.close()
})

test('a server that does not respond is given up', async () => {
  respond = () => {}
  await expect(peer.get('com.example.call', {})).rejects.toThrow(OutboundFailed)
})

test('a server that sends a byte now and then is given up', async () => {
  respond = (res) => {
    const timer = setInterval(() => res.write(' '), 10)
    res.once('close', () => clearInterval(timer))
  }
  await expect(peer.get('com.example.call', {})).rejects.toThrow('the server does not respond')
  const download = async () => buffer((await peer.download('com.example.file', 1_000_000, {})).body)
  await expect(download()).rejects.toThrow('the server does not respond')
})

test('a call is aborted, also while its response is read', async () => {
  respond = (res) => res.write('[')
  const stop = new AbortController()
  const { body } = await peer.download('com.example.file', 1_000_000, { signal: stop.signal })
  stop.abort()
  await expect(buffer(body)).rejects.toThrow(OutboundFailed)
})
