import { Send } from 'lucide-react'
import type { ReactNode } from 'react'
import type { OutboxMessage } from '../../../electron/ground/bridge.ts'
import { useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { EmptyState, LoadedList, Notice } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import styles from './outbox.module.css'

/** The messages of the outbox, newest first, each with a copyable code. @param action shown if there are none */
export function OutboxList({ action }: { readonly action?: ReactNode }) {
  const outbox = useDesktopQuery('outbox.list')
  const restore = useDesktopCall('outbox.restore', ['outbox.list'], { onError: toastError })
  const remove = useDesktopCall('outbox.delete', ['outbox.list'], {
    onSuccess: (_, [id]) => toast(t.outbox.removed, () => restore.mutate([id])),
    onError: toastError,
  })
  return (
    <LoadedList
      empty={<EmptyState action={action} icon={Send} text={t.outbox.noneText} title={t.outbox.none} />}
      itemsOf={(messages) => messages.toSorted((a, b) => b.at.localeCompare(a.at))}
      label={t.outbox.list}
      query={outbox}
    >
      {(message) => (
        <MessageRow key={message.id} message={message} onRemove={() => remove.mutate([message.id])} />
      )}
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
