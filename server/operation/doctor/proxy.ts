/** Checks that this server answers at the public address, and that the proxy passes on the right headers. */

import type { OutgoingHttpHeaders } from 'node:http'
import { guardedFetch, type OutboundResponse } from '../../platform/network/client.ts'
import { openStream } from '../../platform/network/websocket.ts'
import { hostname, isLoopbackHost } from '../../platform/xrpc/host.ts'
import { isObject, parseJson } from '../../util/json.ts'
import { type Check, failed, ok, unknown, warning } from './check.ts'
import { type Arrival, type Probes, probeBytes } from './probes.ts'

export interface ProxyDeps {
  readonly publicUrl: string
  /** The port that this server listens on. */
  readonly port: number
  readonly proxyPort: number | undefined
  readonly serverDid: string
  readonly probes: Probes
  readonly signal: AbortSignal
}

const requestMs = 10_000
const uploadMs = 60_000

/** Whether this server answers. */
export async function checkServer(deps: ProxyDeps): Promise<Check> {
  const { publicUrl, serverDid, signal } = deps
  const name = 'server'
  const url = `${publicUrl}/xrpc/com.core.server.describeServer`
  const response = await guardedFetch(url, { allowPrivate: true, timeoutMs: requestMs, signal }).catch(
    () => undefined,
  )
  if (!response) return unknown(name, `${publicUrl} did not answer within ${requestMs / 1000} seconds.`)
  const { status, headers } = response
  const body = parseJson(response.body)
  if (status === 403 && isObject(body) && body.error === 'Forbidden') {
    return failed(
      name,
      'The proxy sends another Host header than the public name, and the server refuses it.',
      'passHost',
    )
  }
  if (status >= 500) {
    return failed(
      name,
      `The proxy answers ${status}: it does not reach this server at port ${deps.proxyPort ?? deps.port}.`,
      'setUpstream',
    )
  }
  if (status >= 300 && status < 400) {
    const to = String(headers.location ?? 'another address').slice(0, 200)
    return failed(name, `The public address redirects to ${to}. Clients do not follow.`, 'setProxy')
  }
  if (status !== 200 || !isObject(body)) {
    return failed(name, `Something else answers at ${publicUrl} (status ${status}).`, 'setProxy')
  }
  const arrival = (await sendProbe(deps, 1))?.arrival
  if (body.did !== serverDid || !arrival) {
    return failed(name, `Another server answers at ${publicUrl}, not this one.`, 'setProxy')
  }
  if (hostname(arrival.host ?? '') !== new URL(publicUrl).hostname) {
    return warning(
      name,
      `The proxy sends ${arrival.host} as Host header, not the public name. Handles cannot be looked up then.`,
      'passHost',
    )
  }
  return ok(name, 'This server answers at the public address.')
}

/** An address for documentation (RFC 5737), sent as a client would send a forged one. */
const forgedAddress = '192.0.2.77'

/** Checks the addresses of visitors, by which rate limits count: the proxy must name them, and forged ones must not count. */
export async function checkClientAddress(deps: ProxyDeps): Promise<Check> {
  const name = 'clientAddress'
  const sent = await sendProbe(deps, 1)
  if (!sent?.arrival) return unknown(name, 'The request to this server did not arrive.')
  const { caller, forwardedFor, host } = sent.arrival
  if (caller.address === forgedAddress) {
    return failed(
      name,
      'Visitors can forge their address: the proxy passes X-Forwarded-For on as it was sent.',
      'passClientAddress',
    )
  }
  if (await isForgedHere(deps, 'localhost')) {
    return failed(name, 'Web pages in a browser on this computer can forge their address.', 'separatePort')
  }
  if (await isForgedHere(deps, new URL(deps.publicUrl).host)) {
    return warning(
      name,
      'Programs on this computer can pass for the proxy at the port of the server, and forge addresses of visitors.',
      'separatePort',
    )
  }
  if (caller.isForwarded && caller.address !== '')
    return ok(name, `Visitors keep their own address. This one came as ${caller.address}.`)
  if (caller.isForwarded || forwardedFor === undefined || forwardedFor === forgedAddress) {
    return failed(
      name,
      'The proxy does not send the addresses of visitors, so all of them share one rate limit or none.',
      'passClientAddress',
    )
  }
  if (isLoopbackHost(host)) {
    return failed(
      name,
      `The proxy sends ${host} as Host header, not the public name, so the addresses of visitors that it sends do not count.`,
      'passHost',
    )
  }
  return failed(
    name,
    `The proxy at ${caller.address} sends the addresses of visitors, but is not trusted: all of them share one rate limit or none.`,
    'trustProxy',
    caller.address,
  )
}

/** Whether a forged address counts that is sent to the ordinary port, under a host name. */
async function isForgedHere(deps: ProxyDeps, host: string): Promise<boolean> {
  const sent = await sendProbe({ ...deps, publicUrl: `http://127.0.0.1:${deps.port}` }, 1, { host })
  return sent?.arrival?.caller.address === forgedAddress
}

/** Whether uploads pass. */
export async function checkUploads(deps: ProxyDeps): Promise<Check> {
  const name = 'uploads'
  const size = `${probeBytes / 1_000_000} MB`
  const sent = await sendProbe(deps, probeBytes)
  if (sent?.arrival?.bytes === probeBytes) return ok(name, `An upload of ${size} passes.`)
  const reason = sent ? `it answers ${sent.response.status}` : 'the connection broke off'
  return failed(name, `An upload of ${size} does not pass the proxy: ${reason}.`, 'raiseBodySize')
}

/** Whether WebSocket passes: relays read the event stream by it. */
export async function checkWebSocket({ publicUrl, signal }: ProxyDeps): Promise<Check> {
  const name = 'webSocket'
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const brokeOff = () => resolve('the connection broke off')
  const stream = openStream(`${publicUrl}/xrpc/com.core.sync.subscribeRepos`, {
    allowPrivate: true,
    onOpen: () => resolve(undefined),
    onMessage: () => {},
    onEnd: ({ status }) => (status === undefined ? brokeOff() : resolve(`the answer is ${status}`)),
  })
  signal.addEventListener('abort', brokeOff, { once: true })
  const problem = await promise
  signal.removeEventListener('abort', brokeOff)
  stream.close()
  if (problem === undefined) return ok(name, 'WebSocket passes.')
  return failed(name, `WebSocket does not pass the proxy: ${problem}.`, 'passUpgrade')
}

interface Sent {
  readonly response: OutboundResponse
  /** Undefined if it did not arrive at this process. */
  readonly arrival: Arrival | undefined
}

/** Sends a probe to the public address. @returns undefined without a complete response */
async function sendProbe(
  { publicUrl, probes, signal }: ProxyDeps,
  bytes: number,
  more: OutgoingHttpHeaders = {},
): Promise<Sent | undefined> {
  const probe = probes.start()
  try {
    const response = await guardedFetch(
      `${publicUrl}/xrpc/com.core.server.receiveProbe?nonce=${probe.nonce}`,
      {
        allowPrivate: true,
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', 'x-forwarded-for': forgedAddress, ...more },
        body: new Uint8Array(bytes),
        timeoutMs: uploadMs,
        signal,
      },
    )
    return { response, arrival: probe.arrival() }
  } catch {
    return undefined
  } finally {
    probe.end()
  }
}
