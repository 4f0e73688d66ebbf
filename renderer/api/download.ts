/** Downloads of binary data, such as repositories and files. */
import type { XrpcOptions } from '@atproto/lex-client'
import { getMain, type Main, type Query } from '@atproto/lex-schema'
import { callAs } from './client.ts'
import { trackedFetch } from './connection.ts'
import { endpoint } from './endpoint.ts'
import { findSession } from './sessions.ts'

/** Long enough for the browser to start the download. */
const urlLifetimeMs = 60_000

/** Calls a query with binary output as an account. The browser keeps large blobs on disk. */
export async function downloadAs<Q extends Query>(
  did: string,
  method: Main<Q>,
  params: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Blob> {
  const url = new URL(`/xrpc/${getMain(method).nsid}?${new URLSearchParams(params)}`, endpoint)
  const headers = { authorization: `Bearer ${findSession(did)?.accessJwt}` }
  const response = await trackedFetch(url, { headers, ...(signal ? { signal } : {}) })
  if (response.ok) return response.blob()
  // Refreshes an expired token, and throws any other error.
  const body = await callAs(did, method, { params, signal } as unknown as XrpcOptions<Q>)
  return new Blob([body as unknown as BlobPart])
}

/** Saves a blob to a file: the browser asks where, or uses its download folder. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), urlLifetimeMs)
}
