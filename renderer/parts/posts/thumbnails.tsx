import { enumBlobRefs, getBlobCidString, getBlobMime, type LexValue } from '@atproto/lex-data'
import { useState } from 'react'
import { blobUrl } from '../../api/images.ts'
import styles from './thumbnails.module.css'

/** The pictures that a record of an account refers to, small. Decorative: the text of the record is beside them. */
export function Thumbnails({ did, record }: { readonly did: string; readonly record: unknown }) {
  const blobs = [...enumBlobRefs(record as LexValue, { strict: false })]
  const cids = blobs
    .filter((blob) => getBlobMime(blob).startsWith('image/'))
    .map((blob) => getBlobCidString(blob))
  if (cids.length === 0) return null
  return (
    <span className={styles.thumbnails}>
      {[...new Set(cids)].map((cid) => (
        <Thumbnail key={cid} src={blobUrl(did, cid, 'avatar_thumbnail')} />
      ))}
    </span>
  )
}

/** Hides a picture that fails to load. */
function Thumbnail({ src }: { readonly src: string }) {
  const [isMissing, setMissing] = useState(false)
  if (isMissing) return null
  return <img alt="" className={styles.thumbnail} loading="lazy" onError={() => setMissing(true)} src={src} />
}
