/** The certificate of a host. */
import tls from 'node:tls'
import { checkedLookup } from './guard.ts'

export interface Certificate {
  readonly issuer: string
  readonly validFrom: Date
  readonly validTo: Date
}

/** Connects by TLS to a host that the owner named, and verifies its certificate. @throws the error of the system or of the verification */
export async function certificateOf({ hostname, port }: URL, signal: AbortSignal): Promise<Certificate> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const address = { host: hostname, port: Number(port || 443), servername: hostname }
  const socket = tls.connect({ ...address, lookup: checkedLookup(true) })
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
