/** URLs of images in views: this server's own `getBlob`. */
import { getBlobCidString, isBlobRef } from '@atproto/lex-data'
import type { DidString, UriString } from '@atproto/syntax'
import type { Preset } from '../../../repository/blobs/thumbnails/presets.ts'
import type { ViewContext } from '../load/context.ts'

/**
 * @param did owner of the blob
 * @param preset the kind of thumbnail; the whole picture when absent
 */
export function imageUrl(
  { origin }: Pick<ViewContext, 'origin'>,
  did: DidString,
  cid: string,
  preset?: Preset,
): UriString {
  const size = preset === undefined ? '' : `&preset=${preset}`
  return `${origin}/xrpc/com.core.sync.getBlob?did=${encodeURIComponent(did)}&cid=${cid}${size}` as UriString
}

/** Returns the URL of a blob reference in a record; undefined for other values. */
export function blobUrl(
  ctx: Pick<ViewContext, 'origin'>,
  did: DidString,
  blob: unknown,
  preset?: Preset,
): UriString | undefined {
  return isBlobRef(blob) ? imageUrl(ctx, did, getBlobCidString(blob), preset) : undefined
}
