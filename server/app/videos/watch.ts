/**
 * `/watch/`: the playlist and the fragments of a video (HTTP Live Streaming). The URL of the playlist is in the view of a post. A
 * video that cannot be streamed is redirected to its file, which some players play.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Identity } from '../../identity/identity.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Fallback } from '../../platform/xrpc/http.ts'
import type { BinaryOutput } from '../../platform/xrpc/method.ts'
import { sendBinary, sendError } from '../../platform/xrpc/send.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { visibleRepo } from '../../repository/access/visible.ts'
import { blobResponse } from '../../repository/blobs/response.ts'
import { parseVideoPath, type VideoPath } from '../../repository/blobs/videos/video-path.ts'
import type { Repository } from '../../repository/repository.ts'
import { findReferenced } from '../../repository/tables/blobs.ts'

interface Deps extends Pick<Platform, 'store'> {
  readonly identity: Pick<Identity, 'secrets'>
  readonly repository: Pick<Repository, 'blobs' | 'videos'>
}

export function createWatch({ store, identity, repository }: Deps): Fallback {
  const { blobs, videos } = repository

  /** Undefined for a video that cannot be streamed. */
  async function find(
    { did, cid, file }: VideoPath,
    req: IncomingMessage,
  ): Promise<BinaryOutput | undefined> {
    visibleRepo(store, did, undefined)
    const blob = findReferenced(store, did, cid)
    if (!blob || !(await blobs.isReadable(blob))) {
      throw protocolError('PathNotFound', `No record of ${did} refers to a video ${cid}`)
    }
    const found = await videos.find(blob, file)
    if (!found) return undefined
    const { name, mimeType, size } = found
    const read = (start: number, end: number) => videos.read(name, start, end)
    return blobResponse({ cid: name, mimeType, size }, req.headers, read)
  }

  return async (req, res, path) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return false
    const video = parseVideoPath(identity.secrets.hash, path)
    if (!video) return false
    const { epoch } = store
    try {
      const output = await find(video, req)
      await store.settled(epoch)
      if (output) await sendBinary(req, res, output)
      else redirect(res, video)
    } catch (error) {
      if (!(error instanceof XrpcError)) throw error
      sendError(req, res, error)
    }
    return true
  }
}

/** Clients do not keep it: the server may just have been busy. */
function redirect(res: ServerResponse, { did, cid }: VideoPath): void {
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Location', `/xrpc/com.core.sync.getBlob?did=${encodeURIComponent(did)}&cid=${cid}`)
  res.writeHead(302).end()
}
