import { type BlobRef, getBlobCidString, getBlobMime } from '@atproto/lex-data'
import { useState } from 'react'
import { blobUrl } from '../../api/images.ts'
import styles from './data.module.css'

interface ThumbnailsProps {
  readonly did: string
  readonly blobs: readonly BlobRef[]
}

/** The pictures of a record, small. Decorative: the text of the record is beside them. */
export function Thumbnails({ did, blobs }: ThumbnailsProps) {
  const pictures = blobs.filter((blob) => getBlobMime(blob).startsWith('image/'))
  if (pictures.length === 0) return null
  return (
    <span className={styles.thumbnails}>
      {pictures
        .map((blob) => getBlobCidString(blob))
        .map((cid) => (
          <Thumbnail key={cid} src={blobUrl(did, cid)} />
        ))}
    </span>
  )
}

/** Renders nothing for a picture that does not load. */
function Thumbnail({ src }: { readonly src: string }) {
  const [isMissing, setMissing] = useState(false)
  if (isMissing) return null
  return <img alt="" className={styles.thumbnail} loading="lazy" onError={() => setMissing(true)} src={src} />
}
