import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { areaPath, lastDates, noonOf } from '../../ui/day-values.ts'
import { DayTable, Plot } from '../../ui/plot.tsx'
import styles from './storage.module.css'

export type Part = 'records' | 'media' | 'database' | 'backups'

/** Bytes on a day. */
export interface MeasuredDay extends Readonly<Partial<Record<Part | 'free', number | undefined>>> {
  /** A date in UTC, `YYYY-MM-DD`. */
  readonly day: string
}

/** The used bytes of a day. */
export function sumOf(day: MeasuredDay, parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + (day[part] ?? 0), 0)
}

const shownDays = 90
/** In units of the drawing. */
const height = 60

interface StorageHistoryProps {
  /** Oldest first. */
  readonly days: readonly MeasuredDay[]
  readonly parts: readonly Part[]
}

/** A line of the used space on the last days, with a table. */
export function StorageHistory({ days, parts }: StorageHistoryProps) {
  const [first, last] = [days[0], days.at(-1)]
  // Dates of the server, whose clock may differ from that of the browser.
  const dates = last ? lastDates(Date.parse(last.day), shownDays) : []
  const path = areaPath(dates, days, (day) => sumOf(day, parts), height)
  if (!first || !last || path === '') return <p className={styles.note}>{t.storage.since}</p>
  const usedOn = (day: MeasuredDay) => formatBytes(sumOf(day, parts))
  const columns = last.free === undefined ? parts : ([...parts, 'free'] as const)
  return (
    <>
      <h3 className={styles.subtitle}>{t.storage.lastDays}</h3>
      <Plot
        first={noonOf(dates[0] ?? '')}
        last={noonOf(dates.at(-1) ?? '')}
        max={formatBytes(Math.max(...days.map((day) => sumOf(day, parts))))}
        table={
          <DayTable
            columns={columns.map((kind) => t.storage.kinds[kind])}
            rows={days.toReversed().map((measured) => ({
              day: noonOf(measured.day),
              cells: columns.map((kind) => formatBytes(measured[kind] ?? 0)),
            }))}
          />
        }
      >
        <svg
          aria-label={t.storage.plot(usedOn(first), usedOn(last))}
          className={styles.history}
          preserveAspectRatio="none"
          role="img"
          viewBox={`0 0 ${shownDays} ${height}`}
        >
          <path d={path} />
        </svg>
      </Plot>
    </>
  )
}
