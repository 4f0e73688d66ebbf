/** Calls the running server with the admin password. */

import { guardedFetch, OutboundFailed, type OutboundResponse } from '../../platform/network/client.ts'
import { isObject, isString, parseJson } from '../../util/json.ts'

export interface AdminClient {
  get(nsid: string, params?: Record<string, string>): Promise<Record<string, unknown>>
  post(nsid: string, input: Record<string, unknown>): Promise<Record<string, unknown>>
}

/** A call starts a move, which needs several calls to the new server. */
const timeoutMs = 120_000

/** @throws Error with the message of the server */
export function createAdminClient(url: string, password: string): AdminClient {
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
  const options = { allowPrivate: true, timeoutMs, maxBytes: 1_000_000 }
  const origin = url.replace(/\/+$/, '')

  async function call(path: string, input?: unknown): Promise<Record<string, unknown>> {
    const body = input === undefined ? {} : { method: 'POST' as const, body: JSON.stringify(input) }
    const headers = { authorization, ...(input !== undefined && { 'content-type': 'application/json' }) }
    const response = await guardedFetch(`${origin}/xrpc/${path}`, { ...options, ...body, headers }).catch(
      (error: unknown) => {
        throw error instanceof OutboundFailed
          ? new Error(`The server does not respond at ${origin}. Start it, or name its address with --url.`)
          : error
      },
    )
    return bodyOf(response)
  }

  return {
    get: (nsid, params = {}) => call(`${nsid}?${new URLSearchParams(params)}`),
    post: call,
  }
}

function bodyOf({ status, body }: OutboundResponse): Record<string, unknown> {
  const value = parseJson(body)
  if (status === 200 && isObject(value)) return value
  const message = isObject(value) && isString(value.message) ? value.message : `The server answered ${status}`
  throw new Error(message)
}
