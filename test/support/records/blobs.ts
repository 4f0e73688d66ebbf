/** Uploads, downloads and small images for tests of blobs. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account, Answer, AppSession, ServerClient } from '../server/client.ts'

/** A PNG file of some bytes that differ by `seed`. */
export function png(seed: string, bytes = 200): Buffer {
  const content = Buffer.alloc(bytes, seed)
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').copy(content)
  return content
}

export function upload(
  server: ServerClient,
  who: Account | AppSession,
  body: RequestInit['body'],
  contentType = 'image/png',
): Promise<Answer> {
  return server.fetch('/xrpc/com.core.repo.uploadBlob', {
    method: 'POST',
    headers: { authorization: `Bearer ${who.accessJwt}`, 'content-type': contentType },
    body,
    // For bodies that are streams.
    duplex: 'half',
  } as RequestInit)
}

/** Uploads a file and returns the reference. */
export async function blobOf(
  server: ServerClient,
  who: Account,
  content: Buffer<ArrayBuffer> | Buffer,
  contentType?: string,
) {
  const { status, body } = await upload(server, who, new Uint8Array(content), contentType)
  if (status !== 200) throw new Error(`uploadBlob: ${JSON.stringify(body)}`)
  return body.blob as { ref: { $link: string }; mimeType: string; size: number; $type: 'blob' }
}

export function blobPathOf(did: string, cid: string): string {
  return `/xrpc/com.core.sync.getBlob?did=${did}&cid=${cid}`
}

/** Gets a blob without reading the body as JSON. */
export function download(
  server: { readonly url: string },
  did: string,
  cid: string,
  init?: RequestInit,
): Promise<Response> {
  return fetch(server.url + blobPathOf(did, cid), init)
}

/** The files in a folder of blobs, as `shard/name`. */
export async function filesIn(...folder: string[]): Promise<string[]> {
  const entries = await readdir(join(...folder), { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath.slice(-2)}/${name}`)
    .sort()
}
