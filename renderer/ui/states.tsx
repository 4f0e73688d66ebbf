/** Loading, empty and error states, notices and badges. */
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { explain } from '../api/call-errors.ts'
import { t } from '../strings/en.ts'
import { Button } from './button.tsx'
import { classes } from './class-names.ts'
import { FilteredRows } from './filtered-rows.tsx'
import { Panel } from './page.tsx'
import styles from './states.module.css'

interface EmptyStateProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
  readonly action?: ReactNode
}

export function EmptyState({ icon: Icon, title, text, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <div className={styles.emptyIcon}>
        <Icon aria-hidden size={28} />
      </div>
      <p className={styles.emptyTitle}>{title}</p>
      <p className={styles.emptyText}>{text}</p>
      {action && <div className={styles.emptyAction}>{action}</div>}
    </div>
  )
}

/** Placeholder rows while a list loads. Announced as “Loading”. */
export function Skeleton({ rows = 3 }: { readonly rows?: number }) {
  return (
    <Panel>
      <span className="visually-hidden" role="status">
        {t.ui.loading}
      </span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div aria-hidden className={styles.skeleton} key={row}>
          <span />
          <span />
        </div>
      ))}
    </Panel>
  )
}

export function ErrorState({ error, onRetry }: { readonly error: unknown; onRetry(): void }) {
  return (
    <div className={styles.failed} role="alert">
      <CircleAlert aria-hidden size={20} />
      <p>{explain(error)}</p>
      <Button onClick={onRetry} size="s">
        {t.ui.retry}
      </Button>
    </div>
  )
}

export type Pages = Pick<
  UseInfiniteQueryResult,
  'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage'
> & { readonly error: unknown }

interface ItemsProps<T> {
  readonly label: string
  /** Replaces the frame. */
  readonly className?: string | undefined
  /** The number of placeholders while the items load. */
  readonly rows?: number
  /** Shown if there are no items. */
  readonly empty: ReactNode
  /** Returns the text of an item, for the filter of long lists; absent: no filter. */
  readonly textOf?: (item: T) => string
  /** Renders an item as `li`. */
  readonly children: (item: T) => ReactNode
}

interface PagedProps<T> extends ItemsProps<T> {
  readonly list: Pages &
    Pick<UseInfiniteQueryResult, 'isPending' | 'isLoadingError' | 'isSuccess' | 'refetch'> & {
      readonly items: readonly T[]
    }
}

/** Lists the items of a paged query with a button for the next page, or shows its loading, error or empty state. */
export function Paged<T>({ list, rows, empty, children, ...rowList }: PagedProps<T>) {
  const [isFiltered, setFiltered] = useState(false)
  useAllPages(list, isFiltered)
  return (
    <>
      {list.isPending && <Skeleton rows={rows ?? 3} />}
      {list.isLoadingError && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && empty}
      {list.items.length > 0 && (
        <FilteredRows {...rowList} isPaged items={list.items} onFilter={() => setFiltered(true)}>
          {children}
        </FilteredRows>
      )}
      <More list={list} />
    </>
  )
}

/** Loads all pages one after the other, because a filter looks in the loaded ones. */
function useAllPages(list: Pages, isEnabled: boolean): void {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const isDue = isEnabled && hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  useEffect(() => {
    if (isDue) void fetchNextPage()
  }, [isDue, fetchNextPage])
}

/** The end of a paged list: a button for the next page, or the error of loading it. */
export function More({ list }: { readonly list: Pages }) {
  const more = () => void list.fetchNextPage()
  if (!list.hasNextPage) return null
  if (list.isFetchNextPageError) return <ErrorState error={list.error} onRetry={more} />
  return (
    <Button busy={list.isFetchingNextPage} onClick={more}>
      {t.ui.more}
    </Button>
  )
}

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>
  readonly rows?: number
  readonly children: (data: T) => ReactNode
}

/** Renders the data of a query, or its loading or error state. Old data stays visible while it is refetched. */
export function Loaded<T>({ query, rows, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  return <Skeleton rows={rows ?? 3} />
}

interface LoadedListProps<D, T> extends ItemsProps<T> {
  readonly query: UseQueryResult<D>
  readonly itemsOf: (data: D) => readonly T[]
}

/** Lists items of the data of a query, or shows its loading, error or empty state. */
export function LoadedList<D, T>({
  query,
  itemsOf,
  rows,
  empty,
  children,
  ...rowList
}: LoadedListProps<D, T>) {
  return (
    <Loaded query={query} rows={rows ?? 3}>
      {(data) => {
        const items = itemsOf(data)
        return items.length === 0 ? (
          empty
        ) : (
          <FilteredRows {...rowList} items={items}>
            {children}
          </FilteredRows>
        )
      }}
    </Loaded>
  )
}

export interface NoticeProps {
  readonly variant?: 'info' | 'warn' | 'danger'
  readonly children: ReactNode
  readonly action?: ReactNode
  /** Announced by screen readers when it appears. */
  readonly live?: boolean
}

/** A highlighted paragraph. */
export function Notice({ variant = 'info', children, action, live = false }: NoticeProps) {
  const Icon = variant === 'info' ? Info : TriangleAlert
  return (
    <div className={classes(styles.notice, styles[variant])} role={live ? 'alert' : undefined}>
      <Icon aria-hidden size={18} />
      <div className={styles.noticeText}>{children}</div>
      {action && <div className={styles.noticeAction}>{action}</div>}
    </div>
  )
}

/** The error of a form. Announced by screen readers when it appears. */
export function FormError({ error }: { readonly error: unknown }) {
  return (
    <div aria-live="assertive" className={styles.formError}>
      {error ? <Notice variant="danger">{explain(error)}</Notice> : null}
    </div>
  )
}

export function Badge({
  variant = 'plain',
  children,
}: {
  readonly variant?: 'plain' | 'good' | 'warn' | 'danger'
  readonly children: ReactNode
}) {
  return <span className={classes(styles.badge, styles[`badge-${variant}`])}>{children}</span>
}
