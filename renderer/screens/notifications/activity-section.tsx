import { useActivity } from '../../api/activity.ts'
import { filters } from '../../parts/notification-filters.ts'
import { t } from '../../strings/en.ts'
import { formatNumber } from '../../strings/format.ts'
import { FoldedSection, Panel } from '../../ui/page.tsx'
import { DayTable, Legend, Plot } from '../../ui/plot.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useNow } from '../../ui/time.tsx'
import styles from './activity.module.css'

const { all: _, ...reasonsByKind } = filters
type Kind = keyof typeof reasonsByKind
const kinds = Object.keys(reasonsByKind) as Kind[]

type Period = NonNullable<ReturnType<typeof useActivity>['data']>['periods'][number]

interface DayCounts {
  readonly day: Date
  readonly counts: Readonly<Record<Kind, number>>
  readonly total: number
}

/** A chart of the notifications of the last days, with a table of the same numbers. */
export function ActivitySection() {
  const activity = useActivity(useNow())
  return (
    <FoldedSection lead={t.activity.lead} title={t.activity.title}>
      <Loaded query={activity} rows={2}>
        {({ periods }) => (
          <Panel padded>
            <Chart days={periods.map(countsOf)} />
          </Panel>
        )}
      </Loaded>
    </FoldedSection>
  )
}

function countsOf({ start, counts: ofReasons }: Period): DayCounts {
  const countOf = (kind: Kind) => {
    const reasons: readonly string[] = reasonsByKind[kind]
    return ofReasons.reduce((sum, { reason, count }) => sum + (reasons.includes(reason) ? count : 0), 0)
  }
  const counts = Object.fromEntries(kinds.map((kind) => [kind, countOf(kind)])) as DayCounts['counts']
  return { day: new Date(start), counts, total: kinds.reduce((sum, kind) => sum + counts[kind], 0) }
}

function Chart({ days }: { readonly days: readonly DayCounts[] }) {
  const totalOf = (kind: Kind) => days.reduce((sum, { counts }) => sum + counts[kind], 0)
  const shown = kinds.filter((kind) => totalOf(kind) > 0)
  const [first, last] = [days[0], days.at(-1)]
  if (shown.length === 0 || !first || !last) return <p className={styles.note}>{t.activity.none}</p>
  const total = days.reduce((sum, day) => sum + day.total, 0)
  return (
    <div className={styles.plot}>
      <Plot
        first={first.day}
        last={last.day}
        legend={
          <Legend
            items={shown.map((kind) => ({
              kind,
              name: t.notifications.filters[kind],
              value: formatNumber(totalOf(kind)),
            }))}
          />
        }
        max={formatNumber(Math.max(...days.map((day) => day.total)))}
        table={
          <DayTable
            columns={[...shown.map((kind) => t.notifications.filters[kind]), t.activity.total]}
            rows={days.toReversed().map(({ day, counts, total }) => ({
              day,
              cells: [...shown.map((kind) => counts[kind]), total].map(formatNumber),
            }))}
          />
        }
      >
        <Bars days={days} kinds={shown} label={t.activity.chart(total)} />
      </Plot>
    </div>
  )
}

/** In units of the drawing. */
const height = 120
const step = 40
const gap = 12

interface DaysProps {
  readonly days: readonly DayCounts[]
  readonly kinds: readonly Kind[]
}

/** One bar a day, with a part for each kind. */
function Bars({ days, kinds, label }: DaysProps & { readonly label: string }) {
  const scale = height / Math.max(...days.map(({ total }) => total))
  return (
    <svg
      aria-label={label}
      className={styles.chart}
      preserveAspectRatio="none"
      role="img"
      viewBox={`0 0 ${days.length * step} ${height}`}
    >
      {days.map(({ day, counts }, index) => {
        let bottom = height
        return kinds.map((kind) => {
          bottom -= counts[kind] * scale
          return (
            <rect
              data-kind={kind}
              height={counts[kind] * scale}
              key={`${day.toISOString()} ${kind}`}
              width={step - gap}
              x={index * step + gap / 2}
              y={bottom}
            />
          )
        })
      })}
    </svg>
  )
}
