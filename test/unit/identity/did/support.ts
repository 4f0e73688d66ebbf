import http, { type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a real server on loopback for the rest of the test; returns its port and counts connections. */
export async function loopbackServer(listener: RequestListener) {
  let connections = 0
  const server = http.createServer(listener).on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { port, origin: `http://127.0.0.1:${port}`, connections: () => connections }
}

/** A server of JSON documents by path; anything else is 404. Counts the requests. */
export async function documentServer(documents: Record<string, unknown>) {
  let requests = 0
  const server = await loopbackServer((request, response) => {
    requests++
    const document = documents[decodeURIComponent(request.url ?? '')]
    response.statusCode = document === undefined ? 404 : 200
    response.end(JSON.stringify(document ?? { message: 'not found' }))
  })
  return { ...server, requests: () => requests }
}

const ORDERS = {
  ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  ES256K: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
}

/** The other signature that plain ECDSA would accept for the same message: s becomes n − s. */
export function highS(signature: Uint8Array, algorithm: keyof typeof ORDERS): Buffer {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`)
  const flipped = (ORDERS[algorithm] - s).toString(16).padStart(64, '0')
  return Buffer.concat([signature.subarray(0, 32), Buffer.from(flipped, 'hex')])
}
