/** Checks by a connection alone: addresses of a name, the certificate, whether an upgrade passes. */
import { createHash, randomBytes } from 'node:crypto'
import type { LookupAddress } from 'node:dns'
import https from 'node:https'
import tls from 'node:tls'
import { checkedLookup } from './guard.ts'

/** Addresses of the public URL may be private: it is a setting of the owner, and may resolve differently in its own network. */
const lookup = checkedLookup(true)

/** Returns the addresses of a host name. @throws the error of the look-up, such as `ENOTFOUND` */
export function addressesOf(host: string): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  lookup(host, { all: true }, (error, found) => {
    if (error) reject(error)
    else resolve((found as LookupAddress[]).map(({ address }) => address))
  })
  return promise
}

export interface Certificate {
  readonly issuer: string
  readonly validFrom: Date
  readonly validTo: Date
}

/** Connects by TLS and verifies the certificate. @throws the error of the system or of the verification */
export async function certificateOf({ hostname, port }: URL, signal: AbortSignal): Promise<Certificate> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = tls.connect({ host: hostname, port: Number(port || 443), servername: hostname, lookup })
  const abort = () => socket.destroy(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  socket.once('secureConnect', resolve).once('error', reject)
  try {
    await promise
    const { issuer, valid_from: validFrom, valid_to: validTo } = socket.getPeerCertificate()
    const name = issuer?.O ?? issuer?.CN ?? 'unknown'
    return {
      issuer: [name].flat().join(', '),
      validFrom: new Date(validFrom),
      validTo: new Date(validTo),
    }
  } finally {
    signal.removeEventListener('abort', abort)
    socket.destroy()
  }
}

/** Constant of the handshake (RFC 6455 §1.3). */
const handshakeGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/**
 * Asks for an upgrade to WebSocket, and closes the connection.
 * @returns the status: 101 when the upgrade was accepted, 0 when it was accepted with a wrong key
 * @throws the system's error
 */
export function upgradeStatus(url: string, signal: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const key = randomBytes(16).toString('base64')
  const expected = createHash('sha1').update(`${key}${handshakeGuid}`).digest('base64')
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
  }
  https
    .request(url, { agent: false, headers, lookup, signal })
    .on('upgrade', ({ headers: { 'sec-websocket-accept': accepted } }, socket) => {
      socket.destroy()
      resolve(accepted === expected ? 101 : 0)
    })
    .on('response', (response) => {
      response.destroy()
      resolve(response.statusCode ?? 0)
    })
    .on('error', reject)
    .end()
  return promise
}
