import { Link } from 'wouter'
import { desktop } from '../../bridge.ts'
import { personPath, searchPath } from './paths.ts'
import styles from './post-card.module.css'
import { type Segment, segmentsOf } from './segments.ts'

/** The text of a post. Mentions and tags lead to their screens; the desktop opens no pages of others: there, links are text. */
export function RichText({ record }: { readonly record: unknown }) {
  const segments = segmentsOf(record)
  if (segments.length === 0) return null
  return (
    <p className={styles.text} dir="auto">
      {segments.map((segment) => (
        <Piece key={segment.start} segment={segment} />
      ))}
    </p>
  )
}

function Piece({ segment: { text, kind, url, value = '' } }: { readonly segment: Segment }) {
  switch (kind) {
    case 'text':
      return text
    case 'mention':
      return <Link href={personPath(value)}>{text}</Link>
    case 'tag':
      return <Link href={searchPath('posts', `#${value}`)}>{text}</Link>
    case 'link':
      return desktop ? (
        <span className={styles.facet} title={url}>
          {text}
        </span>
      ) : (
        <a href={url} rel="noopener noreferrer nofollow" target="_blank" title={url}>
          {text}
        </a>
      )
  }
}
