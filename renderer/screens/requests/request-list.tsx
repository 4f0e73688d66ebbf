import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../strings/en.ts'
import { formatDateTime, formatTime } from '../../strings/format.ts'
import { RowList } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import { appOf, methodOf, outcomeOf } from './filter.ts'
import type { InspectedRequest } from './inspected-request.ts'
import { RequestDetails } from './request-details.tsx'
import styles from './requests.module.css'

/** The requests as rows, each of which opens its details. */
export function RequestList({ requests }: { readonly requests: readonly InspectedRequest[] }) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const toggle = (id: number) => {
    const next = new Set(open)
    if (!next.delete(id)) next.add(id)
    setOpen(next)
  }
  return (
    <RowList label={t.requests.list}>
      {requests.map((request) => (
        <RequestRow
          isOpen={open.has(request.id)}
          key={request.id}
          onToggle={() => toggle(request.id)}
          request={request}
        />
      ))}
    </RowList>
  )
}

interface RequestRowProps {
  readonly request: InspectedRequest
  readonly isOpen: boolean
  onToggle(): void
}

function RequestRow({ request, isOpen, onToggle }: RequestRowProps) {
  const { id, at, verb, handle, microseconds } = request
  return (
    <li className={styles.item}>
      <button
        aria-controls={isOpen ? `request-${id}` : undefined}
        aria-expanded={isOpen}
        className={styles.row}
        onClick={onToggle}
        type="button"
      >
        <ChevronRight aria-hidden className={styles.chevron} size={16} />
        <time className={styles.time} dateTime={at} title={formatDateTime(at)}>
          {formatTime(at)}
        </time>
        <span className={styles.method}>
          <span className={styles.verb}>{verb}</span> {methodOf(request)}
        </span>
        <span className={styles.sender}>
          {handle && <span>{handle}</span>} <span className={styles.app}>{appOf(request)}</span>
        </span>
        <span className={styles.status}>
          <Status request={request} />
        </span>
        <span className={styles.duration}>{t.requests.ms(microseconds)}</span>
      </button>
      {isOpen && (
        <div className={styles.details} id={`request-${id}`}>
          <RequestDetails request={request} />
        </div>
      )}
    </li>
  )
}

const variants = { succeeded: 'good', refused: 'warn', failed: 'danger' } as const

function Status({ request }: { readonly request: InspectedRequest }) {
  const { status, error } = request
  const outcome = outcomeOf(request)
  if (outcome === undefined) return <Badge>{t.requests.cancelled}</Badge>
  return (
    <Badge variant={variants[outcome]}>
      {status === 101 && error === undefined ? t.requests.stream : [status, error].filter(Boolean).join(' ')}
    </Badge>
  )
}
