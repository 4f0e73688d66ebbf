/** URLs of images in views: this server's own `getBlob`. */
import { getBlobCidString, isBlobRef } from '@atproto/lex-data'
import type { DidString, UriString } from '@atproto/syntax'
import type { ViewContext } from './context.ts'

/** @param did owner of the blob */
export function imageUrl({ origin }: Pick<ViewContext, 'origin'>, did: DidString, cid: string): UriString {
  return `${origin}/xrpc/com.core.sync.getBlob?did=${encodeURIComponent(did)}&cid=${cid}` as UriString
}

/** Returns the URL of a blob reference in a record; undefined for other values. */
export function blobUrl(
  ctx: Pick<ViewContext, 'origin'>,
  did: DidString,
  blob: unknown,
): UriString | undefined {
  return isBlobRef(blob) ? imageUrl(ctx, did, getBlobCidString(blob)) : undefined
}
