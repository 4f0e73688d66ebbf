import { Link } from 'wouter'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { personPath, searchPath } from './paths.ts'
import styles from './post-card.module.css'
import { type Segment, segmentsOf, unshownHost, withoutDirections } from './segments.ts'

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
      return <WebLink text={withoutDirections(text)} url={url ?? ''} />
  }
}

/** A link that shows its host, also if its text is something else. */
function WebLink({ text, url }: { readonly text: string; readonly url: string }) {
  const host = unshownHost(text, url)
  const content = (
    <>
      {text}
      {host && <span className={styles.host}> {t.post.linkTo(host)}</span>}
    </>
  )
  return desktop ? (
    <span className={styles.facet} title={url}>
      {content}
    </span>
  ) : (
    <a href={url} rel="noopener noreferrer nofollow" target="_blank" title={url}>
      {content}
    </a>
  )
}
