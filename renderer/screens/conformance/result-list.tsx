import { t } from '../../strings/en.ts'
import { RowList } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import styles from './conformance.module.css'
import { type Level, levelOf, type Outcome, outcomeOf, type Result, reasonOf } from './results.ts'

export function ResultList({ results }: { readonly results: readonly Result[] }) {
  return (
    <RowList label={t.conformance.list}>
      {results.map((result) => (
        <ResultRow key={result.id} result={result} />
      ))}
    </RowList>
  )
}

const variants: Readonly<Record<Exclude<Outcome, 'failed'>, 'good' | 'plain'>> = {
  passed: 'good',
  skipped: 'plain',
}

/** Servers may do either of what is measured for information. */
const failed: Readonly<Record<Level, 'danger' | 'warn' | 'plain'>> = {
  must: 'danger',
  should: 'warn',
  info: 'plain',
}

function ResultRow({ result }: { readonly result: Result }) {
  const { id, title, source } = result
  const outcome = outcomeOf(result)
  const level = levelOf(result)
  const reason = reasonOf(result)
  const variant = outcome === 'failed' ? failed[level] : variants[outcome]
  return (
    <li className={styles.item}>
      <div className={styles.outcome}>
        <Badge variant={variant}>{t.conformance.outcome[outcome]}</Badge>
      </div>
      <div className={styles.text}>
        <div className={styles.title}>{title}</div>
        {reason !== undefined && <div className={styles.reason}>{reason}</div>}
        <div className={styles.origin}>
          <span className={styles.id}>{id}</span> · {t.conformance.levels[level]} · <Source source={source} />
        </div>
      </div>
    </li>
  )
}

function Source({ source }: { readonly source: string }) {
  if (!source.startsWith('https://')) return source
  return (
    <a href={source} rel="noreferrer" target="_blank">
      {source.slice('https://'.length)}
    </a>
  )
}
