/** Signs an app in by OAuth, as the pages of the interface do it. */
import { NodeOAuthClient, type NodeOAuthClientOptions } from '@atproto/oauth-client-node'
import { expect } from 'vitest'
import type { Account } from '../server/server.ts'
import { server } from '../server/setup.ts'
import { loopbackClient } from './loopback-client.ts'

/** The local address of the server as clients know it: its issuer. */
export const issuer = () => `http://localhost:${server.running.port}`

/** Opens the page of a request. @returns the id of the request */
export async function openPage(url: string | URL): Promise<string> {
  const { status, headers } = await fetch(url, { redirect: 'manual' })
  expect(status).toBe(303)
  const location = headers.get('location') ?? ''
  return /#\/authorize\/(\w+)$/.exec(location)?.[1] ?? location
}

/** Allows or denies a request. @returns the parameters that the client gets */
export async function decide(id: string, account: Account, isAllowed = true): Promise<URLSearchParams> {
  const { status, body } = await server.post('com.core.oauth.decideRequest', { id, isAllowed }, account)
  expect(status).toBe(200)
  return answerIn(body.location)
}

/** Returns the parameters that the client gets by a location. */
export function answerIn(location: string): URLSearchParams {
  const { search, hash } = new URL(location)
  return new URLSearchParams(search || hash.slice(1))
}

/** A client of the network's own library, as a developer runs it. @param at URL of the server, its issuer */
export function networkClient(
  at: string,
  scope: string,
  redirect = 'http://127.0.0.1/callback',
): NodeOAuthClient {
  const stored = new Map<string, unknown>()
  const store = {
    get: async (key: string) => stored.get(key),
    set: async (key: string, value: unknown) => void stored.set(key, value),
    del: async (key: string) => void stored.delete(key),
  }
  const options = {
    ...loopbackClient(at, scope, redirect),
    stateStore: store,
    sessionStore: store,
    requestLock: (_: string, work: () => unknown) => work(),
  }
  return new NodeOAuthClient(options as unknown as NodeOAuthClientOptions)
}
