import { t } from '../../strings/en.ts'
import { formatNumber, formatShortDay } from '../../strings/format.ts'
import styles from './written.module.css'

interface WrittenProps {
  /** Newest day first. */
  readonly writes: readonly { readonly day: string; readonly count: number }[]
}

/** How many records an app or a session wrote, and on which days. */
export function Written({ writes }: WrittenProps) {
  if (writes.length === 0) return null
  const total = writes.reduce((sum, { count }) => sum + count, 0)
  return (
    <details className={styles.written}>
      <summary>{t.apps.wrote(total)}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.ui.day}</th>
            <th scope="col">{t.apps.records}</th>
          </tr>
        </thead>
        <tbody>
          {writes.map(({ day, count }) => (
            <tr key={day}>
              <th scope="row">{formatShortDay(new Date(`${day}T12:00`))}</th>
              <td>{formatNumber(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
