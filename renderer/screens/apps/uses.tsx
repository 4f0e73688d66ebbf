import type { com } from '../../../lexicons/generated/index.ts'
import { t } from '../../strings/en.ts'
import { formatNumber, formatShortDay } from '../../strings/format.ts'
import { barsPath, lastDates, noonOf, valuesOn } from '../../ui/day-values.ts'
import { LazyDetails } from '../../ui/lazy-details.tsx'
import { DayTable, Legend, TableDetails } from '../../ui/plot.tsx'
import { useNow } from '../../ui/time.tsx'
import styles from './uses.module.css'

type DayUses = com.core.server.defs.DayUses

const shownDays = 90
/** In units of the drawings. */
const height = 30

const kinds = ['reads', 'writes', 'refusals'] as const
type Kind = (typeof kinds)[number]

interface UsesProps {
  /** Newest day first. */
  readonly uses: readonly DayUses[]
}

/** How often an app or a session was used on the last days: a small plot, and details on request. */
export function Uses({ uses }: UsesProps) {
  const now = useNow()
  const [newest] = uses
  if (!newest) return null
  // The clock of the server may be ahead of that of the browser.
  const dates = lastDates(Math.max(now, Date.parse(newest.day)), shownDays)
  const values = valuesOn(dates, uses, ({ reads, writes, refusals }) => reads + writes + refusals)
  const totals = kinds.map((kind) => ({ kind, total: uses.reduce((sum, day) => sum + day[kind], 0) }))
  return (
    <LazyDetails
      className={styles.uses}
      summary={
        <>
          <Spark values={values} />
          <span>
            {t.apps.uses.total(
              totals.flatMap(({ kind, total }) => (total > 0 ? t.apps.uses.counts[kind](total) : [])),
            )}
          </span>
        </>
      }
    >
      <UseDetails
        dates={dates}
        kinds={totals.flatMap(({ kind, total }) => (total > 0 ? kind : []))}
        uses={uses}
      />
    </LazyDetails>
  )
}

interface UseDetailsProps extends UsesProps {
  readonly dates: readonly string[]
  /** The kinds that have a plot. */
  readonly kinds: readonly Kind[]
}

function UseDetails({ dates, kinds: plotted, uses }: UseDetailsProps) {
  return (
    <div className={styles.details}>
      {plotted.map((kind) => (
        <KindPlot dates={dates} key={kind} kind={kind} uses={uses} />
      ))}
      <TableDetails>
        <DayTable
          columns={kinds.map((kind) => t.apps.uses.kinds[kind])}
          rows={uses.map(({ day, ...counts }) => ({
            day: noonOf(day),
            cells: kinds.map((kind) => formatNumber(counts[kind])),
          }))}
        />
      </TableDetails>
    </div>
  )
}

interface KindPlotProps extends UsesProps {
  readonly dates: readonly string[]
  readonly kind: Kind
}

/** Each kind has its own scale: changes are few beside reads. */
function KindPlot({ dates, kind, uses }: KindPlotProps) {
  const values = valuesOn(dates, uses, (day) => day[kind])
  const max = Math.max(...values)
  const maxDay = formatShortDay(noonOf(dates[values.indexOf(max)] ?? ''))
  return (
    <div className={styles.kind}>
      <Legend items={[{ kind, name: t.apps.uses.kinds[kind], value: t.apps.uses.most(max, maxDay) }]} />
      <Spark kind={kind} label={t.apps.uses.plot(t.apps.uses.kinds[kind], max, maxDay)} values={values} />
    </div>
  )
}

interface SparkProps {
  readonly values: readonly number[]
  readonly kind?: string
  /** Absent: the text beside it says enough. */
  readonly label?: string
}

function Spark({ values, kind, label }: SparkProps) {
  return (
    <svg
      aria-hidden={label === undefined}
      aria-label={label}
      className={styles.spark}
      data-kind={kind}
      preserveAspectRatio="none"
      role={label === undefined ? undefined : 'img'}
      viewBox={`0 0 ${values.length} ${height}`}
    >
      <path d={barsPath(values, height)} />
    </svg>
  )
}
