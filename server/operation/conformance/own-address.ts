/** Proves that the public address leads to this server, before anything of a check is sent there. */
import { guardedFetch } from '../../platform/network/client.ts'
import type { Probes } from '../doctor/probes.ts'

/** The address does not lead to this server: only that one is measured. */
export class WrongServer extends Error {
  override readonly name = 'WrongServer'
}

const patienceMs = 15_000

/** Sends a probe to the address: another server can copy every answer, but the probe does not arrive here. @throws WrongServer */
export async function expectOwnAddress(url: string, probes: Probes, signal: AbortSignal): Promise<void> {
  const probe = probes.start()
  try {
    const target = `${url}/xrpc/com.core.server.receiveProbe?nonce=${probe.nonce}`
    const { status } = await guardedFetch(target, {
      ...{ allowPrivate: true, method: 'POST', body: new Uint8Array(1), timeoutMs: patienceMs, signal },
      headers: { 'content-type': 'application/octet-stream' },
    }).catch((error: Error) => {
      throw new WrongServer(`${url} got no answer: ${error.message}`)
    })
    if (!probe.arrival()) throw new WrongServer(`${url} is another server, or answers ${status}`)
  } finally {
    probe.end()
  }
}
