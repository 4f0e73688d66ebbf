/** The frame of a plot of days: its greatest value, the axis, what its colours mean, and the same numbers as a table. */
import type { ReactNode } from 'react'
import { t } from '../strings/en.ts'
import { formatShortDay } from '../strings/format.ts'
import { LazyDetails } from './lazy-details.tsx'
import styles from './plot.module.css'

interface PlotProps {
  /** The greatest value in words, at the upper edge. */
  readonly max: string
  readonly first: Date
  readonly last: Date
  /** What the colours mean. */
  readonly legend?: ReactNode
  readonly table: ReactNode
  /** An SVG with a name. */
  readonly children: ReactNode
}

export function Plot({ max, first, last, legend, table, children }: PlotProps) {
  return (
    <figure className={styles.figure}>
      <span aria-hidden className={styles.max}>
        {max}
      </span>
      {children}
      <div aria-hidden className={styles.axis}>
        <span>{formatShortDay(first)}</span>
        <span>{formatShortDay(last)}</span>
      </div>
      {legend}
      <TableDetails>{table}</TableDetails>
    </figure>
  )
}

/** Shows a table on request. */
export function TableDetails({ children }: { readonly children: ReactNode }) {
  return (
    <LazyDetails className={styles.details} summary={t.ui.showTable}>
      {children}
    </LazyDetails>
  )
}

interface LegendProps {
  readonly items: readonly { readonly kind: string; readonly name: ReactNode; readonly value: string }[]
}

/** The kinds of a plot. A style of the caller sets the colour `--kind` by `data-kind`. */
export function Legend({ items }: LegendProps) {
  return (
    <ul className={styles.legend}>
      {items.map(({ kind, name, value }) => (
        <li data-kind={kind} key={kind}>
          {name} <strong>{value}</strong>
        </li>
      ))}
    </ul>
  )
}

interface DayTableProps {
  /** Names of the columns beside the day. */
  readonly columns: readonly string[]
  /** Newest day first. */
  readonly rows: readonly { readonly day: Date; readonly cells: readonly string[] }[]
}

/** The numbers of a plot by day. */
export function DayTable({ columns, rows }: DayTableProps) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t.ui.day}</th>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ day, cells }) => (
          <tr key={day.toISOString()}>
            <th scope="row">{formatShortDay(day)}</th>
            {cells.map((cell, index) => (
              <td key={columns[index]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
