import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { explain } from '../../api/call-errors.ts'
import type { Figures } from '../../parts/apps/clients.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { LinkButton } from '../../ui/links.tsx'
import styles from './state-row.module.css'

/** What a tile says. */
export interface TileState {
  /** `ok` and `warn` only where there is something that can be well or not. */
  readonly tone?: 'ok' | 'warn' | 'danger'
  readonly value: ReactNode
  readonly detail?: ReactNode
  /** Absent if the account may open no screen about it. */
  readonly href?: string | undefined
  /** The label of a button in place of the link. */
  readonly action?: string
}

interface TileProps<T> {
  readonly icon: LucideIcon
  readonly name: string
  readonly figures: Figures<T>
  /** Called with the figures once they are there. */
  readonly children: (data: T) => TileState
}

/** One fact of the state, which loads and fails by itself. */
export function Tile<T>({ icon: Icon, name, figures, children }: TileProps<T>) {
  const { data, isError } = figures
  const state = data === undefined ? undefined : children(data)
  return (
    <li className={styles.tile} data-tone={state?.tone}>
      <p className={styles.name}>
        <Icon aria-hidden size={16} strokeWidth={1.75} />
        {name}
      </p>
      {state && <Filled {...state} />}
      {!state && isError && <Failed error={figures.error} onRetry={figures.refetch} />}
      {!state && !isError && (
        <p className={styles.value}>
          <span aria-hidden>…</span>
          <span className="visually-hidden">{t.ui.loading}</span>
        </p>
      )}
    </li>
  )
}

function Filled({ value, detail, href, action }: TileState) {
  const isLinked = href !== undefined && action === undefined
  return (
    <>
      <p className={styles.value}>{isLinked ? <Link href={href}>{value}</Link> : value}</p>
      {detail && <p className={styles.detail}>{detail}</p>}
      {href !== undefined && action !== undefined && (
        <LinkButton href={href} size="s">
          {action}
        </LinkButton>
      )}
    </>
  )
}

function Failed({ error, onRetry }: { readonly error: unknown; onRetry(): unknown }) {
  return (
    <>
      <p className={styles.value}>{t.home.failed}</p>
      <p className={styles.detail}>{explain(error)}</p>
      <Button onClick={() => void onRetry()} size="s">
        {t.ui.retry}
      </Button>
    </>
  )
}
