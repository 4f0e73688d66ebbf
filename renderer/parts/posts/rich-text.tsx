import { desktop } from '../../bridge.ts'
import styles from './post-card.module.css'
import { segmentsOf } from './segments.ts'

/** The text of a post, with its links and mentions. The desktop opens no pages of others: there, links are text. */
export function RichText({ record }: { readonly record: unknown }) {
  const segments = segmentsOf(record)
  if (segments.length === 0) return null
  return (
    <p className={styles.text}>
      {segments.map(({ text, start, kind, url }) => {
        if (kind === 'text') return text
        if (url === undefined || desktop) {
          return (
            <span className={styles.facet} key={start} title={url}>
              {text}
            </span>
          )
        }
        return (
          <a href={url} key={start} rel="noopener noreferrer nofollow" target="_blank" title={url}>
            {text}
          </a>
        )
      })}
    </p>
  )
}
