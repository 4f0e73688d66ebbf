import { Link } from 'wouter'
import type { Move } from '../../api/moves.ts'
import { collectionName } from '../../parts/apps/collection-name.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import styles from './move.module.css'

/** The files that could not be copied, each with the record that refers to it. */
export function MissingMedia({ move }: { readonly move: Move }) {
  const { missingMedia = [], blobsMissing } = move
  const more = blobsMissing - missingMedia.length
  return (
    <>
      <ul aria-label={t.move.missingList} className={styles.files}>
        {missingMedia.map(({ cid, reason, record, mimeType, size }) => {
          const collection = record?.split('/')[3]
          const facts = [
            mimeType,
            size === undefined ? undefined : formatBytes(size),
            t.move.missingReasons[reason],
          ]
          return (
            <li className={styles.file} key={cid}>
              <span className={styles.fileName}>
                {collection === undefined ? (
                  t.move.missingFile
                ) : (
                  <Link href={`/data/${collection}`}>{collectionName(collection)}</Link>
                )}
                <code>{record?.split('/')[4] ?? cid}</code>
              </span>
              <span className="soft">{facts.filter(Boolean).join(' · ')}</span>
            </li>
          )
        })}
      </ul>
      {more > 0 && <p className="soft">{t.move.missingMore(more)}</p>}
    </>
  )
}
