import { type ReactNode, useState } from 'react'
import { t } from '../strings/en.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import styles from './list.module.css'
import { RowList } from './page.tsx'

/** Longer lists have a filter. */
const manyRows = 20
/** Rows that are shown at first, and with each click on the button below them. */
const rowsAtOnce = 100

interface FilteredRowsProps<T> {
  readonly label: string
  readonly className?: string | undefined
  readonly items: readonly T[]
  /** Returns the text of an item in which the filter looks; absent: no filter. */
  readonly textOf?: ((item: T) => string) | undefined
  /** Whether all items are shown, because the list is loaded in pages. */
  readonly isPaged?: boolean
  /** Renders an item as `li`. */
  readonly children: (item: T) => ReactNode
  /** Called when the filter is used. */
  onFilter?(): void
}

/** A framed list of rows, with a field above a long one that filters it. */
export function FilteredRows<T>({
  items,
  textOf,
  isPaged = false,
  onFilter,
  children,
  ...list
}: FilteredRowsProps<T>) {
  const [filter, setFilter] = useState('')
  const [limit, setLimit] = useState(rowsAtOnce)
  const typed = filter.trim().toLowerCase()
  const shown = textOf ? items.filter((item) => textOf(item).toLowerCase().includes(typed)) : items
  const rows = isPaged ? shown : shown.slice(0, limit)
  return (
    <>
      {textOf && (items.length > manyRows || filter !== '') && (
        <Field
          exact
          label={t.ui.filterList(list.label)}
          onChange={({ target }) => {
            setFilter(target.value)
            onFilter?.()
          }}
          suffix={
            <span className={styles.count} role="status">
              {t.ui.shownOf(shown.length, items.length)}
            </span>
          }
          type="search"
          unmarked
          value={filter}
        />
      )}
      {shown.length > 0 ? (
        <RowList {...list}>{rows.map((item) => children(item))}</RowList>
      ) : (
        <p className="soft">{t.ui.noneShown}</p>
      )}
      {rows.length < shown.length && (
        <Button onClick={() => setLimit(limit + rowsAtOnce)}>{t.ui.more}</Button>
      )}
    </>
  )
}
