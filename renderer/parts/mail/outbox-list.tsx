import type { UseQueryResult } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import type { ReactNode } from 'react'
import type { OutboxMessage } from '../../../electron/ground/bridge.ts'
import { com } from '../../../lexicons/generated/index.ts'
import { explain } from '../../api/call-errors.ts'
import { useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { useProcedure, useXrpcQuery } from '../../api/hooks.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { EmptyState, LoadedList, Notice } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import styles from './outbox.module.css'

interface OutboxListProps {
  /** Shown if there are no messages. */
  readonly action?: ReactNode
}

/** The messages of the outbox, newest first, each with a copyable code. A browser asks the server for them as its owner. */
export const OutboxList = desktop ? DesktopOutbox : ServerOutbox

function DesktopOutbox({ action }: OutboxListProps) {
  const outbox = useDesktopQuery('outbox.list')
  const restore = useDesktopCall('outbox.restore', ['outbox.list'], {
    onError: (error, [id]) => toast(explain(error), () => restore.mutate([id])),
  })
  const remove = useDesktopCall('outbox.delete', ['outbox.list'], {
    onSuccess: (_, [id]) => toast(t.outbox.removed, () => restore.mutate([id])),
    onError: toastError,
  })
  return (
    <Messages
      action={action}
      noneText={t.outbox.noneText}
      onRemove={(id) => remove.mutate([id])}
      query={outbox}
    />
  )
}

const { deleteOutboxMessage, listOutbox } = com.core.admin

function ServerOutbox({ action }: OutboxListProps) {
  const outbox = useXrpcQuery(listOutbox, {}, { pollMs: () => 5000 })
  const change = useProcedure(deleteOutboxMessage, [listOutbox], {
    onSuccess: (_, { id, undo }) => {
      if (!undo) toast(t.outbox.removed, () => change.mutate({ id, undo: true }))
    },
    onError: (error, { id, undo }) =>
      toast(explain(error), undo ? () => change.mutate({ id, undo }) : undefined),
  })
  const query = { ...outbox, data: outbox.data?.messages } as UseQueryResult<readonly OutboxMessage[]>
  return (
    <Messages
      action={action}
      noneText={t.outbox.noneTextServer}
      onRemove={(id) => change.mutate({ id })}
      query={query}
    />
  )
}

interface MessagesProps extends OutboxListProps {
  readonly query: UseQueryResult<readonly OutboxMessage[]>
  readonly noneText: string
  onRemove(id: string): void
}

function Messages({ action, query, noneText, onRemove }: MessagesProps) {
  return (
    <LoadedList
      empty={<EmptyState action={action} icon={Send} text={noneText} title={t.outbox.none} />}
      itemsOf={(messages) => messages.toSorted((a, b) => b.at.localeCompare(a.at))}
      label={t.outbox.list}
      query={query}
      textOf={({ subject, to }) => `${subject} ${to}`}
    >
      {(message) => <MessageRow key={message.id} message={message} onRemove={() => onRemove(message.id)} />}
    </LoadedList>
  )
}

function MessageRow({ message, onRemove }: { readonly message: OutboxMessage; onRemove(): void }) {
  const { at, to, subject, text, code, failure } = message
  return (
    <li className={styles.message}>
      <div className={styles.head}>
        <div className={styles.what}>
          <h2 className={styles.subject}>{subject}</h2>
          <p className="soft">
            {t.outbox.to} {to} · <RelativeTime at={at} />
          </p>
        </div>
        <Button aria-label={t.outbox.removeLabel(subject, to)} variant="quiet" onClick={onRemove} size="s">
          {t.outbox.remove}
        </Button>
      </div>
      {code && (
        <div className={styles.code}>
          <code>{code}</code>
          <CopyButton label={t.outbox.copyCode(code)} text={code} />
        </div>
      )}
      {failure && (
        <Notice variant="warn">
          <strong>{t.outbox.failed}</strong> {failure}
        </Notice>
      )}
      <details className={styles.text}>
        <summary>{t.outbox.text}</summary>
        <pre>{text}</pre>
      </details>
    </li>
  )
}
